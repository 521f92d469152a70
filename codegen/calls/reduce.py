"""Reduces of a tile, by where the reduced axes lie in UB.

    [rows, r]      the library reduce by rows (pattern AR); what pads a row is filled with the identity first
    [r, block]     blocks are folded in halves with the merging instruction
    [a, ...]       a loop over a kept axis
    [r, a, r]      a loop over a reduced axis: each turn makes a partial result, which is merged

The library wants rows at a pitch of their own length rounded up to 32 bytes (ascendc_api_facts §7.3), so it is told the whole padded row.
A cut reduce accumulates over the inner loop in the same way: the first turn writes the result, later ones a partial result.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from att.expr.core import Expr, add, align_up, floor_div, mul, symbol
from att.ops.extents import BLOCK_BYTES, occupied
from att.ops.registry import spec_of
from codegen.calls.argmax import arg_max
from codegen.calls.axes import ONE, ZERO, TileAxis, extent, room, tile_axes
from codegen.calls.gaps import fill_gaps
from codegen.calls.transfer import counted, element
from codegen.literals import literal
from codegen.operands import TMP, Operand, Site

_FOLDS: Final[Mapping[str, str]] = MappingProxyType({"Add": "ADD", "Mul": "MUL", "Max": "MAX", "Min": "MIN"})
"""Merging instruction to the name of its fold in the device helpers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """What is reduced: the operand, or a copy of it in the temporary area."""

    text: str
    storage: str
    bytes: Expr = ZERO
    """What the copy takes there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """One piece of the reduce: where it starts, and the reduced loops around it."""

    source: _Source
    offset: Expr = ZERO
    """First element in the source."""
    target: Expr = ZERO
    """First element in the result."""
    loops: tuple[str, ...] = ()
    """Indices of reduced loops; the result accumulates over all of them."""


def reduce(site: Site) -> None:
    """The whole tile."""
    if site.api == "ArgMax":
        arg_max(site)
        return
    if site.api == "ReduceMean":
        raise site.error("the library's mean divides by the padded length", "schedule the graph again: it sums, then multiplies by 1/n")
    x = site.inputs[0]
    axes = tile_axes(site, x.view, site.output.view)
    reduced = [axis for axis in axes if not axis.shared]
    if not reduced:
        _of_one(site, x)
        return
    source = _truth_values(site, x) if site.node.op in ("Any", "All") else _Source(text=x.text, storage=x.storage)
    if any(room(axes, i) != axes[i].dim for i in _filled(axes)):
        fill_gaps(site, (source.text, source.storage), literal(_identity(site), x.dtype), axes, _filled(axes))
    _outward(site, axes, _Part(source=source, loops=(site.turn.name,) if site.turn is not None else ()))


def _of_one(site: Site, x: Operand) -> None:
    """Over axes of one element: whether each element is true; other reduces of one element are dropped from the graph."""
    if site.node.op not in ("Any", "All"):
        raise site.error("it reduces no axis of the tile")
    site.body.uses("TruthRows")
    site.vector(f"TruthRows({site.output.text}, {x.text}, {site.count(x)});")


def _truth_values(site: Site, x: Operand) -> _Source:
    """The operand as 0 and 1, behind the partial result in the temporary area."""
    offset = site.partial_bytes()
    copy = f"{element(site.scope, TMP, offset)}.ReinterpretCast<{x.cxx_type}>()"
    site.body.uses("TruthRows")
    site.body.vector(f"TruthRows({copy}, {x.text}, {site.count(x)});", reads={x.storage}, writes={TMP})
    full = site.scope.full_call(site.node).inputs[0]
    return _Source(text=copy, storage=TMP, bytes=align_up(mul(occupied(full), x.dtype.bytes), BLOCK_BYTES))


def _outward(site: Site, axes: tuple[TileAxis, ...], part: _Part) -> None:
    """Loops over axes until one library call or fold can do the rest."""
    inner = _simple(axes)
    if inner == 0:
        _reduce_part(site, axes, part)
        return
    head = axes[0]
    index = symbol(site.scope.names.fresh(f"{head.name}_at"), 0, max(0, head.dim.hi - 1))
    with counted(site.scope, site.body, index, head.dim):
        moved = replace(
            part,
            offset=add(part.offset, mul(index, head.stride)),
            target=add(part.target, mul(index, head.other)),
            loops=part.loops if head.shared else (*part.loops, index.name),
        )
        _outward(site, axes[1:], moved)


def _simple(axes: tuple[TileAxis, ...]) -> int:
    """How many outer axes must be loops before the rest is one call: `[a] [r …]` or `[r …] [a …]`."""
    start = len(axes)
    innermost_shared = axes[-1].shared
    while start > 0 and axes[start - 1].shared == innermost_shared:
        start -= 1
    if innermost_shared:
        while start > 0 and not axes[start - 1].shared:
            start -= 1
        return start
    return max(0, start - 1) if start > 0 and axes[start - 1].shared else start


def _reduce_part(site: Site, axes: tuple[TileAxis, ...], part: _Part) -> None:
    """One library call or fold, and the merge of its result where it is a partial one."""
    emit = _by_blocks if axes[-1].shared else _by_rows
    target = element(site.scope, site.output.text, part.target)
    if not part.loops:
        emit(site, axes, target, part)
        return
    partial = f"{TMP}.ReinterpretCast<{site.output.cxx_type}>()"
    result = site.scope.names.fresh(f"{site.output.text.removesuffix('Local')}Result")
    first = " && ".join(f"{loop} == 0" for loop in part.loops)
    site.body.line(f"const LocalTensor<{site.output.cxx_type}> {result} = {first} ? {target} : {partial};")
    count = emit(site, axes, result, part)
    with site.body.loop(f"if ({' || '.join(f'{loop} > 0' for loop in part.loops)})"):
        site.again(f"{_merge(site)}({target}, {target}, {partial}, {count});", scratch=True)


def _by_rows(site: Site, axes: tuple[TileAxis, ...], result: str, part: _Part) -> str:
    """Pattern AR; returns how many results there are."""
    x = site.inputs[0]
    scope = site.scope
    rows, inner = (axes[0].dim, axes[1:]) if axes[0].shared else (ONE, axes)
    length = axes[0].stride if axes[0].shared else extent(inner)
    if not x.dtype.is_float:
        return _by_integer_rows(site, result, part, (rows, length))
    shape = scope.names.fresh(f"{site.output.text.removesuffix('Local')}Shape")
    site.body.line(f"const uint32_t {shape}[2] = {{{_u32(scope.text(rows))}, {_u32(scope.text(length))}}};")
    source = element(scope, part.source.text, part.offset)
    text = f"{site.api}<{x.cxx_type}, Pattern::Reduce::AR>({result}, {source}, {_tmp(site, part)}, {shape}, true);"
    site.body.vector(text, reads={part.source.storage, TMP}, writes={site.output.storage, TMP})
    return scope.text(rows)


def _by_integer_rows(site: Site, result: str, part: _Part, shape: tuple[Expr, Expr]) -> str:
    """The library has no reduce of integers; Sum is the only such op."""
    if site.api != "ReduceSum":
        raise site.error(f"rows of {site.inputs[0].dtype} have no library reduce on arch 2201", "cast to float32 first")
    scope = site.scope
    site.body.uses("SumRowsOfIntegers")
    rows, length = (scope.text(size) for size in shape)
    text = f"SumRowsOfIntegers({result}, {element(scope, part.source.text, part.offset)}, {_tmp(site, part)}, {rows}, {length});"
    site.body.vector(text, reads={part.source.storage, TMP}, writes={site.output.storage, TMP})
    return rows


def _by_blocks(site: Site, axes: tuple[TileAxis, ...], result: str, part: _Part) -> str:
    """Halves of the rows are folded onto each other; returns how many elements a row has."""
    x = site.inputs[0]
    scope = site.scope
    last = max(i for i, axis in enumerate(axes) if not axis.shared)
    pitch = axes[last].stride
    rows = floor_div(extent(axes), pitch)
    elems = extent(axes[last + 1 :])
    site.body.uses("FoldRows")
    source = element(scope, part.source.text, part.offset)
    tmp = f"{_tmp(site, part)}.ReinterpretCast<{x.cxx_type}>()"
    numbers = ", ".join(scope.text(n) for n in (rows, pitch, elems))
    text = f"FoldRows<Fold::{_FOLDS[_merge(site)]}>({result}, {source}, {tmp}, {numbers});"
    site.body.vector(text, reads={part.source.storage, TMP}, writes={site.output.storage, TMP})
    return scope.text(elems)


def _merge(site: Site) -> str:
    """Instruction that joins two partial results."""
    reduction = site.spec.reduction
    if reduction is None:
        raise site.error("it is a reduce without a meaning")
    merging = spec_of(reduction.merge).api if reduction.merge else None
    if merging is None or merging.name not in _FOLDS:
        raise site.error("its partial results cannot be merged")
    return merging.name


def _tmp(site: Site, part: _Part) -> str:
    """What the call may use of the temporary area: all behind the partial result and the copy of the operand."""
    return element(site.scope, TMP, add(site.partial_bytes(), part.source.bytes))


def _filled(axes: tuple[TileAxis, ...]) -> range:
    """Axes of the innermost reduced run that are read in their whole padded length: of blocks all but the first, whose rows are counted."""
    last = max(i for i, axis in enumerate(axes) if not axis.shared)
    first = last
    while first > 0 and not axes[first - 1].shared:
        first -= 1
    return range(first + 1 if axes[-1].shared else max(first, 1), last + 1)


def _identity(site: Site) -> float:
    reduction = site.spec.reduction
    if reduction is None or reduction.identity is None:
        raise site.error("it has no value that changes no result")
    return reduction.identity


def _u32(text: str) -> str:
    return text if text.isdecimal() else f"static_cast<uint32_t>({text})"
