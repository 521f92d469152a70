"""What writer and reader of the dump agree on besides its lines."""

from __future__ import annotations

from typing import Final

from att.ir.graph import ImplGraph, Template
from att.ir.verify_axes import SPLIT_KINDS

FIXED_KEYS: Final = frozenset({"axis", "loop_axis", "api", "y", "ir_attr"})
"""Node lines with a meaning of their own; an attribute of that name is written as `.ir_attr.<name>`."""


def is_scheduled(graph: ImplGraph) -> bool:
    """Whether a `Graph:` section shows by itself that it is an ImplGraph and not a HintGraph."""
    return (
        bool(graph.variables or graph.trace)
        or any(axis.kind in SPLIT_KINDS for axis in graph.axes)
        or any(n.loop_axis is not None or n.output.vectorized_axes or n.output.memory is not None for n in graph.nodes)
    )


def plain_template(phases: tuple[ImplGraph, ...]) -> Template:
    """The template that phases without a `Template:` head stand for: named like the first phase, key 0."""
    name = phases[0].name if phases else ""
    return Template(name=name, tiling_key=0, graph_name=name, phases=phases)
