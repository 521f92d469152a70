"""Removes casts that change no value, and the wider types between them.

    x bfloat16 -> float32 -> bfloat16                     reads x
    Cast(Broadcast(Cast(x)))  float16 -> float32 -> float16     Broadcast(x)
    x float32 -> bfloat16 -> float32                      stays: the first cast rounds, unless x is known to hold bfloat16 values only

Known are the values of casts to wider types, and of ops that only choose among or move such values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from att.ir.dtype import DType
from att.ir.graph import CastChange, Graph
from att.ir.node import Node
from att.ops.dtypes import CASTS
from att.ops.registry import spec_of
from schedule.cleanup import DropUnread
from schedule.conversions import means_the_same
from schedule.scalars import fits

_CHOOSING: Final = frozenset({"Broadcast", "Max", "Maximum", "Min", "Minimum", "Relu", "Transpose", "Where"})
"""Ops whose results are values of their operands, or 0."""
_SIGNED: Final = frozenset({"Abs", "Neg"})
"""Of floats: results are values of the operands with another sign, which every float type has too."""


@dataclass(frozen=True, slots=True)
class DropNeedlessCasts:
    """Casts that change no value are not made, nor ops in a wider type between them.

    Before: `c = Cast(x bfloat16) float32; y = Cast(c) bfloat16`.  After: whoever read `y` reads `x`.
    """

    table: str
    """The chip's op table, `v1` or `v2`."""

    def apply(self, graph: Graph) -> Graph:
        """The same values with fewer casts, in types that the table allows."""
        read = DropUnread()
        return read.apply(_computed_narrow(read.apply(_joined(graph, self.table)), self.table))


def _joined(graph: Graph, table: str) -> Graph:
    """Casts read what a cast before them read, where that one changed no value; of equal casts only the first stays."""
    source: dict[str, str] = {}
    done: dict[tuple[str, DType], str] = {}
    kept: dict[str, Node] = {}
    exact: dict[str, DType] = {}
    for original in graph.nodes:
        node = replace(original, inputs=tuple(source.get(name, name) for name in original.inputs))
        node = _skipping(node, kept, exact, table)
        if node.op == "Cast":
            value, dtype = node.inputs[0], node.output.dtype
            same = value if kept[value].output.dtype is dtype else done.setdefault((value, dtype), node.name)
            if same != node.name:
                source[node.name] = same
                continue
        kept[node.name] = node
        exact[node.name] = _exact_type(node, kept, exact)
    return replace(graph, nodes=tuple(kept.values()))


def _skipping(node: Node, kept: Mapping[str, Node], exact: Mapping[str, DType], table: str) -> Node:
    if node.op != "Cast":
        return node
    before = kept[node.inputs[0]]
    if before.op != "Cast":
        return node
    first = kept[before.inputs[0]]
    source, middle, target = first.output.dtype, before.output.dtype, node.output.dtype
    if source is target and (middle.holds(exact[first.name]) or _same_bits(source, middle)):
        return replace(node, inputs=(first.name,))
    if (source, target) in CASTS[table] and means_the_same(source, middle, target):
        return replace(node, inputs=(first.name,))
    return node


def _same_bits(a: DType, b: DType) -> bool:
    """Integers of one width wrap around into each other and back."""
    return a.bytes == b.bytes and not a.is_float and not b.is_float and DType.BOOL not in (a, b)


def _exact_type(node: Node, kept: Mapping[str, Node], exact: Mapping[str, DType]) -> DType:
    """The narrowest type that is known to hold every value of a node."""
    own = node.output.dtype
    if node.op == "Cast":
        given = exact[node.inputs[0]]
        return given if own.holds(given) else own
    if not _chooses(node):
        return own
    mask = spec_of(node.op).mask_operand
    data = [kept[name] for i, name in enumerate(node.inputs) if i != mask]
    found = {exact[n.name] for n in data if n.op != "Scalar"}
    if len(found) != 1:
        return own
    (narrow,) = found
    return narrow if all(fits(n, narrow) for n in data if n.op == "Scalar") else own


def _chooses(node: Node) -> bool:
    return node.op in _CHOOSING or (node.op in _SIGNED and node.output.dtype.is_float)


def _computed_narrow(graph: Graph, table: str) -> Graph:
    """Ops that choose among values cast to a wider type, and are cast back, choose among the values themselves."""
    narrowed: dict[str, tuple[Node, ...]] = {}
    for node in graph.nodes:
        if node.op == "Cast":
            found = _in_type(graph, node.inputs[0], node.output.dtype, table)
            if found:
                *inner, last = found
                narrowed |= {n.name: () for n in found if n.op != "Scalar"}
                narrowed[node.name] = (*inner, replace(last, name=node.name))
    return replace(graph, nodes=tuple(new for node in graph.nodes for new in narrowed.get(node.name, (node,))))


def _in_type(graph: Graph, name: str, dtype: DType, table: str) -> tuple[Node, ...]:
    """The ops that choose a value, which nothing else reads, all in another type; () where they cannot be."""
    node = graph.node_of[name]
    spec = spec_of(node.op)
    if not _chooses(node) or dtype not in spec.dtypes.get(table, ()) or len(graph.consumers_of[name]) > 1:
        return ()
    new: list[Node] = []
    inputs: list[str] = []
    for i, source in enumerate(node.inputs):
        operand = graph.node_of[source]
        if i == spec.mask_operand:
            inputs.append(source)
        elif operand.op == "Cast" and graph.node_of[operand.inputs[0]].output.dtype is dtype and operand.output.dtype.holds(dtype):
            inputs.append(operand.inputs[0])
        elif operand.op == "Scalar" and fits(operand, dtype):
            new.append(replace(operand, name=f"{name}.{spec.inputs[i]}", output=replace(operand.output, dtype=dtype)))
            inputs.append(new[-1].name)
        elif inner := _in_type(graph, source, dtype, table):
            new.extend(inner)
            inputs.append(source)
        else:
            return ()
    return (*new, replace(node, inputs=tuple(inputs), output=replace(node.output, dtype=dtype)))


def cast_changes(before: Graph, after: Graph) -> tuple[CastChange, ...]:
    """Casts of one graph only, those of `after` first."""
    old, new = _casts(before), _casts(after)
    added = tuple(replace(change, added=True) for key, change in new.items() if key not in old)
    return (*added, *(change for key, change in old.items() if key not in new))


def _casts(graph: Graph) -> dict[tuple[str, DType, DType], CastChange]:
    found: dict[tuple[str, DType, DType], CastChange] = {}
    for node in graph.nodes:
        if node.op == "Cast":
            value = graph.node_of[node.inputs[0]]
            change = CastChange(node=node.name, value=value.name, source=value.output.dtype, target=node.output.dtype, added=False)
            found[node.name, change.source, change.target] = change
    return found
