"""The text of queues and buffers: declaration, set-up, and the life of a queue buffer (ascendc_api_facts §3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from att.errors import EmitError
from att.expr.core import Sym, integer
from att.ir.node import Node
from att.ir.tensor import Position
from codegen.body import Body
from codegen.dtypes import cxx_type
from codegen.operands import TMP
from codegen.scope import Scope
from codegen.storage import Holder, Storage, Value
from codegen.tiling_data import BufferField

ZERO: Final = integer(0)

StoreText = Callable[[Node], None]
"""Writes one Store."""


class QueueText:
    """Writes what happens to one queue buffer."""

    def __init__(self, holder: Holder, scope: Scope, body: Body) -> None:
        self.holder = holder
        self._scope = scope
        self._body = body
        self._declared = False
        self.allocated = False
        self.ready = False
        """Whether the vector unit may read it: an output always, an input after DeQue."""

    def allocate(self) -> None:
        """AllocTensor."""
        self.allocated = True
        self.ready = not self.holder.is_input
        self._hold("AllocTensor")

    def hand_over(self) -> None:
        """EnQue: what was written is on its way to the next pipe."""
        self._body.line(f"{self.holder.queue}.EnQue({self.holder.tensor});")

    def receive(self) -> None:
        """DeQue: the next pipe waits for it."""
        self.ready = True
        self._hold("DeQue")

    def free(self) -> None:
        """FreeTensor."""
        self._body.line(f"{self.holder.queue}.FreeTensor({self.holder.tensor});")

    def finish(self, store: StoreText) -> None:
        """Stores and frees, after the last vector call."""
        holder = self.holder
        if holder.is_input and not self.ready:
            self.receive()
        if not holder.is_input:
            self.hand_over()
            self.receive()
        fenced = holder.is_input and bool(holder.stores) and not holder.copies
        if fenced:
            self._body.uses("Handshake")
            self._body.line("Handshake<HardEvent::V_MTE3>(pipe);")
        for value in holder.values:
            for node in holder.stores:
                if value.node.name in node.inputs:
                    store(node)
        if fenced:
            self._body.line("Handshake<HardEvent::MTE3_V>(pipe);")
        self.free()

    def _hold(self, call: str) -> None:
        holder = self.holder
        kind = "uint8_t" if holder.packed else cxx_type(holder.values[0].node.output.dtype)
        declared = "" if self._declared else f"LocalTensor<{kind}> "
        self._body.line(f"{declared}{holder.tensor} = {holder.queue}.{call}<{kind}>();")
        if holder.packed:
            for value in holder.values:
                self._body.line(self._member(value))
        self._declared = True

    def _member(self, value: Value) -> str:
        kind = cxx_type(value.node.output.dtype)
        offset = value.offset_bytes
        base = self.holder.tensor if offset == ZERO else f"{self.holder.tensor}[{self._scope.text(offset)}]"
        declared = "" if self._declared else f"LocalTensor<{kind}> "
        return f"{declared}{value.name} = {base}.ReinterpretCast<{kind}>();"


def setup_lines(storage: Storage, fields: Mapping[str, BufferField], *, tmp_is_used: bool) -> Iterator[str]:
    """Declares every queue and buffer, gives them their memory, and names the tensors that live for the whole function."""
    yield "TPipe pipe;"
    queues: dict[str, list[Holder]] = {}
    for holder in storage.queues.values():
        queues.setdefault(holder.queue, []).append(holder)
    for queue, holders in queues.items():
        yield f"{_queue_type(holders)} {queue};  // {' / '.join(', '.join(holder.block.tensors) for holder in holders)}"
    for block in storage.buffers:
        yield f"TBuf<TPosition::VECCALC> {block.name};  // {', '.join(block.tensors)}"
    if TMP in fields:
        yield "TBuf<TPosition::VECCALC> tmpBuf;"
    for queue, holders in queues.items():
        yield f"pipe.InitBuffer({queue}, {_number(holders[0])}, tiling->{fields[queue].field});"
    for block in storage.buffers:
        yield f"pipe.InitBuffer({block.name}, tiling->{fields[block.name].field});"
    if TMP in fields:
        yield from _temporary(fields[TMP]) if tmp_is_used else (f"pipe.InitBuffer(tmpBuf, tiling->{fields[TMP].field});",)
    elif tmp_is_used:
        yield f"const LocalTensor<uint8_t> {TMP};  // no call here needs temporary memory"
    yield from _kept(fields)
    for block in storage.buffers:
        for name in block.tensors:
            value = storage.values[name]
            kind = cxx_type(value.node.output.dtype)
            yield f"const LocalTensor<{kind}> {value.name} = {block.name}.Get<{kind}>();"


def _number(holder: Holder) -> str:
    """How many buffers a queue has: a number, or what the tiling data says."""
    match holder.block.buffers:
        case Sym(name):
            return f"static_cast<uint8_t>(tiling->{name})"
        case _:
            return str(holder.block.buf_num)


def _temporary(entry: BufferField) -> Iterator[str]:
    """The shared area; at shapes where no call needs it, it has no bytes and no memory."""
    if entry.surely_used:
        yield f"pipe.InitBuffer(tmpBuf, tiling->{entry.field});"
        yield f"LocalTensor<uint8_t> {TMP} = tmpBuf.Get<uint8_t>();"
        return
    yield f"LocalTensor<uint8_t> {TMP};"
    yield f"if (tiling->{entry.field} > 0) {{"
    yield f"    pipe.InitBuffer(tmpBuf, tiling->{entry.field});"
    yield f"    {TMP} = tmpBuf.Get<uint8_t>();"
    yield "}"


def _kept(fields: Mapping[str, BufferField]) -> Iterator[str]:
    """What nodes keep from turn to turn of a loop."""
    for name, entry in fields.items():
        if entry.node:
            yield f"TBuf<TPosition::VECCALC> {name}Buf;  // for {entry.node}"
            yield f"pipe.InitBuffer({name}Buf, tiling->{entry.field});"
            yield f"const LocalTensor<uint8_t> {name} = {name}Buf.Get<uint8_t>();"


def _queue_type(holders: Sequence[Holder]) -> str:
    """Depth 1: at most one tensor is enqueued at a time, however many buffers there are."""
    first = holders[0]
    if any(holder.copies != first.copies for holder in holders):
        raise EmitError(
            f"queue {first.queue} holds values that the vector unit reads and values that are only stored, in turns",
            hint="give what is only stored a queue of its own",
        )
    if first.copies:
        return "TQueBind<TPosition::VECIN, TPosition::VECOUT, 1>"
    position = "VECIN" if first.block.position is Position.VECIN else "VECOUT"
    return f"TQue<TPosition::{position}, 1>"
