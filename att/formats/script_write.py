"""Writes a HintGraph as a builder script that loads back to an equal graph.

Sizes with a range of their own and axes with knobs use keywords that the real API does not have; a rounded-up quotient is written as
`CeilDiv(a, b)`, which only our loader provides. Everything else is the plain API.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from keyword import iskeyword
from typing import Final

from att.errors import EmitError
from att.expr.core import Add, CeilDiv, Expr, FloorDiv, Int, Max, Min, Mod, Mul, Sym
from att.ir.axis import Axis, AxisKind, Size
from att.ir.dtype import DType
from att.ir.graph import HintGraph
from att.ir.node import AttrValue, Node
from att.ops.registry import spec_of

_TAKEN: Final = ("ascir", "graph", "Max", "Min", "CeilDiv")
"""Names the script itself needs."""

_DTYPE_NAMES: Final[Mapping[DType, str]] = {DType.BFLOAT16: "bf16", DType.FLOAT64: "double"}
"""Names of the real API where they differ from ours."""


def to_script(graph: HintGraph) -> str:
    """The script. Raises EmitError for what the builder API cannot say."""
    names = _Names()
    sizes = {s.name: names.take(s.name) for s in graph.sizes}
    axes = {a.name: names.take(a.name) for a in graph.axes}
    nodes = {n.name: names.take(n.name.rpartition("/")[2]) for n in graph.nodes}
    lines = [
        "from autofuse.pyautofuse import ascir",
        "",
        f"graph = ascir.HintGraph({_quoted(graph.name)})",
        *(_size(size, sizes[size.name]) for size in graph.sizes),
        *(_axis(axis, axes[axis.name], sizes) for axis in graph.axes),
        *(line for node in graph.nodes for line in _node(node, nodes, axes, sizes)),
    ]
    return "\n".join(lines) + "\n"


class _Names:
    """Gives every thing a Python name of its own."""

    def __init__(self) -> None:
        self._used: set[str] = set(_TAKEN)

    def take(self, wanted: str) -> str:
        """The wanted name, or one like it that is free."""
        base = re.sub(r"\W", "_", wanted, flags=re.ASCII)
        base = f"_{base}" if not base or base[0].isdigit() or iskeyword(base) else base
        name, count = base, 0
        while name in self._used:
            count += 1
            name = f"{base}_{count}"
        self._used.add(name)
        return name


def _size(size: Size, name: str) -> str:
    usual = Size(name=size.name)
    options = _options(
        min=(size.minimum, usual.minimum), max=(size.maximum, usual.maximum), multiple_of=(size.multiple_of, usual.multiple_of)
    )
    return f"{name} = graph.create_size({_quoted(size.name)}{options})"


def _axis(axis: Axis, name: str, sizes: Mapping[str, str]) -> str:
    if axis.kind is not AxisKind.ORIGINAL:
        raise EmitError(f"axis {axis.name} is {axis.kind.value}, a builder script has original axes only", hint="write JSON or text")
    options = _options(
        align=(axis.align, 1), allow_oversize=(axis.allow_oversize, False), allow_unaligned_tail=(axis.allow_unaligned_tail, True)
    )
    return f"{name} = graph.create_axis({_quoted(axis.name)}, {_expr(axis.size, sizes)}{options})"


def _options(**values: tuple[object, object]) -> str:
    return "".join(f", {key}={value!r}" for key, (value, usual) in values.items() if value != usual)


def _node(node: Node, nodes: Mapping[str, str], axes: Mapping[str, str], sizes: Mapping[str, str]) -> Iterator[str]:
    name, view = nodes[node.name], node.output
    yield ""
    yield f"{name} = ascir.ops.{node.op}({_quoted(node.name)}, graph)"
    if node.axes:
        yield f"{name}.attr.sched.axis = {_listed(axes[a] for a in node.axes)}"
    for attr, value in node.attrs.items():
        yield f"{name}.attr.ir_attr.{attr} = {_value(value, sizes)}"
    yield from _inputs(node, name, nodes)
    yield f"{name}.y.dtype = ascir.dtypes.{_DTYPE_NAMES.get(view.dtype, view.dtype.value)}"
    if view.axes:
        yield f"{name}.y.axis = {_listed(axes[a] for a in view.axes)}"
        yield f"{name}.y.size = {_listed(_expr(r, sizes) for r in view.repeats)}"
        yield f"{name}.y.strides = {_listed(_expr(s, sizes) for s in view.strides)}"


def _inputs(node: Node, name: str, nodes: Mapping[str, str]) -> Iterator[str]:
    operands = spec_of(node.op).inputs
    if len(operands) == len(node.inputs):
        yield from (f"{name}.{operand} = {nodes[source]}.y" for operand, source in zip(operands, node.inputs, strict=True))
    elif len(operands) == 1:
        yield f"{name}.{operands[0]} = {_listed(f'{nodes[source]}.y' for source in node.inputs)}"
    else:
        raise EmitError(f"node {node.name} has {len(node.inputs)} inputs, {node.op} takes {len(operands)}")


def _value(value: AttrValue, sizes: Mapping[str, str]) -> str:
    if isinstance(value, Expr):
        return _expr(value, sizes)
    return _quoted(value) if isinstance(value, str) else repr(value)


def _quoted(text: str) -> str:
    """A Python literal; what JSON escapes, Python reads the same way."""
    return json.dumps(text, ensure_ascii=False)


def _listed(items: Iterable[str]) -> str:
    return f"[{', '.join(items)}]"


_SUM: Final = 1
_QUOTIENT: Final = 2
_PRODUCT: Final = 3
_ATOM: Final = 4


def _expr(expr: Expr, sizes: Mapping[str, str]) -> str:
    """Python text that evaluates to the expression over the script's names."""
    return _printed(expr, sizes)[0]


def _printed(expr: Expr, sizes: Mapping[str, str]) -> tuple[str, int]:
    """Text, and how tightly it holds together."""

    def within(level: int, part: Expr) -> str:
        text, own = _printed(part, sizes)
        return text if own >= level else f"({text})"

    match expr:
        case Int(value):
            return str(value), _ATOM if value >= 0 else _SUM
        case Sym(name):
            return sizes[name], _ATOM
        case Add(terms):
            return _sum([_expr(t, sizes) for t in terms]), _SUM
        case Mul(factors):
            text = "*".join(within(_ATOM, f) for f in _in_safe_order(factors))
            return text.replace("-1*", "-", 1) if text.startswith("-1*") else text, _PRODUCT
        case FloorDiv(n, d):
            return f"{within(_PRODUCT, n)}//{within(_ATOM, d)}", _QUOTIENT
        case Mod(n, d):
            return f"{within(_PRODUCT, n)}%{within(_ATOM, d)}", _QUOTIENT
        case CeilDiv(n, d):
            return f"CeilDiv({_expr(n, sizes)}, {_expr(d, sizes)})", _ATOM
        case Min(args) | Max(args):
            return f"{type(expr).__name__}({', '.join(_expr(a, sizes) for a in args)})", _ATOM
        case _:
            raise EmitError(f"a builder script cannot say {type(expr).__name__}", hint="write JSON or text")


def _sum(terms: list[str]) -> str:
    return terms[0] + "".join(f" - {t[1:]}" if t.startswith("-") else f" + {t}" for t in terms[1:])


def _in_safe_order(factors: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """The constant last if there is a sum: before the sum it would be multiplied into it when the script runs."""
    if not any(isinstance(f, Add) for f in factors):
        return factors
    return (*(f for f in factors if not isinstance(f, Int)), *(f for f in factors if isinstance(f, Int)))
