"""Why a template exists and what called for it, in sentences for `att schedule`.

general.z0.z1    tiles of z0 are shared among cores; z1 is cut and accumulates in one core, so that any length fits
Sum total is the only reduce, its parts merge by Add, and nothing after it varies over z1 again
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from att.ir.graph import Graph, Why
from att.ir.node import Node
from att.ir.roles import varying_axes
from att.ops.indexed import ROWS_OP
from att.ops.joins import joined_axis
from att.ops.registry import spec_of
from att.ops.spec import ComputeType
from schedule.apart import store_groups
from schedule.axes import loop_order
from schedule.cases import Kind, TilingCase
from schedule.joins import joins
from schedule.lookups import lookups
from schedule.online import patterns
from schedule.reduced_parts import joining_reduces
from schedule.reduces import general_is_legal, reduce_nodes, why_not_chunked, why_not_general
from schedule.transposes import transposes


def why(graph: Graph, case: TilingCase) -> Why:
    """Purpose and trigger of the template of a case."""
    parts = [_shared(graph, case), *_PURPOSES[case.kind](case)]
    trigger = _TRIGGERS[case.kind](graph, case)
    if case.inline:
        parts.append("instructions repeat a row themselves, which saves the call and the UB of its Broadcast")
        trigger += "; a Broadcast of rows is read by binary instructions only"
    if case.packed:
        parts.append("rows are packed in UB before they are stored, so that a tile leaves as one stretch of bytes")
        trigger += "; rows that are stored may be no whole blocks of 32 bytes, and lie side by side in GM"
    if case.kept:
        parts.append(f"{case.kept} is made by its first walk only, which keeps it in workspace for the later ones")
        trigger += f"; making {case.kept} takes several loads or a library op, and later walks need it"
    if case.unrolled:
        axes = _and(case.unrolled)
        parts.append(f"the elements of {axes} are joined one after another, so that no row is reduced")
        trigger += f"; {axes} is short, and no load has it innermost"
    if case.kind is not Kind.GATHER_ROWS and _by_index(graph):
        parts.extend(_gather_rows_purpose(case))
    if case.reuse:
        axes = " and ".join(case.whole or case.groups.r)
        how = "stays whole in UB" if case.whole else "is walked inside a core, tile by tile"
        parts.append(f"{axes} {how}, so that a tile of {case.reuse} is loaded once and not for each {axes}")
        trigger += f"; {case.reuse} does not vary over {axes}"
    return Why(template=case.name, purpose="; ".join(parts), trigger=trigger)


def _shared(graph: Graph, case: TilingCase) -> str:
    """How the parallel axes are walked."""
    if case.parts:
        return "every part has loops of its own, and one runs after another"
    if case.y is None:
        return "one core works, nothing is parallel"
    order = [axis for axis in loop_order(graph) if axis in case.looped]
    at = order.index(case.y)
    outer, inner = order[:at], order[at + 1 :]
    looped = f", for one {_and(outer)} at a time" if outer else ""
    whole = f", with {_and(inner)} whole in UB" if inner else ""
    return f"tiles of {case.y} are shared among cores{looped}{whole}"


def _general_purpose(case: TilingCase) -> list[str]:
    return [f"{case.r} is cut and accumulates in one core, so that any length fits"] if case.r and (case.whole or not case.reuse) else []


def _unaligned_purpose(case: TilingCase) -> list[str]:
    del case
    return ["rows lie side by side in UB, so that a tile is one stretch of bytes on its way in and out; RemovePad packs what is broadcast"]


def _full_load_purpose(case: TilingCase) -> list[str]:
    return [f"{_and(case.groups.n)} stays whole in UB: it is loaded once, and no partial results are merged"]


def _r_split_purpose(case: TilingCase) -> list[str]:
    return [f"before that, chunks of {case.r} are shared among cores too, and each leaves a partial result in workspace"]


def _r_split_again_purpose(case: TilingCase) -> list[str]:
    return [*_r_split_purpose(case), f"then cores share tiles of {case.r} once more, each joining the partial results of its rows"]


def _r_split_online_purpose(case: TilingCase) -> list[str]:
    return [*_r_split_purpose(case), "sums follow the maximum of their chunk, and are brought to that of the row where chunks are joined"]


def _chunked_purpose(case: TilingCase) -> list[str]:
    return [f"{_and(case.walked)} is walked once per reduce, tile by tile, each walk making again what it needs, so that any row fits"]


def _online_purpose(case: TilingCase) -> list[str]:
    return [f"{_and(case.walked)} is walked tile by tile; sums follow the maximum while it is being found, and need no walk of their own"]


def _transpose_purpose(case: TilingCase) -> list[str]:
    loop = f"tiles of {case.r} are walked inside a core, and " if case.r else ""
    return [f"{loop}the vector unit transposes each tile, so that both sides move whole rows"]


def _concat_purpose(case: TilingCase) -> list[str]:
    del case
    return ["parts are joined in UB, so that whole rows are stored"]


def _concat_store_purpose(case: TilingCase) -> list[str]:
    del case
    return ["each part is stored to its place, which takes no room and no work in UB"]


def _concat_parts_purpose(case: TilingCase) -> list[str]:
    cuts = tuple(axis for own in case.parts for axis in (own.y, own.r) if axis)
    return [f"each part is stored to its place{f', in tiles of {_and(cuts)}' if cuts else ''}"]


def _concat_reduce_purpose(case: TilingCase) -> list[str]:
    cuts = tuple(axis for own in case.parts for axis in (own.y, own.r) if axis)
    return [f"each part is reduced where it lies{f', in tiles of {_and(cuts)}' if cuts else ''}, and partial results meet in workspace"]


def _apart_purpose(case: TilingCase) -> list[str]:
    cuts = tuple(axis for own in case.parts for axis in (own.y, own.r) if axis)
    return [f"each group of stores has a nest of its own{f', in tiles of {_and(cuts)}' if cuts else ''}"]


def _gather_purpose(case: TilingCase) -> list[str]:
    return [f"elements are picked from rows that lie whole in UB{f' over {_and(case.groups.n)}' if case.groups.n else ''}"]


def _gather_rows_purpose(case: TilingCase) -> list[str]:
    del case
    return ["for each index a row of the table is loaded, which never lies in UB as a whole"]


def _general_trigger(graph: Graph, case: TilingCase) -> str:
    reduces = reduce_nodes(graph)
    if not reduces or case.r is None:
        return f"nothing is reduced, and {case.y} is longer than one element" if case.y else "nothing is reduced"
    reduce, *others = reduces
    if others:
        named = _and(tuple(f"{n.op} {n.name}" for n in reduces))
        return f"{named} do not wait for each other, their parts merge, and nothing after them varies over {case.r} again"
    reduction = spec_of(reduce.op).reduction
    merge = f"by {reduction.merge}" if reduction and reduction.merge else "by the element that each is the place of"
    return f"{reduce.op} {reduce.name} is the only reduce, its parts merge {merge}, and nothing after it varies over {case.r} again"


def _unaligned_trigger(graph: Graph, case: TilingCase) -> str:
    del case
    spread = ", ".join(f"{n.op} {n.name}" for n in graph.nodes if spec_of(n.op).compute is ComputeType.BROADCAST)
    return f"nothing is reduced, tiles lie side by side in GM, and {spread} makes rows that may not be whole blocks of 32 bytes"


def _full_load_trigger(graph: Graph, case: TilingCase) -> str:
    reduces = reduce_nodes(graph)
    named = ", ".join(f"{n.op} {n.name}" for n in reduces)
    over = f"{named} over {_and(case.groups.n)}"
    if general_is_legal(graph, reduces):
        return over
    return f"{over}, which cannot be cut" if why_not_chunked(graph) else f"{over}, for which one walk is not enough"


def _r_split_trigger(graph: Graph, case: TilingCase) -> str:
    return f"{_general_trigger(graph, case)}; there may be fewer rows than cores"


def _r_split_again_trigger(graph: Graph, case: TilingCase) -> str:
    named = _and(tuple(f"{n.op} {n.name}" for n in reduce_nodes(graph)))
    return f"what follows {named} varies over {case.r} again; there may be fewer rows than cores"


def _r_split_online_trigger(graph: Graph, case: TilingCase) -> str:
    return f"{_online_trigger(graph, case)}; there may be fewer rows than cores"


def _chunked_trigger(graph: Graph, case: TilingCase) -> str:
    del case
    return f"{why_not_general(graph)}; the rows may be too long to stay whole in UB"


def _online_trigger(graph: Graph, case: TilingCase) -> str:
    sums = ", ".join(f"Sum {p.total.name} of Exp(x - {p.maximum.name})" for p in patterns(graph))
    return f"{_chunked_trigger(graph, case)}; {sums} can be brought from one maximum to the next by a factor"


def _transpose_trigger(graph: Graph, case: TilingCase) -> str:
    del case
    named = ", ".join(node.name for node in transposes(graph))
    return f"Transpose {named} moves the innermost axis, and every value keeps one of its two orders"


def _concat_trigger(graph: Graph, case: TilingCase) -> str:
    del case
    return "; ".join(f"{_join(graph, node)}, and axes lie before it" for node in joins(graph))


def _parts_trigger(graph: Graph, case: TilingCase) -> str:
    del case
    return "; ".join(f"{_join(graph, node)}, which nothing reduces" for node in joins(graph))


def _concat_reduce_trigger(graph: Graph, case: TilingCase) -> str:
    del case
    joined = "; ".join(_join(graph, node) for node in joins(graph))
    named = _and(tuple(f"{n.op} {n.name}" for n in joining_reduces(graph)))
    return f"{joined}; partial results of {named} can be merged"


def _apart_trigger(graph: Graph, case: TilingCase) -> str:
    del case
    axes = {names[0]: varying_axes(graph.node_of[names[0]].output) for names in store_groups(graph)}
    stores = "; ".join(f"Store {name} varies over {_and(mine) or 'nothing'}" for name, mine in axes.items())
    every = {axis for mine in axes.values() for axis in mine}
    walks = any(set(mine) == every for mine in axes.values())
    return f"{stores}: {'their reduces fold different axes' if walks else 'none of them over all'}"


def _join(graph: Graph, node: Node) -> str:
    return f"{node.op} {node.name} joins {len(node.inputs)} parts along {joined_axis(graph, node)}"


def _gather_trigger(graph: Graph, case: TilingCase) -> str:
    del case
    return f"{_and(tuple(f'{n.op} {n.name}' for n in lookups(graph)))} picks along the innermost axis of its table"


def _gather_rows_trigger(graph: Graph, case: TilingCase) -> str:
    del case
    return f"{_and(_by_index(graph))} picks from a kernel input by indices that are a kernel input"


def _by_index(graph: Graph) -> tuple[str, ...]:
    return tuple(n.name for n in graph.nodes if n.op == ROWS_OP)


_PURPOSES: Final[Mapping[Kind, Callable[[TilingCase], list[str]]]] = MappingProxyType(
    {
        Kind.GENERAL: _general_purpose,
        Kind.UNALIGNED: _unaligned_purpose,
        Kind.FULL_LOAD: _full_load_purpose,
        Kind.R_SPLIT: _r_split_purpose,
        Kind.R_SPLIT_AGAIN: _r_split_again_purpose,
        Kind.R_SPLIT_ONLINE: _r_split_online_purpose,
        Kind.CHUNKED: _chunked_purpose,
        Kind.ONLINE: _online_purpose,
        Kind.TRANSPOSE: _transpose_purpose,
        Kind.CONCAT: _concat_purpose,
        Kind.CONCAT_STORE: _concat_store_purpose,
        Kind.CONCAT_PARTS: _concat_parts_purpose,
        Kind.CONCAT_REDUCE: _concat_reduce_purpose,
        Kind.APART: _apart_purpose,
        Kind.GATHER: _gather_purpose,
        Kind.GATHER_ROWS: _gather_rows_purpose,
    }
)
_TRIGGERS: Final[Mapping[Kind, Callable[[Graph, TilingCase], str]]] = MappingProxyType(
    {
        Kind.GENERAL: _general_trigger,
        Kind.UNALIGNED: _unaligned_trigger,
        Kind.FULL_LOAD: _full_load_trigger,
        Kind.R_SPLIT: _r_split_trigger,
        Kind.R_SPLIT_AGAIN: _r_split_again_trigger,
        Kind.R_SPLIT_ONLINE: _r_split_online_trigger,
        Kind.CHUNKED: _chunked_trigger,
        Kind.ONLINE: _online_trigger,
        Kind.TRANSPOSE: _transpose_trigger,
        Kind.CONCAT: _concat_trigger,
        Kind.CONCAT_STORE: _parts_trigger,
        Kind.CONCAT_PARTS: _parts_trigger,
        Kind.CONCAT_REDUCE: _concat_reduce_trigger,
        Kind.APART: _apart_trigger,
        Kind.GATHER: _gather_trigger,
        Kind.GATHER_ROWS: _gather_rows_trigger,
    }
)


def _and(names: Sequence[str]) -> str:
    return " and ".join(names)
