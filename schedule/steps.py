"""The steps that make a template of a case, in their order."""

from __future__ import annotations

from att.ir.graph import Graph
from hwmodels.model import Chip
from schedule.axes import DropUnitAxes, RenameAxes
from schedule.buffers import Place
from schedule.cases import Kind, TilingCase, reduce_nodes
from schedule.casts import DropNeedlessCasts
from schedule.cleanup import DropCopies, DropUnread, FoldScalarCasts, JoinBroadcasts
from schedule.groups import AxisGroups, graph_groups
from schedule.hoist import LoadOncePerCore
from schedule.inline import InlineBroadcasts
from schedule.legalize import Legalize
from schedule.order import GatherLoop, Reorder
from schedule.phases import FirstPhase, SecondPhase
from schedule.redundant import DropRedundantBroadcasts
from schedule.split import BindBlock, Fuse, Split
from schedule.stages import WalkPerReduce
from schedule.trace import Traced
from schedule.transform import Transform
from schedule.vectorize import Align, Vectorize, row_pitch_elems


def cleaned(graph: Graph) -> Traced:
    """The graph without what it says twice."""
    return Traced(graph).then((FoldScalarCasts(), DropCopies(), JoinBroadcasts(), DropUnread()))


def legal(clean: Traced, chip: Chip) -> Traced:
    """The graph in element types that the chip computes with."""
    return clean.then((Legalize(chip.cost_table), DropNeedlessCasts(chip.cost_table)))


def over_few_axes(traced: Traced) -> Traced:
    """The graph over axes z0, z1 … of more than one element; what merges is left to each variant."""
    return traced.then((RenameAxes(), DropUnitAxes()))


def phases(start: Traced, case: TilingCase, chip: Chip) -> tuple[Traced, ...]:
    """The loop nests of a case, which run one after another. Raises ScheduleError where it does not fit the graph or the chip."""
    if case.kind is Kind.R_SPLIT:
        return _two_phases(start, case, chip)
    if case.kind is Kind.CHUNKED:
        start = start.then((WalkPerReduce(case.walked),))
    return (_nest(start, (*nest_steps(start.graph, case), LoadOncePerCore()), chip, inline=case.inline),)


def _nest(start: Traced, steps: tuple[Transform, ...], chip: Chip, *, inline: bool = False) -> Traced:
    laid_out = start.then(steps).then((Vectorize(), Align(row_pitch_elems(start.graph)), DropRedundantBroadcasts()))
    if inline:
        laid_out = laid_out.then((InlineBroadcasts(),))
    return laid_out.then((Place(vecin_queues=chip.vecin_queues, vecout_queues=chip.vecout_queues),))


def _two_phases(start: Traced, case: TilingCase, chip: Chip) -> tuple[Traced, ...]:
    """Phase 0 shares tiles of the reduced axis among cores as if nothing were reduced; phase 1 is a full-load reduce of what it stored."""
    assert case.r is not None
    (reduce,) = reduce_nodes(start.graph)
    order = _axis_order(start.graph)
    shared = TilingCase(kind=Kind.GENERAL, groups=AxisGroups(y=order), y=case.r, r=None)
    split, *rest = nest_steps(start.graph, shared)
    outside = tuple(a for a in order[: order.index(case.r)] if a in case.groups.r)
    first = _nest(start, (split, FirstPhase(reduce.name, (*outside, f"{case.r}T")), *rest), chip)
    partials = start.then((SecondPhase(reduce.name, case.r),))
    whole = TilingCase(kind=Kind.FULL_LOAD, groups=graph_groups(partials.graph, full_load=True), y=case.y, r=None)
    return first, _nest(partials, nest_steps(partials.graph, whole), chip)


def nest_steps(graph: Graph, case: TilingCase) -> tuple[Transform, ...]:
    """Cuts the axes of a case, shares the outer loops among cores, and orders the loops."""
    order = _axis_order(graph)
    y_loops, r_loops = _loops(order, case.looped, case.y), _loops(order, case.groups.r, case.r)
    steps: list[Transform] = [Split(axis) for axis in (case.y, case.r) if axis]
    loops: list[str] = []
    if y_loops:
        fused, steps = _fused(y_loops, steps)
        steps.append(BindBlock(fused))
        loops += [f"{fused}B", f"{fused}b"]
    if r_loops:
        fused, steps = _fused(r_loops, steps)
        loops.append(fused)
    looped = {*y_loops, *r_loops}
    vectorized = tuple(f"{axis}t" if axis in (case.y, case.r) else axis for axis in order if axis not in looped)
    steps.append(Reorder(tuple(loops), vectorized))
    return (*steps, GatherLoop()) if r_loops and case.kind is not Kind.CHUNKED else tuple(steps)


def _axis_order(graph: Graph) -> tuple[str, ...]:
    return max((node.axes for node in graph.nodes), key=len)


def _loops(order: tuple[str, ...], group: tuple[str, ...], cut: str | None) -> tuple[str, ...]:
    """Axes of a group outside its cut axis, and the tiles of that one."""
    if cut is None:
        return ()
    return (*(axis for axis in order[: order.index(cut)] if axis in group), f"{cut}T")


def _fused(loops: tuple[str, ...], steps: list[Transform]) -> tuple[str, list[Transform]]:
    return "".join(loops), [*steps, Fuse(loops)] if len(loops) > 1 else steps
