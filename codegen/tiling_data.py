"""The tiling data of a kernel: what the host decides, as a plain struct of fixed-width fields.

    int64_t   every shape symbol, every tile and block variable      (0 where the chosen template has none of that name)
    uint32_t  tiling_key, block_dim, bytes of one buffer of every queue and of every TBuf of the chosen template, and the number of buffers
              where the objective leaves it open

The layout is written into the C++ text as static assertions, and the same layout packs a plan into bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from att.errors import EmitError
from att.expr.core import Expr, add
from att.expr.evaluate import evaluate
from att.ir.graph import ImplGraph, Template
from att.ir.layout import Block, blocks
from att.ir.loops import loop_nest
from att.model.ub_capacity import TmpUse, call_area, loop_areas, tmp_use
from att.ops.call import CostSet
from att.ops.spec import Costs
from codegen.names import Names, camel
from codegen.writer import Writer

_FORMATS = {"int64_t": ("q", 8), "uint32_t": ("I", 4)}
_UINT32_MAX = 2**32 - 1


@dataclass(frozen=True, slots=True)
class Field:
    """One field of the struct."""

    name: str
    cxx_type: str
    offset_bytes: int
    meaning: str


@dataclass(frozen=True, slots=True)
class BufferField:
    """The field that says how many bytes one buffer of a queue or TBuf takes."""

    field: str
    block: Block | None = None
    """The queue or TBuf; None for temporary memory."""
    surely_used: bool = True
    """Whether it has bytes at every shape."""
    node: str = ""
    """The node that keeps it from turn to turn of a loop; `""`: it belongs to no single node."""


@dataclass(frozen=True, slots=True)
class TilingLayout:
    """The struct of all templates of one graph."""

    struct_name: str
    fields: tuple[Field, ...]
    size_bytes: int

    @property
    def names(self) -> frozenset[str]:
        """Names of the fields."""
        return frozenset(field.name for field in self.fields)

    def text(self) -> str:
        """The header that defines it."""
        writer = Writer()
        writer.line("#pragma once")
        writer.blank()
        writer.lines(("#include <cstddef>", "#include <cstdint>"))
        writer.blank()
        writer.comment("What the host decides for one launch. Sizes are in elements unless a name says bytes.")
        with writer.block(f"struct {self.struct_name}", "};"):
            for field in self.fields:
                writer.line(f"{field.cxx_type} {field.name};  // {field.meaning}")
        writer.blank()
        for field in self.fields:
            writer.line(f'static_assert(offsetof({self.struct_name}, {field.name}) == {field.offset_bytes}, "{field.name}");')
        writer.line(f'static_assert(sizeof({self.struct_name}) == {self.size_bytes}, "size");')
        return writer.text()

    def pack(self, values: Mapping[str, int]) -> bytes:
        """The bytes of the struct; fields without a value are 0. Raises EmitError for an unknown field or a value that does not fit."""
        unknown = sorted(set(values) - {field.name for field in self.fields})
        if unknown:
            raise EmitError(f"{self.struct_name} has no field {unknown[0]}")
        data = bytearray(self.size_bytes)
        for field in self.fields:
            code, _ = _FORMATS[field.cxx_type]
            try:
                struct.pack_into(f"<{code}", data, field.offset_bytes, values.get(field.name, 0))
            except struct.error:
                raise EmitError(f"{field.name} = {values[field.name]} does not fit {field.cxx_type}", where=self.struct_name) from None
        return bytes(data)


def buffer_fields(graph: ImplGraph, costs: Costs, prefix: str = "") -> Mapping[str, BufferField]:
    """The fields of every queue (`q0` …), TBuf (`b0` …), of the temporary area (`tmp`), and of what nodes keep (`kept0` …), by name."""
    found = {block.name: BufferField(f"{prefix}{block.name}_bytes", block) for block in blocks(graph)}
    nest = loop_nest(graph)
    kept = loop_areas(graph, nest, costs)
    if kept and costs.cost_set is CostSet.PUBLISHED:
        raise EmitError(
            "what the published cost set counts across a loop is not what kernels keep",
            where=graph.name,
            hint="emit with the mended cost set",
        )
    use = tmp_use(graph, nest, costs)
    if use is not TmpUse.NEVER:
        found["tmp"] = BufferField(f"{prefix}tmp_bytes", surely_used=use is TmpUse.ALWAYS)
    for number, node in enumerate(kept):
        found[f"kept{number}"] = BufferField(f"{prefix}kept{number}_bytes", node=node)
    return found


def phase_prefix(template: Template, phase: int) -> str:
    """What tells the fields of several phases apart; a single phase needs nothing."""
    return f"phase{phase}_" if len(template.phases) > 1 else ""


PhaseFields = tuple[Mapping[str, BufferField], ...]
"""`buffer_fields` of every phase of a template."""


def phase_fields(template: Template, costs: Costs) -> PhaseFields:
    """The fields of the buffers of all phases."""
    return tuple(buffer_fields(graph, costs, phase_prefix(template, phase)) for phase, graph in enumerate(template.phases))


def tiling_layout(kernel: str, templates: Sequence[Template], fields_of: Sequence[PhaseFields]) -> TilingLayout:
    """The struct for all templates of a kernel, with the buffers of each."""
    names = Names()
    sizes: dict[str, str] = {}
    variables: dict[str, str] = {}
    buffers: dict[str, str] = {}
    for template, found in zip(templates, fields_of, strict=True):
        for graph, entries in zip(template.phases, found, strict=True):
            sizes.update({size.name: "shape" for size in graph.sizes})
            variables.update({v.name: f"tile of {v.axis}" for v in graph.variables})
            buffers.update({entry.field: f"one buffer of {name}" for name, entry in entries.items()})
    wide = [*sizes.items(), *variables.items()]
    narrow = [("tiling_key", "which template runs"), ("block_dim", "cores in use"), *sorted(buffers.items(), key=_by_number)]
    narrow += [(name, "buffers of a queue") for name in _buffer_numbers(templates)]
    for name, _ in (*wide, *narrow):
        if names.fresh(name) != name:
            raise EmitError(f"the size {name} bears a name that C++ or the tiling data needs", where=kernel, hint="rename it")
    fields, end = _placed([*((n, "int64_t", m) for n, m in wide), *((n, "uint32_t", m) for n, m in narrow)])
    return TilingLayout(f"{camel(kernel)}TilingData", fields, -(-end // 8) * 8 if wide else end)


def _buffer_numbers(templates: Sequence[Template]) -> tuple[str, ...]:
    """Unknown numbers of buffers of all templates, each once."""
    return tuple(dict.fromkeys(v.name for template in templates for graph in template.phases for v in graph.buffer_vars))


def _by_number(item: tuple[str, str]) -> tuple[str, int]:
    """`q2_bytes` before `q10_bytes`."""
    letters = item[0].removesuffix("_bytes").rstrip("0123456789")
    digits = item[0].removesuffix("_bytes")[len(letters) :]
    return letters, int(digits or 0)


def _placed(members: Sequence[tuple[str, str, str]]) -> tuple[tuple[Field, ...], int]:
    fields: list[Field] = []
    at = 0
    for name, cxx_type, meaning in members:
        fields.append(Field(name, cxx_type, at, meaning))
        at += _FORMATS[cxx_type][1]
    return tuple(fields), at


def tiling_values(template: Template, costs: Costs, shape: Mapping[str, int], tiling: Mapping[str, int]) -> Mapping[str, int]:
    """The field values of one plan. Raises EmitError if a buffer is larger than its field can say."""
    known = {**shape, **tiling}
    block_dim = 1
    values: dict[str, int] = dict(known)
    for graph, fields in zip(template.phases, phase_fields(template, costs), strict=True):
        block_dim = max(block_dim, evaluate(loop_nest(graph).block_dim, known))
        values.update((fields[name].field, value) for name, value in _buffer_values(graph.name, _sizes(graph, fields, costs), known))
    return {**values, "tiling_key": template.tiling_key, "block_dim": block_dim}


def _sizes(graph: ImplGraph, fields: Mapping[str, BufferField], costs: Costs) -> Mapping[str, Expr]:
    """Bytes of the buffer of each field."""
    nest = loop_nest(graph)
    kept = loop_areas(graph, nest, costs)
    temporary = {"tmp": call_area(graph, nest, costs)} if "tmp" in fields else {}
    own = {name: entry.block.slot_bytes if entry.block else add(*kept[entry.node]) for name, entry in fields.items() if name != "tmp"}
    return {**own, **temporary}


def _buffer_values(where: str, sizes: Mapping[str, Expr], known: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    for name, size in sizes.items():
        value = evaluate(size, known)
        if not 0 <= value <= _UINT32_MAX:
            raise EmitError(f"{name} takes {value} B, a buffer is at most {_UINT32_MAX} B", where=where, hint="choose smaller tiles")
        yield name, value
