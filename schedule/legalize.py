"""Makes a graph computable by the chip's op table: casts before and after ops that lack the element type, bytes for truth values.

    y = Exp(x)  bfloat16         x_float32 = Cast(x);  y_float32 = Exp(x_float32);  y = Cast(y_float32)
    y = Maximum(a, b)  int8      the same through float16, which holds every int8
    y = Mul(a, b)  int8          through int16, and back as it would have wrapped around (`schedule.wrapping`)
    y = Cast(x)  int8 -> float32     x_float16 = Cast(x);  y = Cast(x_float16)
    y = Cast(x)  to bool         y = Ne(x, 0)  uint8

numpy's meaning stays: narrow floats are computed in float32 and rounded once anyway (design §6); integers only where the result fits into
the type of the operands, is no integer, or wraps around in the same bits. What cannot be computed so is left as it is, and
`check_dtypes` refuses it. Which types an op takes: loop_ir_ops.json by way of `att.ops.dtypes`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from att.ir.dtype import DType
from att.ir.graph import Graph
from att.ir.node import Node
from att.ir.tensor import TensorView
from att.ops.dtypes import CASTS
from att.ops.infer import infer_dtype
from att.ops.registry import spec_of
from att.ops.spec import ComputeType, OpSpec
from schedule.conversions import bit_type, cast_chain, narrowing_chain, value_types
from schedule.dense import dense
from schedule.lookups import loaded_by_row, picked_in_ub
from schedule.scalars import retyped_scalar
from schedule.wrapping import can_wrap, wrapped

AMONG_OPERANDS: Final = frozenset({
    "All", "Any", "BitwiseAnd", "Broadcast", "ClipByValue", "Concat", "Gather", "LogicalNot", "MaskedFill", "Max", "Maximum", "Min",
    "Minimum", "Relu", "Remainder", "Select", "Sign", "Transpose", "Where",
})  # fmt: skip
"""Ops whose results fit into the type of their operands: any type that holds the operands computes them."""
_OF_BITS: Final = frozenset({
    "Add", "BitwiseAnd", "Broadcast", "Eq", "LogicalAnd", "LogicalNot", "LogicalOr", "Mul", "Ne", "Neg", "Select", "Sub", "Sum",
    "Transpose", "Where",
})  # fmt: skip
"""Ops that do the same to the bits of signed and unsigned integers."""
_OF_TRUTH: Final = frozenset({"All", "Any"})
"""Ops that only ask whether a number is 0, which no rounding to float32 makes of another."""
_OF_BYTES: Final = frozenset({"Abs"})
"""Ops whose results fit into uint8 where operands are int8 or uint8; the bits of 128 are -128, as in numpy."""
_OF_NUMBERS: Final = frozenset({"Sign"})
"""Ops that numpy has not for truth values."""
_IN_INTEGERS: Final = frozenset({"Remainder"})
"""Ops that mean another thing in floats: x where the divisor is 0."""
_TRANSFERS: Final = frozenset({ComputeType.STRUCTURAL, ComputeType.LOAD, ComputeType.STORE})


@dataclass(frozen=True, slots=True)
class Legalize:
    """Ops compute in element types that the chip has.

    Before: `y = Exp(x)` in bfloat16.  After: `x_float32 = Cast(x); y_float32 = Exp(x_float32); y = Cast(y_float32)`.
    """

    table: str
    """The chip's op table, `v1` or `v2`."""

    def apply(self, graph: Graph) -> Graph:
        """The same function in such types, as far as there are any."""
        return _Legal(_truth_as_bytes(graph, self.table), self.table).graph()


class _Legal:
    """The nodes while they are rewritten, in order."""

    def __init__(self, graph: Graph, table: str) -> None:
        self._graph = graph
        self._table = table
        self._only_loaded = loaded_by_row(graph) - picked_in_ub(graph)
        self._nodes: dict[str, Node] = {}
        self._taken = {node.name for node in graph.nodes}
        self._converted: dict[tuple[str, DType], str] = {}

    def graph(self) -> Graph:
        """The rewritten graph."""
        for node in self._graph.nodes:
            spec = spec_of(node.op)
            if spec.conversions is not None:
                self._conversion(node)
            elif spec.compute in _TRANSFERS:
                self._append(node)
            else:
                self._operation(node, spec)
        return replace(self._graph, nodes=tuple(self._nodes.values()))

    def _append(self, node: Node) -> None:
        self._nodes[node.name] = node

    def _conversion(self, node: Node) -> None:
        source = self._nodes[node.inputs[0]]
        chain = cast_chain(self._table, source.output.dtype, node.output.dtype)
        if not chain:
            self._append(node)
            return
        middle = self._through(source, chain[:-1])
        self._append(replace(node, inputs=(middle.name,)))
        self._converted.setdefault((source.name, node.output.dtype), node.name)

    def _operation(self, node: Node, spec: OpSpec) -> None:
        if node.name in self._only_loaded:
            self._append(node)
            return
        node, spec = self._as_select(node, spec)
        at = [i for i in range(len(node.inputs)) if i not in (spec.mask_operand, spec.index_operand)]
        dtype = self._nodes[node.inputs[at[0]]].output.dtype
        wider = None if dtype in spec.dtypes.get(self._table, ()) else self._computing_type(node, spec, dtype)
        if wider is None:
            self._append(node)
            return
        inputs = tuple(self._as_type(name, wider) if i in at else name for i, name in enumerate(node.inputs))
        result = self._result_type(node, dtype, wider)
        if result is node.output.dtype:
            self._append(replace(node, inputs=inputs))
            return
        computed = replace(node, name=self._fresh(node.name, result), inputs=inputs, output=replace(node.output, dtype=result))
        self._append(computed)
        self._back(computed, node)

    def _as_select(self, node: Node, spec: OpSpec) -> tuple[Node, OpSpec]:
        """MaskedFill is Select with its operands in another order, which takes more types."""
        allowed = spec.dtypes.get(self._table, frozenset[DType]())
        if node.op != "MaskedFill" or node.output.dtype.is_float or node.output.dtype in allowed:
            return node, spec
        x, mask, value = node.inputs
        return replace(node, op="Select", inputs=(mask, value, x)), spec_of("Select")

    def _back(self, computed: Node, node: Node) -> None:
        """The node made of what was computed in another type."""
        target = node.output.dtype
        if self._wraps(node.op, target, computed.output.dtype):
            nodes, chain = wrapped(self._table, computed, target, self._fresh)
            for new in nodes:
                self._append(new)
            computed = nodes[-1]
        else:
            chain = self._return(node.op, computed.output.dtype, target) or (target,)
        middle = self._through(computed, chain[:-1])
        self._append(_cast(node.name, middle, target))

    def _wraps(self, op: str, dtype: DType, wider: DType) -> bool:
        return can_wrap(self._table, op, wider, dtype)

    def _return(self, op: str, computed: DType, target: DType) -> tuple[DType, ...] | None:
        """Casts to the type itself of a result that was computed in another."""
        bits = bit_type(self._table, target)
        if bits is computed:
            return (target,)
        if op in _OF_BYTES and bits is DType.UINT8:
            there = narrowing_chain(self._table, computed, bits)
            return None if there is None else (*there, target)
        narrow = _fits(op, target) and not target.is_float
        return narrowing_chain(self._table, computed, target) if narrow else cast_chain(self._table, computed, target)

    def _computing_type(self, node: Node, spec: OpSpec, dtype: DType) -> DType | None:
        """The type that computes an op for another, None if none does it with the same meaning."""
        allowed = spec.dtypes.get(self._table, frozenset[DType]())
        same = bit_type(self._table, dtype)
        if same in allowed and node.op in _OF_BITS:
            return same
        wider = (*value_types(self._table, dtype), *self._types_of_truth(node, dtype))
        return next((w for w in wider if w in allowed and self._computes(node, dtype, w)), None)

    def _types_of_truth(self, node: Node, dtype: DType) -> tuple[DType, ...]:
        return (DType.FLOAT32,) if node.op in _OF_TRUTH and (dtype, DType.FLOAT32) in CASTS[self._table] else ()

    def _computes(self, node: Node, dtype: DType, wider: DType) -> bool:
        if not dtype.is_float and wider.is_float and node.op in _IN_INTEGERS:
            return False
        result = self._result_type(node, dtype, wider)
        if result is node.output.dtype or self._wraps(node.op, node.output.dtype, result):
            return True
        returns = self._return(node.op, result, node.output.dtype) is not None
        return returns and (dtype.is_float or _fits(node.op, dtype))

    def _result_type(self, node: Node, dtype: DType, wider: DType) -> DType:
        """What the op gives when its operands of one type are of another; a mask stays what it is."""
        scalars = tuple(self._nodes[name].op == "Scalar" for name in node.inputs)
        before = infer_dtype(node.op, [dtype] * len(node.inputs), scalars)
        return infer_dtype(node.op, [wider] * len(node.inputs), scalars) if before is node.output.dtype else node.output.dtype

    def _as_type(self, name: str, dtype: DType) -> str:
        """The value in another type, converted once for all its readers."""
        node = self._nodes[name]
        key = (name, dtype)
        if key not in self._converted:
            if node.op == "Scalar":
                self._append(retyped_scalar(node, self._fresh(name, dtype), dtype))
                self._converted[key] = next(reversed(self._nodes))
            else:
                self._converted[key] = self._through(node, cast_chain(self._table, node.output.dtype, dtype) or (dtype,)).name
        return self._converted[key]

    def _through(self, node: Node, chain: Sequence[DType]) -> Node:
        """The value after a chain of casts."""
        for dtype in chain:
            key = (node.name, dtype)
            if key not in self._converted:
                cast = _cast(self._fresh(node.name, dtype), node, dtype)
                self._append(cast)
                self._converted[key] = cast.name
            node = self._nodes[self._converted[key]]
        return node

    def _fresh(self, name: str, dtype: DType) -> str:
        wanted, serial = f"{name}_{dtype}", 1
        while wanted in self._taken:
            serial += 1
            wanted = f"{name}_{dtype}_{serial}"
        self._taken.add(wanted)
        return wanted


def _fits(op: str, dtype: DType) -> bool:
    """Whether the result of an op fits into the type of its operands, or at least into its bits."""
    return op in AMONG_OPERANDS or (op in _OF_BYTES and dtype in (DType.INT8, DType.UINT8))


def _cast(name: str, source: Node, dtype: DType) -> Node:
    """The value in another type; a Load's own strides say how it lies in GM, not what it is."""
    view = source.output
    output = dense(TensorView(dtype=dtype, axes=view.axes, repeats=view.repeats, strides=view.strides))
    return Node(name=name, op="Cast", inputs=(source.name,), axes=source.axes, output=output)


# Truth values.


def _truth_as_bytes(graph: Graph, table: str) -> Graph:
    """The graph with uint8 for bool where the table lacks it; as it is where some op would mean something else then."""
    if not any(_lacks_bool(graph, node, table) for node in graph.nodes) or any(map(_needs_bool, graph.nodes)):
        return graph
    nodes = tuple(new for node in graph.nodes for new in _as_bytes(graph, node))
    return replace(graph, nodes=nodes)


def _lacks_bool(graph: Graph, node: Node, table: str) -> bool:
    spec = spec_of(node.op)
    inputs = [graph.node_of[name].output.dtype for i, name in enumerate(node.inputs) if i != spec.mask_operand]
    if spec.conversions is not None:
        return DType.BOOL in (inputs[0], node.output.dtype) and (inputs[0], node.output.dtype) not in spec.conversions[table]
    return DType.BOOL in inputs and DType.BOOL not in spec.dtypes.get(table, ())


def _needs_bool(node: Node) -> bool:
    """Whether a result of type bool is more than a byte 0 or 1: arithmetic on truth values saturates, on bytes it does not."""
    spec = spec_of(node.op)
    keeps = node.op in AMONG_OPERANDS - _OF_NUMBERS or spec.compute in _TRANSFERS or spec.conversions is not None
    makes = node.output.dtype is DType.BOOL and spec.output_dtype((DType.FLOAT32, DType.FLOAT32)) is not DType.UINT8
    return makes and not keeps


def _as_bytes(graph: Graph, node: Node) -> Iterable[Node]:
    view = replace(node.output, dtype=DType.UINT8) if node.output.dtype is DType.BOOL else node.output
    if node.op == "Scalar" and node.output.dtype is DType.BOOL:
        return (retyped_scalar(node, node.name, DType.UINT8),)
    if node.op != "Cast" or node.output.dtype is not DType.BOOL:
        return (replace(node, output=view),)
    source = graph.node_of[node.inputs[0]]
    dtype = DType.UINT8 if source.output.dtype is DType.BOOL else source.output.dtype
    zero = Node(name=f"{node.name}.zero", op="Scalar", attrs={"value": "0"}, output=TensorView(dtype=dtype))
    return (zero, replace(node, op="Ne", inputs=(source.name, zero.name), output=view))
