"""Few rows: a reduction in two phases pays only where there are fewer rows than cores, and is not solved for other shapes.

With a row for every core, sharing rows keeps all cores busy without a second phase and without workspace. Rows are what lies outside the
reduced axis: kept axes inside it are short pieces of every transfer, and sharing them among cores is no substitute. Where a row is walked
once more after its reduces, it has to be long, too.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile
from typing import Final

from att.expr.core import integer, mul
from att.ir.graph import ImplGraph, Template
from att.ir.node import Node
from att.ir.roles import varying_axes
from att.ir.verify_axes import SPLIT_KINDS
from att.model.tiling import Leq, Origin
from att.ops.registry import spec_of
from att.ops.spec import ComputeType
from hwmodels.model import Chip

FAMILY = "few_rows"

_LEAST_ROW_ELEMS: Final = 8192
"""Elements of a row from which all cores may walk it once more.

Measured, 1 to 16 rows of softmax and rms_norm, against one core a row: of 6144 elements it takes up to twice as long on 910B1 and 310P3,
and is up to 1.24 times as fast on 950PR; of 12,288 it is up to 1.1 and 2.6 times as fast, of 32,768 up to 1.7 and 5 times.
"""


def few_rows(template: Template, chip: Chip) -> tuple[Leq, ...]:
    """One constraint for a template whose last phase joins partial results of the first."""
    if len(template.phases) < 2:
        return ()
    graph = template.phases[-1]
    joining = next((node for node in graph.nodes if _joins_partials(graph, node)), None)
    if joining is None:
        return ()
    source, kept = graph.node_of[joining.inputs[0]].output, varying_axes(joining.output)
    outside = takewhile(lambda axis: axis in kept or axis not in varying_axes(source), source.axes)
    originals = _originals(graph, (axis for axis in outside if axis in kept))
    rows = mul(*(graph.axis_of[axis].size for axis in originals))
    text = f"{template.name} shares a row among cores, which pays where there are fewer rows than cores"
    origin = Origin(family=FAMILY, subject=template.name, text=text)
    return (Leq(lhs=rows, rhs=integer(chip.vector_cores - 1), origin=origin, unit="rows"), *_long_rows(template, graph, joining))


def _long_rows(template: Template, graph: ImplGraph, joining: Node) -> tuple[Leq, ...]:
    """One constraint for a template whose last phase stores whole rows again."""
    stored = {axis: None for node in graph.nodes if node.op == "Store" for axis in varying_axes(node.output)}
    again = _originals(graph, (axis for axis in stored if axis not in varying_axes(joining.output)))
    if not again:
        return ()
    text = f"{template.name} walks a shared row once more, which pays for long rows"
    elements = mul(*(graph.axis_of[axis].size for axis in again))
    return (
        Leq(lhs=integer(_LEAST_ROW_ELEMS), rhs=elements, origin=Origin(family=FAMILY, subject=template.name, text=text), unit="elements"),
    )


def _originals(graph: ImplGraph, axes: Iterable[str]) -> tuple[str, ...]:
    """The axes as they were before they were cut."""
    found = (graph.axis_of[axis] for axis in axes)
    return tuple(dict.fromkeys(axis.parents[0] if axis.kind in SPLIT_KINDS else axis.name for axis in found))


def _joins_partials(graph: ImplGraph, node: Node) -> bool:
    if spec_of(node.op).compute is not ComputeType.REDUCE:
        return False
    load = graph.node_of[node.inputs[0]]
    return load.op == "Load" and graph.node_of[load.inputs[0]].op == "Workspace"
