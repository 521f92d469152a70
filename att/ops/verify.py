"""What ops demand of their operands, beyond the structure that `att.ir.verify` checks.

elementwise   operands vary over the same axes (Scalars excepted)
Broadcast     only axes of one element grow
reduces       axes shrink to one element only
all           known op, number of operands, typed attributes, fitting dtypes
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Set
from types import MappingProxyType

from att.errors import GraphError, ScheduleError
from att.expr.core import Expr, integer
from att.expr.evaluate import evaluate
from att.expr.text import to_text
from att.ir.dtype import DType
from att.ir.graph import Graph, HintGraph, ImplGraph
from att.ir.node import AttrValue, Node
from att.ir.running import SCALED_SUM
from att.ir.same import may_be_equal
from att.ir.tensor import TensorView
from att.ir.verify import verify_structure
from att.ops.by_row import INLINE_OPS
from att.ops.indexed import ROWS_OP, refuse_in_hints
from att.ops.infer import infer_dtype
from att.ops.joins import is_join, verify_join
from att.ops.lookups import verify_lookup
from att.ops.pieces import verify_split
from att.ops.registry import spec_of
from att.ops.spec import ComputeType, OpSpec
from hwmodels.model import Chip

ONE = integer(1)
NO_SHAPE: Mapping[str, int] = MappingProxyType({})
_MANY_INPUTS = frozenset({"Output", "Workspace"})
"""Ops that several Stores may end in."""


def verify_graph(graph: HintGraph | ImplGraph) -> None:
    """Raises GraphError at the first fault of the structure, or at the first node whose op, operands, attributes or dtypes are wrong."""
    for node in graph.nodes:
        _known(graph, node)
    verify_structure(graph)
    verify_ops(graph)


def verify_ops(graph: HintGraph | ImplGraph) -> None:
    """Raises GraphError at the first node of a structurally sound graph whose op, operands, attributes or dtypes are wrong."""
    for node in graph.nodes:
        _known(graph, node)
        spec = spec_of(node.op)
        _verify_operands(graph, node, spec)
        _verify_attrs(graph, node, spec)
        _verify_dtypes(graph, node, spec)
        _verify_repeats(graph, node, spec)


def check_dtypes(graph: Graph, chip: Chip, besides: Set[str] = frozenset()) -> None:
    """Raises ScheduleError at the first node, none of `besides`, whose dtype the chip's op table does not list."""
    table = chip.cost_table
    for node in graph.nodes:
        if node.name in besides:
            continue
        spec = spec_of(node.op)
        allowed = spec.dtypes.get(table)
        if allowed is None:
            raise ScheduleError(f"{node.op} is not available on {chip.name}", where=_at(graph, node), hint="choose another chip")
        for dtype in _data_dtypes(graph, node, spec) or (node.output.dtype,):
            if dtype not in allowed:
                raise ScheduleError(
                    f"{node.op} takes {_listed(allowed)} on {chip.name}, got {dtype}", where=_at(graph, node), hint="cast the operand first"
                )
        _check_conversion(graph, node, spec, chip)
        _check_choice(graph, node, spec, table)


def _check_choice(graph: Graph, node: Node, spec: OpSpec, table: str) -> None:
    """V1 selects 64-bit elements as halves of a tensor, so one of the two values must be one."""
    if spec.mask_operand is None or table != "v1" or node.output.dtype.bytes != 8:
        return
    choices = [graph.node_of[name] for i, name in enumerate(node.inputs) if i != spec.mask_operand]
    if all(choice.op == "Scalar" for choice in choices):
        raise ScheduleError(
            f"{node.op} chooses {node.output.dtype} from two Scalars, and 64-bit elements are chosen from a tensor at least on one side",
            where=_at(graph, node),
            hint="give one of them as a tensor, or choose in int32 and cast",
        )


def _check_conversion(graph: Graph, node: Node, spec: OpSpec, chip: Chip) -> None:
    if spec.conversions is None:
        return
    source, target = graph.node_of[node.inputs[0]].output.dtype, node.output.dtype
    pairs = spec.conversions.get(chip.cost_table, frozenset())
    if (source, target) not in pairs:
        targets = _listed(frozenset(t for s, t in pairs if s is source))
        raise ScheduleError(
            f"{node.op} from {source} gives {targets} on {chip.name}, got {target}", where=_at(graph, node), hint="cast in two steps"
        )


def _known(graph: Graph, node: Node) -> None:
    try:
        spec_of(node.op)
    except GraphError as error:
        raise GraphError(error.message, where=_at(graph, node), hint=error.hint) from None


def _verify_operands(graph: Graph, node: Node, spec: OpSpec) -> None:
    wanted, got = len(spec.inputs), len(node.inputs)
    many = node.op in _MANY_INPUTS or is_join(node)
    if got != wanted and not (many and (got > 1 or node.op == "Workspace")):
        names = ", ".join(spec.inputs) or "none"
        raise GraphError(f"{node.op} takes {wanted} operands ({names}), got {got}", where=_at(graph, node), hint="link each operand once")
    scalars = [graph.node_of[name].op == "Scalar" for name in node.inputs]
    for i, is_scalar in enumerate(scalars):
        if is_scalar and i not in spec.scalar_operands:
            raise GraphError(
                f"operand {spec.inputs[min(i, wanted - 1)]} of {node.op} is the Scalar {node.inputs[i]}, which it does not take",
                where=_at(graph, node),
                hint="use a Scalar only where an op takes a number" if not spec.scalar_operands else f"allowed: {_named(spec)}",
            )
    if scalars and all(scalars) and spec.compute is ComputeType.ELEMENTWISE:
        raise GraphError(
            f"all operands of {node.op} are Scalars", where=_at(graph, node), hint="compute the number when building the graph"
        )


def _verify_attrs(graph: Graph, node: Node, spec: OpSpec) -> None:
    declared = {**spec.optional_attrs, **spec.attrs}
    for name in spec.attrs:
        if name not in node.attrs:
            raise GraphError(f"{node.op} has no {name}", where=_at(graph, node), hint=f"set {name} ({_kinds(declared[name])})")
    for name, value in node.attrs.items():
        kinds = declared.get(name)
        if kinds is None:
            raise GraphError(f"{node.op} has no attribute {name}", where=_at(graph, node), hint=f"it has: {', '.join(declared) or 'none'}")
        if not isinstance(value, kinds) or isinstance(value, bool):
            raise GraphError(f"{name} is {value!r}, expected {_kinds(kinds)}", where=_at(graph, node), hint="give a value of that type")
    _verify_values(graph, node)


def _verify_values(graph: Graph, node: Node) -> None:
    if node.op == "Scalar":
        scalar_number(node)
        if "divisor" in node.attrs:
            _verify_divisor(graph, node)
    offset = node.attrs.get("offset")
    if offset is not None and _lowest(offset) < 0:
        raise GraphError(f"offset can be {_lowest(offset)} elements", where=_at(graph, node), hint="offsets start at 0")


def _verify_divisor(graph: Graph, node: Node) -> None:
    where = _at(graph, node)
    if isinstance(graph, HintGraph):
        raise GraphError("a Scalar with a divisor is made by the scheduler", where=where, hint="give the number itself, or use Mean")
    if _lowest(node.attrs["divisor"]) < 1 or node.output.dtype is not DType.FLOAT32:
        got = f"{_lowest(node.attrs['divisor'])} at the least, for {node.output.dtype}"
        raise GraphError(f"its divisor is {got}", where=where, hint="divide a float32 by 1 or more")
    other = next((user for user in graph.consumers_of[node.name] if user.op != "Mul"), None)
    if other is not None:
        raise GraphError(f"{other.op} {other.name} reads it, whose number only the shape says", where=where, hint="only Mul can")


def scalar_value(node: Node, shape: Mapping[str, int] = NO_SHAPE) -> int | float:
    """What a Scalar is worth, an int for integer dtypes. Raises GraphError as `scalar_number`, ModelError if its divisor has unknowns."""
    number, divisor = scalar_number(node), node.attrs.get("divisor")
    return number / evaluate(divisor, shape) if isinstance(divisor, Expr) else number


def scalar_number(node: Node) -> int | float:
    """The number of a Scalar, before it is divided. Raises GraphError if its text is none, or does not fit the dtype."""
    text = str(node.attrs["value"]).strip()
    integral = not node.output.dtype.is_float
    try:
        if integral and node.output.dtype is not DType.BOOL:
            return _whole(text)
        return float(text)
    except ValueError:
        kind = f"an integer for {node.output.dtype}" if integral else "a number"
        raise GraphError(f"value {text!r} is not {kind}", where=f"node {node.name}", hint="write it as in 2.5, 1e-06 or inf") from None


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        number = float(text)
        if not math.isfinite(number) or number != int(number):
            raise ValueError(text) from None
        return int(number)


def _verify_dtypes(graph: Graph, node: Node, spec: OpSpec) -> None:
    where = _at(graph, node)
    inputs = tuple(graph.node_of[name].output.dtype for name in node.inputs)
    if spec.mask_operand is not None and inputs[spec.mask_operand] not in {DType.UINT8, DType.BOOL}:
        raise GraphError(f"operand {spec.inputs[spec.mask_operand]} of {node.op} is {inputs[spec.mask_operand]}, not uint8", where=where)
    data = _data_dtypes(graph, node, spec)
    if len(set(data)) > 1:
        raise GraphError(f"{node.op} joins {' and '.join(dict.fromkeys(data))}", where=where, hint="cast the operands to one dtype")
    if not inputs or spec.conversions is not None:
        return
    scalars = tuple(graph.node_of[name].op == "Scalar" for name in node.inputs)
    expected = infer_dtype(node.op, inputs, scalars)
    if node.output.dtype not in _results(node.op, expected):
        raise GraphError(
            f"{node.op} gives {expected}, its output is {node.output.dtype}", where=where, hint="set that dtype, or add a Cast"
        )


def _results(op: str, expected: DType) -> frozenset[DType]:
    """Masks may be bool as well; LogicalNot may give uint8 whatever it takes."""
    masks = frozenset({DType.UINT8, DType.BOOL})
    return masks | {expected} if expected in masks or op == "LogicalNot" else frozenset({expected})


def _data_dtypes(graph: Graph, node: Node, spec: OpSpec) -> tuple[DType, ...]:
    """Dtypes of the operands, masks and indices excepted."""
    others = (spec.mask_operand, spec.index_operand)
    return tuple(graph.node_of[name].output.dtype for i, name in enumerate(node.inputs) if i not in others)


def _verify_repeats(graph: Graph, node: Node, spec: OpSpec) -> None:
    views = [(name, graph.node_of[name].output) for name in node.inputs if graph.node_of[name].op != "Scalar"]
    match spec.compute:
        case ComputeType.ELEMENTWISE | ComputeType.STORE | ComputeType.TRANSPOSE:
            free = _repeated_by_the_nest(graph, node) if spec.compute is ComputeType.ELEMENTWISE else frozenset[str]()
            for name, view in views:
                _require(graph, node, name, view, may_grow=False, may_shrink=False, free=free)
        case ComputeType.BROADCAST:
            for name, view in views:
                _require(graph, node, name, view, may_grow=True, may_shrink=False)
        case ComputeType.REDUCE:
            if node.op == SCALED_SUM:
                refuse_in_hints(graph, node, "Max, Sub, Exp and Sum")
            for name, view in views:
                _require(graph, node, name, view, may_grow=False, may_shrink=True)
        case ComputeType.CONCAT:
            verify_join(graph, node)
        case ComputeType.LOAD if node.op == ROWS_OP:
            refuse_in_hints(graph, node, "Load and Gather")
        case ComputeType.GATHER:
            verify_lookup(graph, node)
        case ComputeType.SPLIT:
            verify_split(graph, node)
        case _:
            pass


def _repeated_by_the_nest(graph: Graph, node: Node) -> frozenset[str]:
    """Axes of a scheduled call along which an operand may have one element: looped ones, and the rows of an inline broadcast."""
    view = node.output
    if not isinstance(graph, ImplGraph) or not view.vectorized_axes:
        return frozenset()
    rows = [axis for axis in view.vectorized_axes if view.repeat_of(axis) != ONE][:1] if node.op in INLINE_OPS else []
    return frozenset((*(axis for axis in view.axes if axis not in view.vectorized_axes), *rows))


def _require(
    graph: Graph, node: Node, name: str, view: TensorView, *, may_grow: bool, may_shrink: bool, free: frozenset[str] = frozenset()
) -> None:
    """Each axis has as many elements in the operand as in the output, or one where that is what the op does; one also along `free`."""
    before, after = _extents(view), _extents(node.output)
    for axis in dict.fromkeys((*before, *after)):
        source, target = before.get(axis, ONE), after.get(axis, ONE)
        grows, shrinks = (may_grow or axis in free) and source == ONE, may_shrink and target == ONE
        if not grows and not shrinks and not may_be_equal(source, target):
            rule = "grow from one element" if may_grow else "shrink to one element" if may_shrink else "keep its size"
            sizes = f"{to_text(source)} elements in {name} and {to_text(target)} in the result"
            raise GraphError(
                f"axis {axis} of {node.op} has {sizes}; it may only {rule}",
                where=_at(graph, node),
                hint="" if may_grow or may_shrink else "add a Broadcast",
            )


def _extents(view: TensorView) -> dict[str, Expr]:
    return dict(zip(view.axes, view.repeats, strict=True))


def _lowest(value: AttrValue) -> int:
    return value.lo if isinstance(value, Expr) else int(value)


def _named(spec: OpSpec) -> str:
    return ", ".join(spec.inputs[i] for i in spec.scalar_operands)


def _kinds(kinds: type | tuple[type, ...]) -> str:
    return " or ".join(kind.__name__ for kind in (kinds if isinstance(kinds, tuple) else (kinds,)))


def _listed(dtypes: frozenset[DType]) -> str:
    return ", ".join(sorted(dtypes)) or "nothing"


def _at(graph: Graph, node: Node) -> str:
    return f"graph {graph.name}, node {node.name}"
