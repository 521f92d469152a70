"""Reads the dump back: our own, and the documents' example as it stands.

What the documents leave open is read so: a `VAR` that is the size of a TILE_IN or BLOCK_IN axis is a tile variable, any other a shape
symbol; a tile variable without `max` is at most its parent axis; `align: -1` means 1; a plain `/` in repeats and sizes of split axes
rounds up, anywhere else down (design §7).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from att.errors import AttError, ParseError
from att.expr.core import Sym
from att.formats.attrs import did_you_mean
from att.formats.checked import checked
from att.formats.dump_lines import Field, RawAxis, RawGraph, RawHead, RawSize, read_lines, read_sections
from att.formats.dump_names import is_scheduled, plain_template
from att.formats.dump_node import Reader, listed, read_int, read_node, read_options
from att.ir.axis import MAX_SIZE, Axis, AxisKind, Size
from att.ir.graph import HintGraph, ImplGraph, Template, TileVar
from att.ir.verify_axes import INNER_KINDS

_WORD: Final = re.compile(r"[A-Za-z_]\w*")
_UNSET: Final = -1
"""`align: -1` in dumps of the reference: not set (schedule_codegen_facts §1.1)."""


def from_text(text: str, where: str = "graph text") -> HintGraph | Template:
    """The graph of a dump. Raises ParseError with the line number, or GraphError where it is well formed but structurally wrong."""
    lines = read_lines(text, where)
    if not lines:
        raise ParseError("it is empty", where=where, hint="a graph text starts with `Graph: <name>`")
    head, sections = read_sections(lines)
    phases: list[ImplGraph] = []
    for section in sections:
        phases.append(_graph(section, [v for phase in phases for v in phase.variables]))
    if head is not None:
        return checked(_template(head, tuple(phases)), where)
    if any(is_scheduled(phase) for phase in phases):
        return checked(plain_template(tuple(phases)), where)
    if len(phases) > 1:
        sections[1].line.fail("a second HintGraph in one text", hint="put each HintGraph into its own file")
    graph = phases[0]
    return checked(HintGraph(name=graph.name, sizes=graph.sizes, axes=graph.axes, nodes=graph.nodes), where)


def _template(head: RawHead, phases: tuple[ImplGraph, ...]) -> Template:
    options = read_options(head.options, ("tiling_key", "graph", "axis_names"))
    for key in ("tiling_key", "graph"):
        if key not in options:
            head.line.fail(f"the template has no `{key}`")
    names: dict[str, str] = {}
    if "axis_names" in options:
        for item in listed(options["axis_names"]):
            new, _, old = item.partition(":")
            names[new.strip()] = old.strip()
    return Template(
        name=head.name,
        tiling_key=read_int(options["tiling_key"]),
        graph_name=options["graph"].value,
        phases=phases,
        axis_names=MappingProxyType(names),
    )


def _graph(raw: RawGraph, earlier: Sequence[TileVar]) -> ImplGraph:
    """The section as an ImplGraph; one without any sign of scheduling becomes a HintGraph later."""
    tiles = _tile_axes(raw)
    own = [entry for entry in raw.sizes if entry.name in tiles]
    inherited = {v.name for v in earlier}
    sizes = tuple(_size(entry) for entry in raw.sizes if entry.name not in tiles and entry.name not in inherited)
    symbols = {**{s.name: s.symbol for s in sizes}, **{v.name: v.symbol for v in earlier}}
    variables = _variables(raw, own, tiles, symbols)
    reader = Reader(
        symbols=MappingProxyType({**symbols, **{v.name: v.symbol for v in variables}}),
        kinds=MappingProxyType({axis.name: _kind(axis) for axis in raw.axes}),
    )
    return ImplGraph(
        name=raw.name,
        sizes=sizes,
        axes=tuple(_axis(entry, reader) for entry in raw.axes),
        nodes=tuple(read_node(node, reader) for node in raw.nodes),
        variables=variables,
        trace=raw.trace,
    )


def _tile_axes(raw: RawGraph) -> dict[str, RawAxis]:
    """The inner axis that each tile variable is the size of; the first one, unless the variable names another."""
    named = {entry.name: entry.options["axis"] for entry in raw.sizes if "axis" in entry.options}
    found: dict[str, RawAxis] = {}
    for axis in raw.axes:
        wanted = named.get(axis.size)
        if _kind(axis) in INNER_KINDS and axis.size not in found and (wanted is None or wanted.value == axis.name):
            found[axis.size] = axis
    return found


def _kind(axis: RawAxis) -> AxisKind:
    if axis.kind not in AxisKind.__members__:
        axis.line.fail(f"unknown kind of axis {axis.kind!r}", axis.kind, hint=did_you_mean(axis.kind, AxisKind.__members__))
    return AxisKind(axis.kind)


def _size(entry: RawSize) -> Size:
    options = read_options(entry.options, ("min", "max", "multiple_of"))
    if entry.value != "VAR":
        value = read_int(Field(entry.line, entry.value))
        size = Size(name=entry.name, minimum=value, maximum=value)
    else:
        bounds = {key: read_int(field) for key, field in options.items()}
        size = Size(
            name=entry.name,
            minimum=bounds.get("min", 1),
            maximum=bounds.get("max", MAX_SIZE),
            multiple_of=bounds.get("multiple_of", 1),
        )
    _require_symbol(entry, size)
    return size


def _require_symbol(entry: RawSize, item: Size | TileVar) -> Sym:
    try:
        return item.symbol
    except AttError as error:
        entry.line.fail(error.message, entry.name, error.hint)


def _variables(raw: RawGraph, own: Sequence[RawSize], tiles: Mapping[str, RawAxis], symbols: Mapping[str, Sym]) -> tuple[TileVar, ...]:
    axes = {axis.name: axis for axis in raw.axes}
    entries = {entry.name: entry for entry in own}
    known = dict(symbols)

    def maximum(entry: RawSize, pending: tuple[str, ...]) -> int:
        options = read_options(entry.options, ("max", "axis"))
        if "max" in options:
            return read_int(options["max"])
        parent = axes.get(next(iter(_parents(tiles[entry.name])), ""))
        if parent is None:
            entry.line.fail(f"no upper bound is known for {entry.name}: axis {tiles[entry.name].name} has no parent", hint="add `max: N`")
        for word in _WORD.findall(parent.size):
            if word in pending:
                entry.line.fail(f"the upper bound of {entry.name} depends on itself", hint="add `max: N`")
            if word in entries and word not in known:
                resolve(entries[word], (*pending, word))
        return Reader(symbols=known, kinds={}).expr(Field(parent.line, parent.size), up=True).hi

    def resolve(entry: RawSize, pending: tuple[str, ...]) -> TileVar:
        variable = TileVar(name=entry.name, axis=tiles[entry.name].name, maximum=maximum(entry, pending))
        known[entry.name] = _require_symbol(entry, variable)
        return variable

    return tuple(resolve(entry, (entry.name,)) for entry in own)


def _parents(axis: RawAxis) -> tuple[str, ...]:
    return tuple(listed(axis.options["from"])) if "from" in axis.options else ()


def _axis(raw: RawAxis, reader: Reader) -> Axis:
    options = read_options(raw.options, ("from", "align", "allow_oversize_axis", "allow_unaligned_tail"))
    align = read_int(options["align"]) if "align" in options else _UNSET
    flags = {key: read_int(options[key]) for key in ("allow_oversize_axis", "allow_unaligned_tail") if key in options}
    for key, value in flags.items():
        if value not in (0, 1):
            raw.line.fail(f"{key} is {value}, expected 0 or 1", f"{key}: {value}")
    return Axis(
        name=raw.name,
        size=reader.expr(Field(raw.line, raw.size), up=reader.is_split(raw.name)),
        kind=_kind(raw),
        parents=_parents(raw),
        align=1 if align == _UNSET else align,
        allow_oversize=bool(flags.get("allow_oversize_axis", 0)),
        allow_unaligned_tail=bool(flags.get("allow_unaligned_tail", 1)),
    )
