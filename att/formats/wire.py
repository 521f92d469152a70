"""Graph JSON, field by field: what is on the wire, before names and expressions are understood.

Expressions are infix strings (integers are read too). Fields that have their default value are not written.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from att.ir.axis import MAX_SIZE, AxisKind
from att.ir.dtype import DType
from att.ir.tensor import Alloc, Position

FORMAT = "ascgraph"
"""Of graph JSON."""

VERSION = 1
"""Of graph JSON."""

ExprWire = Annotated[str | int, Meta(description="Integer expression: an infix string such as `ks0*(ks1 + 1)//2`, or an integer.")]


class SizeWire(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """A shape symbol known only at run time: min <= value <= max, a multiple of multiple_of."""

    name: str
    min: int = 1
    max: int = MAX_SIZE
    multiple_of: int = 1


class AxisWire(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """A loop dimension; size in elements or iterations."""

    name: str
    size: ExprWire
    kind: AxisKind = AxisKind.ORIGINAL
    parents: tuple[str, ...] = ()
    align: int = 1
    allow_oversize: bool = False
    allow_unaligned_tail: bool = True


class VariableWire(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An unknown tile or block size, 1..max."""

    name: str
    axis: str
    max: int


class QueueWire(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """The queue a tensor passes through."""

    id: int
    depth: int
    buf_num: int
    reuse_id: int
    single_legal: bool = False


class MemoryWire(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """Where a tensor lives."""

    tensor_id: int
    alloc: Alloc
    position: Position
    queue: QueueWire | None = None
    buffer_id: int | None = None


class ViewWire(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """What a node produces; strides in elements."""

    dtype: DType
    axes: tuple[str, ...] = ()
    repeats: tuple[ExprWire, ...] = ()
    strides: tuple[ExprWire, ...] = ()
    vectorized_axes: tuple[str, ...] = ()
    vectorized_strides: tuple[ExprWire, ...] = ()
    memory: MemoryWire | None = None


class ExprAttrWire(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An attribute whose value is an expression although its op does not say so."""

    expr: ExprWire


AttrWire = str | int | float | bool | ExprAttrWire


class NodeWire(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """An op applied to the outputs of other nodes."""

    name: str
    op: str
    inputs: tuple[str, ...] = ()
    attrs: dict[str, AttrWire] = {}
    axes: tuple[str, ...] = ()
    loop_axis: str | None = None
    output: ViewWire


class ImplGraphWire(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """One scheduled loop nest."""

    name: str
    sizes: tuple[SizeWire, ...] = ()
    variables: tuple[VariableWire, ...] = ()
    axes: tuple[AxisWire, ...] = ()
    nodes: tuple[NodeWire, ...] = ()
    trace: tuple[str, ...] = ()


class Head(Struct, frozen=True):
    """The fields that say how to read the rest."""

    format: str
    version: int
    kind: str


class HintFile(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """A file that holds a HintGraph: a fused operator as given, nothing scheduled."""

    format: Literal["ascgraph"]
    version: Literal[1]
    kind: Literal["hint"]
    name: str
    sizes: tuple[SizeWire, ...] = ()
    axes: tuple[AxisWire, ...] = ()
    nodes: tuple[NodeWire, ...] = ()


class TemplateFile(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """A file that holds a template: ImplGraphs that run one after another."""

    format: Literal["ascgraph"]
    version: Literal[1]
    kind: Literal["template"]
    name: str
    tiling_key: int
    graph_name: str
    axis_names: dict[str, str] = {}
    phases: tuple[ImplGraphWire, ...]
