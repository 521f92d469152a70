"""Loads and stores: DataCopyPad with the blocks, gaps and loops of the transfer (`att.ops.dma`), nothing more and nothing less.

Gaps are bytes in GM and 32-byte blocks in UB (ascendc_api_facts §9.1, §9.2). Where elements lie apart in GM, each is a block of its own and
takes 32 bytes in UB: they pass through the temporary area, and the vector unit brings them together or spreads them (`att.ops.blocks`).
Elements picked by index are an instruction each, and a row of them is brought together at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Final

from att.errors import EmitError
from att.expr.core import Expr, Sym, add, integer, mul, symbol
from att.ir.axis import MAX_SIZE
from att.ir.node import Node
from att.ops.blocks import blocks_bytes
from att.ops.dma import Transfer, TransferAxis, transfer_of
from att.ops.extents import BLOCK_BYTES
from codegen.body import Body
from codegen.dtypes import cxx_type
from codegen.operands import TMP
from codegen.scope import Scope

ZERO = integer(0)

_SPREAD: Final = {4: ("float", "uint32_t"), 2: ("half", "uint16_t")}
"""Types that move elements of a width between blocks, and the type of their lane mask."""


Place = tuple[tuple[Sym, TransferAxis], ...]
"""Counters of the loops around an instruction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedRows:
    """Rows that are loaded by index: the outermost loops of the transfer are those over the indices."""

    indices: str
    """The `LocalTensor` of the indices."""
    strides: tuple[Expr, ...]
    """Distance of two indices along each of these loops, elements."""
    row_stride: Expr
    """Distance of two rows of the table in GM, elements."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """One Load or Store to write."""

    scope: Scope
    body: Body
    node: Node
    ub: str
    """The `LocalTensor`."""
    storage: str
    gm: str
    """The `GlobalTensor`."""
    transfer: Transfer
    gm_gap_bytes: Expr
    """Of the transfer, from the end of a block to the start of the next."""
    rows: IndexedRows | None = None
    """For a load by index: where its rows lie."""

    @property
    def cxx_type(self) -> str:
        """Element type."""
        return cxx_type(self.transfer.dtype)


def make_move(scope: Scope, body: Body, node: Node, ub: tuple[str, str], gm: str) -> Move:
    """The move of a Load or Store; `ub` is the tensor and its storage. Raises EmitError for one that DataCopyPad cannot do."""
    transfer = scope.transfer(scope.call(node).output)
    gap = transfer.gm_gap_bytes
    move = Move(scope=scope, body=body, node=node, ub=ub[0], storage=ub[1], gm=gm, transfer=transfer, gm_gap_bytes=gap)
    if len(transfer.blocks) > 1:
        raise _error(move, f"a transfer of {len(transfer.blocks) + 1} dims has no DataCopyPad", "choose a chip of arch 2201")
    if transfer.blocks and gap.hi < 0:
        raise _error(move, "its blocks overlap in GM, which no transfer can do", "give it a stride of at least its row")
    return move


def _error(move: Move, message: str, hint: str) -> EmitError:
    return EmitError(message, where=f"{move.scope.graph.name}, node {move.node.name}", hint=hint)


def load(move: Move) -> None:
    """GM to UB."""
    transfer, body = move.transfer, move.body
    body.uses("NoPadding")
    pad = f"NoPadding<{move.cxx_type}>()"
    if not transfer.contiguous:
        _load_elements(move, pad)
        return
    params = _params(move.scope, transfer, move.gm_gap_bytes, transfer.ub_gap_blocks)
    _loops(move, lambda at: body.transfer(f"DataCopyPad({_ub_of(move, at)}, {_gm_of(move, at)}, {params}, {pad});"), transfer.loops)


def store(move: Move) -> None:
    """UB to GM."""
    transfer, body = move.transfer, move.body
    if not transfer.contiguous:
        _store_elements(move)
        return
    params = _params(move.scope, transfer, transfer.ub_gap_blocks, move.gm_gap_bytes)
    _loops(move, lambda at: body.transfer(f"DataCopyPad({_gm_of(move, at)}, {_ub_of(move, at)}, {params});"), transfer.loops)


def _load_elements(move: Move, pad: str) -> None:
    """Elements to blocks of the temporary area, then together."""
    body, transfer = move.body, move.transfer
    params = _params(move.scope, transfer, move.gm_gap_bytes, ZERO)
    count = move.scope.text(transfer.together)
    if transfer.dtype.bytes == 1:
        pad = f"DataCopyPadExtParams<{move.cxx_type}>(true, 0, 1, 0)"
    body.uses("Handshake")
    blocks = f"{TMP}.ReinterpretCast<{move.cxx_type}>()"

    def emit(at: Place) -> None:
        body.line("Handshake<HardEvent::V_MTE2>(pipe);")
        if transfer.singles:
            _load_singles(move, at, blocks, f"{params}, {pad}")
        else:
            body.transfer(f"DataCopyPad({blocks}, {_gm_of(move, at)}, {params}, {pad});")
        body.line("Handshake<HardEvent::MTE2_V>(pipe);")
        body.vector(_together(move, _ub_of(move, at), count), reads={TMP}, writes={move.storage, TMP})

    _loops(move, emit, transfer.loops[:-1] if transfer.singles else transfer.loops)


def _load_singles(move: Move, at: Place, blocks: str, rest: str) -> None:
    """Each element of a row into a block of its own."""

    def emit(lane: Place) -> None:
        ((index, _),) = lane
        to = element(move.scope, blocks, mul(index, BLOCK_BYTES // move.transfer.dtype.bytes))
        move.body.transfer(f"DataCopyPad({to}, {_gm_of(move, (*at, *lane))}, {rest});")

    _loops(move, emit, move.transfer.loops[-1:])


def _together(move: Move, ub: str, count: str) -> str:
    """The call that brings the first element of every block together."""
    match move.transfer.dtype.bytes:
        case 1:
            move.body.uses("GatherBytes")
            return f"GatherBytes({ub}, {TMP}, {_behind(move)}, {count});"
        case 8:
            move.body.uses("GatherWide")
            return f"GatherWide({ub}, {TMP}, {count});"
        case width:
            kind, mask = _SPREAD[width]
            move.body.uses("GatherBlocks")
            bits = f"{_behind(move)}.ReinterpretCast<{mask}>()"
            return f"GatherBlocks({_as(ub, move, kind)}, {TMP}.ReinterpretCast<{kind}>(), {bits}, {count});"


def _store_elements(move: Move) -> None:
    """Elements to blocks of the temporary area, then apart."""
    body, transfer = move.body, move.transfer
    gap = integer(1 if transfer.dtype.bytes == 8 else 0)
    params = _params(move.scope, transfer, gap, move.gm_gap_bytes)
    count = move.scope.text(transfer.block_count)
    body.uses("Handshake")

    def emit(at: Place) -> None:
        body.vector(_spread(move, _ub_of(move, at), count), reads={move.storage}, writes={TMP})
        body.line("Handshake<HardEvent::V_MTE3>(pipe);")
        body.transfer(f"DataCopyPad({_gm_of(move, at)}, {TMP}.ReinterpretCast<{move.cxx_type}>(), {params});")
        body.line("Handshake<HardEvent::MTE3_V>(pipe);")

    _loops(move, emit, transfer.loops)


def _spread(move: Move, ub: str, count: str) -> str:
    """The call that gives every element a block."""
    match move.transfer.dtype.bytes:
        case 1:
            move.body.uses("SpreadBytes")
            return f"SpreadBytes({TMP}, {ub}, {_behind(move)}, {count});"
        case 8:
            move.body.uses("SpreadWide")
            return f"SpreadWide({TMP}, {ub}, {count});"
        case width:
            kind, _ = _SPREAD[width]
            move.body.uses("SpreadBlocks")
            return f"SpreadBlocks({TMP}.ReinterpretCast<{kind}>(), {_as(ub, move, kind)}, {count});"


def _behind(move: Move) -> str:
    """The temporary area behind the blocks of a full tile."""
    full = transfer_of(move.scope.full_call(move.node).output, move.scope.chip)
    return f"{TMP}[{move.scope.text(blocks_bytes(full, move.node.op))}]"


def _as(tensor: str, move: Move, kind: str) -> str:
    return tensor if kind == move.cxx_type else f"{tensor}.ReinterpretCast<{kind}>()"


def gm_offset(scope: Scope, node: Node) -> Expr:
    """First element of this iteration's tile in GM: the node's offset, and position times stride of every looped axis."""
    offset = node.attrs.get("offset", 0)
    if not isinstance(offset, (int, Expr)):
        raise EmitError(f"offset {offset!r} is no number", where=node.name)
    view, inside = node.output, set(scope.nest.vectorized)
    looped = [(axis, stride) for axis, stride in zip(view.axes, view.strides, strict=True) if axis not in inside and stride != ZERO]
    return add(*(mul(scope.index(axis), stride) for axis, stride in looped), offset)


def _params(scope: Scope, transfer: Transfer, source_gap: Expr, target_gap: Expr) -> str:
    """Nothing is cast to the width of its field: what does not fit must be seen, not cut off."""
    fields = (transfer.block_count, transfer.block_len_bytes, source_gap, target_gap)
    return f"DataCopyExtParams({', '.join(scope.text(field) for field in fields)}, 0)"


def _loops(move: Move, emit: Callable[[Place], None], axes: Sequence[TransferAxis]) -> None:
    """The instruction inside loops of the transfer."""
    scope, at = move.scope, list[tuple[Sym, TransferAxis]]()
    with ExitStack() as stack:
        for axis in axes:
            index = symbol(scope.names.fresh("slab"), 0, max(0, axis.dim.hi - 1))
            at.append((index, axis))
            stack.enter_context(counted(scope, move.body, index, axis.dim))
        emit(tuple(at))


def _ub_of(move: Move, at: Place) -> str:
    return element(move.scope, move.ub, add(0, *(mul(i, axis.ub_stride) for i, axis in at)))


def _gm_of(move: Move, at: Place) -> str:
    offset = add(gm_offset(move.scope, move.node), *(mul(i, axis.gm_stride) for i, axis in at), _row_offset(move, [i for i, _ in at]))
    return element(move.scope, move.gm, offset)


def _row_offset(move: Move, at: list[Sym]) -> Expr:
    """Where the row of the current index begins in the table; the scalar unit reads the index."""
    if move.rows is None:
        return ZERO
    scope = move.scope
    lane = add(0, *(mul(i, stride) for i, stride in zip(at, move.rows.strides, strict=False)))
    row = symbol(scope.names.fresh("tableRow"), 0, MAX_SIZE)
    move.body.line(f"const int64_t {row.name} = {move.rows.indices}.GetValue({scope.text(lane)});")
    return mul(row, move.rows.row_stride)


@contextmanager
def counted(scope: Scope, body: Body, index: Sym, turns: Expr) -> Generator[None]:
    """A counting loop."""
    with body.loop(f"for (int64_t {index.name} = 0; {index.name} < {scope.text(turns)}; ++{index.name})", turns):
        yield


def element(scope: Scope, name: str, offset: Expr) -> str:
    """`name[offset]`, or the name alone where the offset is 0."""
    return name if offset == ZERO else f"{name}[{scope.text(offset)}]"
