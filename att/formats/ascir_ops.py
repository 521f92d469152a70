"""Operators of the builder API: what scripts set on them, checked at once (backend_client_contract §2.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar, Final, cast

from att.errors import GraphError
from att.expr.core import Expr
from att.formats.ascir_base import Strict, UnknownAttributeError, items, text, unknown_attribute
from att.formats.attrs import attr_types
from att.formats.size_expr import SizeExpr, lift
from att.ir import axis as records
from att.ir.dtype import DType
from att.ir.node import AttrValue
from att.ops.spec import OpSpec

NO_ATTRS: Final[Mapping[str, tuple[type, ...]]] = MappingProxyType({})
"""Of an operator without attributes."""


class Graph:
    """What operators register into."""

    def __init__(self, name: str | None = None) -> None:
        self.name = None if name is None else text(self, name)
        self.operators: list[Operator] = []


class Axis:
    """A loop axis of a graph; opaque to scripts."""

    __slots__ = ("graph", "id", "record", "size")

    def __init__(self, graph: Graph, index: int, record: records.Axis) -> None:
        self.graph = graph
        self.id = index
        self.record = record
        self.size = SizeExpr(record.size)

    @property
    def name(self) -> str:
        """Its name."""
        return self.record.name

    @property
    def type(self) -> str:
        """Its kind."""
        return self.record.kind.value


class Output(Strict):
    """One output of an operator."""

    owner: Operator
    index: int
    axis: tuple[Axis, ...]
    size: tuple[Expr, ...]
    strides: tuple[Expr, ...]
    dtype: DType | None
    title: ClassVar[str] = "an output"

    def __init__(self, owner: Operator, index: int, dtype: DType | None = None) -> None:
        self.keep(owner=owner, index=index, axis=(), size=(), strides=(), dtype=dtype)


def _axes(owner: Operator, value: object) -> tuple[Axis, ...]:
    found = items(value, "axes")
    for item in found:
        if not isinstance(item, Axis):
            raise GraphError(f"{owner.name}: expected a list of axes, got the entry {item!r}", hint="create axes with create_axis")
        if owner.graph is not None and item.graph is not owner.graph:
            raise GraphError(f"{owner.name}: axis {item.name} belongs to another graph", hint="use axes of its own graph")
    return cast("tuple[Axis, ...]", found)


def _extents(output: Output, value: object) -> tuple[Expr, ...]:
    found = items(value, "sizes")
    if output.axis and len(found) != len(output.axis):
        raise GraphError(f"{output.owner.name}: {len(found)} entries for {len(output.axis)} axes", hint="give one for each axis")
    return tuple(lift(item) for item in found)


def _dtype(output: Output, value: object) -> DType:
    if not isinstance(value, DType):
        raise GraphError(f"{output.owner.name}: expected a dtype, got {value!r}", hint="use ascir.dtypes, e.g. ascir.dtypes.float32")
    return value


Output.settable = MappingProxyType({
    "axis": lambda output, value: _axes(output.owner, value),
    "size": _extents,
    "strides": _extents,
    "dtype": _dtype,
})  # fmt: skip


class Sched(Strict):
    """`op.attr.sched`."""

    owner: Operator
    axis: tuple[Axis, ...]
    title: ClassVar[str] = "attr.sched"
    settable = MappingProxyType({"axis": lambda sched, value: _axes(sched.owner, value)})

    def __init__(self, owner: Operator) -> None:
        self.keep(owner=owner, axis=())


class Api(Strict):
    """`op.attr.api`; what a script says there follows from the op and is not kept."""

    compute_type: str
    title: ClassVar[str] = "attr.api"
    settable = MappingProxyType({"compute_type": text, "type": text, "unit": text})


class Attr(Strict):
    """`op.attr`."""

    sched: Sched
    api: Api
    ir_attr: IrAttr
    title: ClassVar[str] = "attr"

    def __init__(self, owner: Operator) -> None:
        self.keep(sched=Sched(owner), api=Api(), ir_attr=IrAttr(owner))

    def unknown(self, name: str) -> UnknownAttributeError:
        """The error for an attribute it does not have."""
        return unknown_attribute(self.title, name, ("sched.axis", "api.compute_type", "ir_attr"))


class IrAttr(Strict):
    """`op.attr.ir_attr`: the typed attributes of the op."""

    owner: Operator
    values: dict[str, AttrValue]

    def __init__(self, owner: Operator) -> None:
        self.keep(owner=owner, values={})

    def __setattr__(self, name: str, value: object) -> None:
        kinds = self.owner.attr_types.get(name)
        if kinds is None:
            raise self.unknown(name)
        self.values[name] = _attr_value(f"{self.owner.name}: attribute {name}", kinds, value)

    def __getattr__(self, name: str) -> AttrValue:
        if name in self.values:
            return self.values[name]
        raise self.unknown(name)

    def unknown(self, name: str) -> UnknownAttributeError:
        """The error for an attribute the op does not have."""
        return unknown_attribute(f"ir_attr of {self.owner.type}", name, tuple(self.owner.attr_types))


def _attr_value(what: str, kinds: tuple[type, ...], value: object) -> AttrValue:
    """A value of one of the kinds; an int is also a float, but bool is no int."""
    if Expr in kinds:
        return lift(value)
    if float in kinds and isinstance(value, int) and not isinstance(value, bool) and int not in kinds:
        return float(value)
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise GraphError(f"{what} is {value!r}", hint=f"it takes a {' or '.join(kind.__name__ for kind in kinds)}")
    return cast("AttrValue", value)


class Operator(Strict):
    """An op of a graph. Linking an input is setting the attribute of that name: `add.x1 = load.y`."""

    name: str
    type: str
    graph: Graph | None
    operands: tuple[str, ...]
    attr_types: Mapping[str, tuple[type, ...]]
    attr: Attr
    linked: dict[str, tuple[Output, ...]]
    y: Output

    def __init__(self, spec: OpSpec, name: object, *arguments: object) -> None:
        self.keep(
            name=text(self, name),
            type=spec.name,
            graph=None,
            operands=spec.inputs,
            attr_types=attr_types(spec),
            linked={},
        )
        self.keep(attr=Attr(self), y=Output(self, 0, DType.FLOAT32 if spec.name == "Data" else None))
        self.join(graph_of(self.name, arguments))
        if self.graph is None and not spec.inputs:
            raise GraphError(f"{self.name}: {spec.name} has no inputs, so it needs its graph", hint=f"ascir.ops.{spec.name}(name, graph)")

    def join(self, graph: Graph | None) -> None:
        """Registers it in a graph, once. Raises GraphError if it is in another."""
        if graph is None or graph is self.graph:
            return
        if self.graph is not None:
            raise GraphError(f"{self.name} is linked to a value of another graph", hint="link operators of one graph")
        self.keep(graph=graph)
        graph.operators.append(self)

    def __setattr__(self, name: str, value: object) -> None:
        if name not in self.operands:
            raise self.unknown(name)
        several = isinstance(value, list | tuple)
        sources = tuple(_output(self, item) for item in (items(cast("object", value), "outputs") if several else (value,)))
        if len(sources) != 1 and len(self.operands) != 1:
            raise GraphError(f"{self.name}: {name} takes one output, got {len(sources)}", hint="link one output to each operand")
        for source in sources:
            self.join(source.owner.graph)
        self.linked[name] = sources

    def unknown(self, name: str) -> UnknownAttributeError:
        """The error for an attribute the op does not have."""
        return unknown_attribute(f"{self.type} {self.name!r}", name, (*self.operands, "y", "attr"))

    @property
    def sources(self) -> Iterator[Output]:
        """What it reads, in operand order."""
        for operand in self.operands:
            yield from self.linked.get(operand, ())


def graph_of(name: str, arguments: Sequence[object]) -> Graph | None:
    """The graph among the arguments after an operator's name; the number of outputs, which may stand there too, follows from the op."""
    graphs = [a for a in arguments if isinstance(a, Graph)]
    others = [a for a in arguments if not isinstance(a, Graph | int)]
    if others or len(graphs) > 1:
        raise GraphError(f"{name}: expected a graph after the name, got {[*others, *graphs[1:]][0]!r}", hint="ascir.ops.Op(name, graph)")
    return graphs[0] if graphs else None


def _output(user: Operator, value: object) -> Output:
    """An output, or an operator, which stands for its first one."""
    if isinstance(value, Operator):
        return first_output(value)
    if not isinstance(value, Output):
        raise GraphError(f"{user.name}: expected an output such as `load.y`, got {value!r}", hint="link an output or an operator")
    return value


def first_output(operator: Operator) -> Output:
    """Its output 0."""
    y: object = operator.y
    return cast("list[Output]", y)[0] if isinstance(y, list) else operator.y
