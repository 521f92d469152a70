"""Few rows: a reduction in two phases pays only where there are fewer rows than cores, and is not solved for other shapes.

With a row for every core, sharing rows keeps all cores busy without a second phase and without workspace. Rows are what lies outside the
reduced axis: kept axes inside it are short pieces of every transfer, and sharing them among cores is no substitute.
"""

from __future__ import annotations

from itertools import takewhile

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
    axes = (graph.axis_of[axis] for axis in outside if axis in kept)
    originals = dict.fromkeys(axis.parents[0] if axis.kind in SPLIT_KINDS else axis.name for axis in axes)
    rows = mul(*(graph.axis_of[axis].size for axis in originals))
    text = f"{template.name} shares a row among cores, which pays where there are fewer rows than cores"
    return (Leq(lhs=rows, rhs=integer(chip.vector_cores - 1), origin=Origin(family=FAMILY, subject=template.name, text=text), unit="rows"),)


def _joins_partials(graph: ImplGraph, node: Node) -> bool:
    if spec_of(node.op).compute is not ComputeType.REDUCE:
        return False
    load = graph.node_of[node.inputs[0]]
    return load.op == "Load" and graph.node_of[load.inputs[0]].op == "Workspace"
