"""The group of every axis of a loop nest, as `att schedule` prints it: X, Y, R or N (S1 §3.1.2).

full_load.z0, Sum over z1      z0 Y    z0T Y    z0t Y    z1 N
r_split.z0.z1, first phase     z0T Y   z1TT R   z1TTz0T YR
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from att.ir.graph import Graph, ImplGraph
from schedule.cases import Kind, TilingCase
from schedule.groups import AxisGroups, graph_groups

_ORDER: Final = "XYRN"


def group_letters(graph: Graph, case: TilingCase, nest: ImplGraph) -> Mapping[str, str]:
    """Letter by axis of the nest that a case makes of a graph.

    Parts have the letter of the axis they were cut from, fused axes all letters of theirs, and axes that were fused the letter of the
    whole; `""` for an axis that no node of the nest has.
    """
    letters = _letters_of(_groups_of(graph, case))
    for axis in nest.axes:
        letters.setdefault(axis.name, _joined(letters.get(parent, "") for parent in axis.parents))
    for axis in reversed(nest.axes):
        for parent in axis.parents:
            letters[parent] = letters.get(parent) or letters[axis.name]
    return MappingProxyType({axis.name: letters[axis.name] for axis in nest.axes})


def _groups_of(graph: Graph, case: TilingCase) -> AxisGroups:
    """The groups of a case; where its R is but the loop inside a core, those of the graph."""
    if case.kind is Kind.TRANSPOSE or case.reuse:
        return graph_groups(graph, full_load=case.kind is Kind.FULL_LOAD)
    return case.groups


def _letters_of(groups: AxisGroups) -> dict[str, str]:
    by_letter = {"X": groups.x, "Y": groups.y, "R": groups.r, "N": groups.n}
    return {axis: letter for letter, axes in by_letter.items() for axis in axes}


def _joined(letters: Iterable[str]) -> str:
    return "".join(sorted({*"".join(letters)}, key=_ORDER.index))
