"""The steps that make a template of a case, in their order."""

from __future__ import annotations

from dataclasses import dataclass

from att.ir.graph import Graph
from att.ops.verify import check_dtypes
from hwmodels.model import Chip
from schedule.apart import KeepStores, store_groups
from schedule.axes import DropIdleAxes, NumberAxes, RenameAxes, loop_order, mergeable, numbered
from schedule.buffers import Place
from schedule.cases import SHARED_KINDS, Kind, TilingCase
from schedule.casts import DropNeedlessCasts
from schedule.cleanup import DropCopies, DropUnread, FoldScalarCasts, JoinBroadcasts
from schedule.groups import graph_groups
from schedule.hoist import LoadOncePerCore, SpreadOncePerCore
from schedule.inline import InlineBroadcasts
from schedule.joins import StorePart, StoreParts, joins
from schedule.kept import WalkAndKeep
from schedule.legalize import Legalize
from schedule.means import MEAN, MeanAsSum
from schedule.online import SumOnline
from schedule.order import GatherLoop, Reorder
from schedule.packed import PackStores
from schedule.phases import FirstPhase, SecondPhase
from schedule.reduced_parts import KeepNest, ReduceParts
from schedule.reduces import reduce_nodes
from schedule.redundant import DropRedundantBroadcasts
from schedule.share import ShareQueues
from schedule.split import BindBlock, BindCores, Fuse, Split
from schedule.splits import TakeSlices, splits
from schedule.stages import WalkPerReduce
from schedule.trace import Traced
from schedule.transform import Transform
from schedule.ub_filter import may_always_fit
from schedule.unaligned import PackRows
from schedule.vectorize import Align, Vectorize, row_pitch_elems


def cleaned(graph: Graph) -> Traced:
    """The graph without what it says twice."""
    pieces = (TakeSlices(),) if splits(graph) else ()
    return Traced(graph).then((*pieces, FoldScalarCasts(), DropCopies(), JoinBroadcasts(), DropUnread()))


def legal(clean: Traced, chip: Chip) -> Traced:
    """The graph in element types that the chip computes with, and without Means, whose partial results nothing joins."""
    means = (MeanAsSum(chip.cost_table),) if any(node.op == MEAN for node in clean.graph.nodes) else ()
    return clean.then((Legalize(chip.cost_table), DropNeedlessCasts(chip.cost_table), *means))


def over_few_axes(traced: Traced) -> Traced:
    """The graph over axes z0, z1 … that something varies over; what merges is left to each variant."""
    return traced.then((RenameAxes(), DropIdleAxes()))


def merged(traced: Traced) -> Traced:
    """The graph with neighbouring axes merged where every view walks them as one."""
    return traced.then(mergeable(traced.graph))


def part_of(start: Traced, kind: Kind, index: int) -> Traced:
    """The graph of one part, over its own axes: of a Concat, stored or reduced, or one group of stores."""
    match kind:
        case Kind.CONCAT_PARTS if len(joins(start.graph)) == 1:
            part: tuple[Transform, ...] = (StorePart(index),)
        case Kind.CONCAT_PARTS:
            part = (StoreParts(), KeepStores(index))
        case Kind.CONCAT_REDUCE:
            part = (ReduceParts(), KeepNest(index))
        case _:
            part = (KeepStores(index),)
    return merged(start.then((*part, DropIdleAxes())))


def parts_apart(graph: Graph) -> int:
    """How many nests the parts of a graph with Concats have: one for each part of a single one, else one for each group of stores."""
    found = joins(graph)
    return len(found[0].inputs) if len(found) == 1 else len(store_groups(StoreParts().apply(graph)))


@dataclass(frozen=True, slots=True)
class Phase:
    """A loop nest to make: a graph, its axes merged, and the case that cuts it."""

    start: Traced
    case: TilingCase


def phases(start: Traced, case: TilingCase) -> tuple[Phase, ...]:
    """What runs one after another in the template of a case. Raises ScheduleError where the case does not fit the graph."""
    match case.kind:
        case Kind.R_SPLIT | Kind.R_SPLIT_AGAIN:
            return (Phase(start, case), _joining_phase(start, case))
        case Kind.R_SPLIT_ONLINE:
            summed = start.then((SumOnline(), DropUnread()))
            return (Phase(summed.then((WalkPerReduce(case.walked),)), case), _joining_phase(summed, case))
        case Kind.CHUNKED | Kind.ONLINE:
            online = (SumOnline(), DropUnread()) if case.kind is Kind.ONLINE else ()
            walks = WalkAndKeep(case.walked, case.kept) if case.kept else WalkPerReduce(case.walked)
            return (Phase(start.then((*online, walks)), case),)
        case Kind.CONCAT_STORE:
            return (Phase(start.then((StoreParts(),)), case),)
        case Kind.CONCAT_PARTS | Kind.CONCAT_REDUCE | Kind.APART:
            return tuple(phase for i, own in enumerate(case.parts) for phase in phases(_numbered_part(start, case.kind, i), own))
        case _:
            return (Phase(start, case),)


def _numbered_part(start: Traced, kind: Kind, index: int) -> Traced:
    part = part_of(start, kind, index)
    return part.then((NumberAxes(index),)) if index else part


def _joining_phase(start: Traced, case: TilingCase) -> Phase:
    """A full-load reduce of the partial results that the first phase stored, over axes and unknowns of its own."""
    assert case.r is not None
    reduces = tuple(node.name for node in reduce_nodes(start.graph))
    partials = start.then((SecondPhase(reduces, case.r), NumberAxes(1)))
    groups = graph_groups(partials.graph, full_load=True)
    cut = case.r if case.r and numbered(case.r, 1) in groups.y else case.y
    return Phase(partials, TilingCase(kind=Kind.FULL_LOAD, groups=groups, y=numbered(cut, 1) if cut else None, r=None))


def nest(phase: Phase, chip: Chip, *, alone: bool) -> Traced:
    """The loop nest of a phase; `alone`: the template has no other. Raises ScheduleError where it does not fit the chip."""
    graph, case = phase.start.graph, phase.case
    looped = phase.start.then(nest_steps(graph, case)).then((LoadOncePerCore(),) if alone else ())
    laid_out = looped.then((Vectorize(), Align(row_pitch_elems(graph)), DropRedundantBroadcasts()))
    if case.inline:
        laid_out = laid_out.then((InlineBroadcasts(),))
    if case.packed:
        laid_out = laid_out.then((PackStores(),))
    if case.kind is Kind.UNALIGNED:
        laid_out = laid_out.then((PackRows(), SpreadOncePerCore()))
        check_dtypes(laid_out.graph, chip)
    placed = laid_out.then((Place(vecin_queues=chip.vecin_queues, vecout_queues=chip.vecout_queues),))
    return placed if may_always_fit(placed.graph, chip) else placed.then((ShareQueues(),))


def nest_steps(graph: Graph, case: TilingCase) -> tuple[Transform, ...]:
    """Cuts the axes of a case, shares the outer loops among cores, and orders the loops."""
    order = loop_order(graph)
    if case.kind in SHARED_KINDS:
        return _partial_steps(graph, case, order)
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
    return (*steps, GatherLoop()) if r_loops and not case.walks_again else tuple(steps)


def _partial_steps(graph: Graph, case: TilingCase, order: tuple[str, ...]) -> tuple[Transform, ...]:
    """Every core has a chunk of the tiles of the reduced axis and a tile of the parallel one, and leaves a partial result."""
    assert case.r is not None
    reduces = tuple(node.name for node in reduce_nodes(graph))
    tiles, chunk = f"{case.r}T", f"{case.r}TT"
    cores = (chunk, *_loops(order, case.groups.y, case.y))
    turns = (f"{case.r}Tt", *(axis for axis in case.walked if axis != case.r))
    steps: list[Transform] = [Split(case.r), Split(tiles), FirstPhase(reduces, (chunk,)), *((Split(case.y),) if case.y else ())]
    block, steps = _fused(cores, steps)
    loop, steps = _fused(turns, [*steps, BindCores(block)])
    looped = {*cores, *turns}
    vectorized = tuple(f"{axis}t" if axis in (case.y, case.r) else axis for axis in order if axis not in looped)
    return (*steps, Reorder((f"{block}B", f"{block}b", loop), vectorized), GatherLoop())


def _loops(order: tuple[str, ...], group: tuple[str, ...], cut: str | None) -> tuple[str, ...]:
    """Axes of a group outside its cut axis, and the tiles of that one."""
    if cut is None:
        return ()
    return (*(axis for axis in order[: order.index(cut)] if axis in group), f"{cut}T")


def _fused(loops: tuple[str, ...], steps: list[Transform]) -> tuple[str, list[Transform]]:
    return "".join(loops), [*steps, Fuse(loops)] if len(loops) > 1 else steps
