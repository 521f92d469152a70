"""Reads the fields of one node of a dump."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, TypeVar

from att.errors import AttError, ParseError
from att.expr.core import Expr, Sym
from att.expr.text import parse
from att.formats.attrs import DTYPES, attr_types, did_you_mean, find_op, is_expression, op_hint
from att.formats.dump_api import api_of
from att.formats.dump_lines import Field, Line, RawNode, split_top
from att.formats.dump_names import FIXED_KEYS
from att.ir.axis import AxisKind
from att.ir.dtype import DType
from att.ir.node import AttrValue, Node
from att.ir.tensor import Alloc, Memory, Position, Queue, TensorView
from att.ir.verify_axes import SPLIT_KINDS
from att.ops.spec import OpSpec

E = TypeVar("E", Alloc, Position)

_INT: Final = re.compile(r"[+-]?\d+")
_FLOAT: Final = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_FIXED: Final = ("axis", "loop_axis", "api.compute_type", "api.type", "api.unit", "y.dtype", "y.axis", "y.repeats", "y.strides",
                 "y.vectorized_axis", "y.vectorized_strides", "y.mem.tensor_id", "y.mem.alloc_type", "y.mem.hardware", "y.mem.position",
                 "y.que.id", "y.que.depth", "y.que.buf_num", "y.que.reuse_id", "y.que.single_legal", "y.buf.id")  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """What expressions of a graph are read against."""

    symbols: Mapping[str, Sym]
    kinds: Mapping[str, AxisKind]
    """Kind of each axis."""
    parsed: dict[tuple[str, bool], Expr] = field(default_factory=dict[tuple[str, bool], Expr])
    """Texts read so far: the same few sizes occur on every node."""

    def is_split(self, axis: str) -> bool:
        """Whether a plain `/` along the axis rounds up."""
        return self.kinds.get(axis) in SPLIT_KINDS

    def expr(self, entry: Field, text: str | None = None, *, up: bool = False) -> Expr:
        """The expression of a field, or of the part `text` of it. Raises ParseError at its line."""
        body = entry.value if text is None else text
        known = self.parsed.get((body, up))
        if known is None:
            known = self.parsed[body, up] = self._parsed(entry.line, body, up)
        return known

    def _parsed(self, line: Line, text: str, up: bool) -> Expr:
        try:
            return parse(text, self.symbols, slash="ceil" if up else "floor")
        except ParseError as error:
            raise ParseError(error.message, text=error.text, span=error.span, where=line.where, hint=error.hint) from None
        except AttError as error:
            line.fail(error.message, text, error.hint)


def read_int(field: Field) -> int:
    """The integer of a field."""
    if not _INT.fullmatch(field.value):
        field.line.fail(f"expected an integer, got {field.value!r}", field.value)
    return int(field.value)


def listed(field: Field) -> list[str]:
    """The items of `{a, b, }`."""
    if not (field.value.startswith("{") and field.value.endswith("}")):
        field.line.fail("expected a list `{a, b, }`", field.value)
    return split_top(field.value[1:-1])


def read_options(options: Mapping[str, Field], allowed: Iterable[str]) -> Mapping[str, Field]:
    """The options themselves. Raises ParseError if one is not allowed."""
    for key, entry in options.items():
        if key not in allowed:
            entry.line.fail(f"unknown entry {key!r}", key, hint=did_you_mean(key, allowed))
    return options


def read_node(raw: RawNode, reader: Reader) -> Node:
    """A node. Raises ParseError at the line that is wrong."""
    spec = find_op(raw.op)
    if spec is None:
        raw.line.fail(f"unknown op {raw.op!r}", raw.op, hint=op_hint(raw.op))
    fields = raw.fields
    _check_api(spec, fields)
    loop = fields.get("loop_axis")
    return Node(
        name=raw.name,
        op=spec.name,
        inputs=_inputs(spec, fields),
        attrs=MappingProxyType(dict(_attrs(spec, fields, reader))),
        axes=_names(fields, "axis"),
        loop_axis=None if loop is None else loop.value,
        output=_view(raw, reader),
    )


def _names(fields: Mapping[str, Field], key: str) -> tuple[str, ...]:
    return tuple(listed(fields[key])) if key in fields else ()


def _check_api(spec: OpSpec, fields: Mapping[str, Field]) -> None:
    api = api_of(spec)
    allowed = {
        "api.compute_type": (api.compute_type,) if api else (),
        "api.type": ("Compute",) if api else ("Buffer",),
        "api.unit": api.units if api else ("None",),
    }
    for key, values in allowed.items():
        field = fields.get(key)
        if field is not None and field.value not in values:
            field.line.fail(f"{key} of {spec.name} is {' or '.join(values) or 'not given'}, got {field.value}", field.value)


def _inputs(spec: OpSpec, fields: Mapping[str, Field]) -> tuple[str, ...]:
    sources: list[str] = []
    for name in spec.inputs or ("x",):
        field = fields.get(name)
        if field is not None:
            sources.extend(_source(field, item) for item in (listed(field) if field.value.startswith("{") else [field.value]))
    return tuple(sources)


def _source(field: Field, text: str) -> str:
    if not text.endswith(".y"):
        field.line.fail(f"expected `node.y`, got {text!r}", text, hint="every node has the one output y")
    return text.removesuffix(".y")


def _attrs(spec: OpSpec, fields: Mapping[str, Field], reader: Reader) -> Iterable[tuple[str, AttrValue]]:
    operands = {*spec.inputs, "x"}
    for key, entry in fields.items():
        name = key.removeprefix("ir_attr.")
        if name == key and (key in _FIXED or key in operands):
            continue
        if "." in name or (name == key and key in FIXED_KEYS):
            entry.line.fail(f"unknown field .{key}", key, hint=did_you_mean(key, _FIXED))
        yield name, _attr(spec, name, entry, reader)


def _attr(spec: OpSpec, name: str, field: Field, reader: Reader) -> AttrValue:
    value = field.value
    if is_expression(spec.name, name):
        return reader.expr(field)
    if value.startswith("expr(") and value.endswith(")"):
        return reader.expr(field, value[len("expr(") : -1])
    if value.startswith('"'):
        return _string(field)
    if attr_types(spec).get(name) == (str,):
        return value
    if value in ("true", "false"):
        return value == "true"
    if _INT.fullmatch(value):
        return int(value)
    if not _FLOAT.fullmatch(value):
        field.line.fail(f"cannot read the value of attribute {name}", value, hint="write a number, true, false or a quoted text")
    return float(value)


def _string(field: Field) -> str:
    try:
        value = json.loads(field.value)
    except json.JSONDecodeError:
        field.line.fail("the quoted text does not end or is malformed", field.value)
    return str(value)


def _view(raw: RawNode, reader: Reader) -> TensorView:
    fields = raw.fields
    axes = _names(fields, "y.axis")
    return TensorView(
        dtype=_dtype(raw),
        axes=axes,
        repeats=_exprs(fields, "y.repeats", axes, reader, reader.is_split),
        strides=_exprs(fields, "y.strides", axes, reader),
        vectorized_axes=_names(fields, "y.vectorized_axis"),
        vectorized_strides=_exprs(fields, "y.vectorized_strides", axes, reader),
        memory=_memory(raw),
    )


def _dtype(raw: RawNode) -> DType:
    field = raw.fields.get("y.dtype")
    if field is None:
        raw.line.fail(f"node {raw.name} has no .y.dtype", raw.name)
    if field.value not in DTYPES:
        field.line.fail(f"unknown dtype {field.value!r}", field.value, hint=did_you_mean(field.value, DTYPES))
    return DTYPES[field.value]


def _exprs(
    fields: Mapping[str, Field], key: str, axes: tuple[str, ...], reader: Reader, up: Callable[[str], bool] = lambda _: False
) -> tuple[Expr, ...]:
    field = fields.get(key)
    if field is None:
        return ()
    along = dict(enumerate(axes))
    return tuple(reader.expr(field, item, up=up(along.get(i, ""))) for i, item in enumerate(listed(field)))


def _memory(raw: RawNode) -> Memory | None:
    fields = raw.fields
    parts = [key for key in fields if key.startswith(("y.mem.", "y.que.", "y.buf."))]
    if not parts:
        return None
    queue = None
    if any(key.startswith("y.que.") for key in parts):
        numbers = {key: _number(raw, f"y.que.{key}") for key in ("id", "depth", "buf_num", "reuse_id")}
        queue = Queue(**numbers, single_legal=_flag(raw, "y.que.single_legal"))
    alloc = _member(raw, "y.mem.alloc_type", Alloc)
    hardware = fields.get("y.mem.hardware")
    expected = "GM" if alloc is Alloc.GLOBAL else "UB"
    if hardware is not None and hardware.value != expected:
        hardware.line.fail(f"alloc_type {alloc.value} lies in {expected}, got {hardware.value}", hardware.value)
    return Memory(
        tensor_id=_number(raw, "y.mem.tensor_id"),
        alloc=alloc,
        position=_member(raw, "y.mem.position", Position),
        queue=queue,
        buffer_id=_number(raw, "y.buf.id") if "y.buf.id" in fields else None,
    )


def _number(raw: RawNode, key: str) -> int:
    if key not in raw.fields:
        raw.line.fail(f"node {raw.name} has no .{key}", raw.name)
    return read_int(raw.fields[key])


def _flag(raw: RawNode, key: str) -> bool:
    field = raw.fields.get(key)
    if field is not None and field.value not in ("true", "false"):
        field.line.fail(f"cannot read {key}", field.value, hint="write true or false")
    return field is not None and field.value == "true"


def _member(raw: RawNode, key: str, kind: type[E]) -> E:
    field = raw.fields.get(key)
    if field is None:
        raw.line.fail(f"node {raw.name} has no .{key}", raw.name)
    value = field.value.removeprefix("TPosition::")
    known = {str(m.value): m for m in kind}
    if value not in known:
        field.line.fail(f"unknown {key} {field.value!r}", field.value, hint=did_you_mean(value, known))
    return known[value]
