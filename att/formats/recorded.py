"""From what a script has built to a HintGraph: which graph, its name, its nodes in order, its kernel arguments.

The kernel's arguments are numbered by the FusedGraph where there is one: its Data with index k that is linked to entry i of an
AscBackend's `x` stands for the HintGraph's Data with index i (backend_client_contract §2.3).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from att.errors import GraphError
from att.formats.ascir import AscBackend, FusedGraph, HintGraph, in_order, inferred_dtype
from att.formats.ascir_module import Session
from att.formats.ascir_ops import Operator
from att.ir import graph as ir
from att.ir.node import AttrValue, Node
from att.ir.tensor import TensorView

_NO_NEST: Final = frozenset({"Data", "Output", "Scalar"})
"""Ops that sit in no loop nest, whatever a script sets."""


def recorded_graph(session: Session, stem: str) -> ir.HintGraph:
    """The one graph a script has built. Raises GraphError if it has built none, several or an incomplete one."""
    backend = _only_backend(session)
    hint = _only_hint_graph(session) if backend is None else backend.hint_graph
    fused = backend.graph if backend is not None and isinstance(backend.graph, FusedGraph) else None
    graph = _graph(hint, (fused and fused.name) or hint.name or stem)
    return graph if backend is None or fused is None else _renumbered(graph, _arguments(backend, fused))


def _only_backend(session: Session) -> AscBackend | None:
    count = len(session.backends)
    if count > 1 or (count == 0 and session.fused_graphs):
        raise GraphError(
            f"the script links {count} AscBackends into its FusedGraph", hint="one kernel is one AscBackend: give each its own script"
        )
    return session.backends[0] if count else None


def _only_hint_graph(session: Session) -> HintGraph:
    count = len(session.hint_graphs)
    if count != 1:
        built = "no HintGraph" if count == 0 else f"{count} HintGraphs ({', '.join(str(g.name) for g in session.hint_graphs)})"
        raise GraphError(f"the script builds {built}", hint="build exactly one, with ascir.HintGraph(name)")
    return session.hint_graphs[0]


def _graph(hint: HintGraph, name: str) -> ir.HintGraph:
    for operator in hint.operators:
        _require_linked(operator)
    _require_acyclic(in_order(hint.operators))
    hint.infer_dtypes()
    numbers = _numbers(hint)
    nodes = tuple(_node(operator, numbers) for operator in in_order(hint.operators))
    return ir.HintGraph(name=name, sizes=tuple(hint.sizes), axes=tuple(a.record for a in hint.axes), nodes=nodes)


def _numbers(hint: HintGraph) -> Mapping[Operator, int]:
    """Indices of Data and Output where a script sets none: their order, as the real API numbers a lone HintGraph."""
    found: dict[Operator, int] = {}
    for op in ("Data", "Output"):
        ends = [o for o in hint.operators if o.type == op]
        if all("index" not in o.attr.ir_attr.values for o in ends):
            found.update({operator: i for i, operator in enumerate(ends)})
    return found


def _require_linked(operator: Operator) -> None:
    for operand in operator.operands:
        if operand not in operator.linked:
            raise GraphError(f"operand {operand} of {operator.type} {operator.name!r} is not linked", hint=f"set its {operand}")


def _require_acyclic(operators: Sequence[Operator]) -> None:
    done: set[Operator] = set()
    for operator in operators:
        for source in operator.sources:
            if source.owner not in done:
                raise GraphError(f"{operator.name} depends on itself through {source.owner.name}", hint="break the cycle")
        done.add(operator)


def _node(operator: Operator, numbers: Mapping[Operator, int]) -> Node:
    attrs: dict[str, AttrValue] = dict(operator.attr.ir_attr.values)
    if operator in numbers:
        attrs["index"] = numbers[operator]
    y = operator.y
    return Node(
        name=operator.name,
        op=operator.type,
        inputs=tuple(source.owner.name for source in operator.sources),
        attrs=MappingProxyType(attrs),
        axes=() if operator.type in _NO_NEST else tuple(axis.name for axis in operator.attr.sched.axis),
        output=TensorView(
            dtype=inferred_dtype(operator) if y.dtype is None else y.dtype,
            axes=tuple(axis.name for axis in y.axis),
            repeats=y.size,
            strides=y.strides,
        ),
    )


@dataclass(frozen=True, slots=True)
class _Arguments:
    """Index in the FusedGraph by index in the HintGraph."""

    data: Mapping[int, int]
    outputs: Mapping[int, int]


def _arguments(backend: AscBackend, fused: FusedGraph) -> _Arguments:
    data: dict[int, int] = {}
    for i, source in enumerate(backend.sources):
        if source.owner.type != "Data":
            raise GraphError(f"input {i} of {backend.name} is {source.owner.name}, not a Data of {fused.name}", hint="link Data to it")
        data[i] = _index(source.owner)
    if not data and any(o.type == "Data" for o in backend.hint_graph.operators):
        raise GraphError(f"the inputs of {backend.name} are not linked", hint="set its x to the list of Data")
    outputs: dict[int, int] = {}
    for end in (o for o in fused.operators if o.type == "Output"):
        for source in end.sources:
            if source.owner is not backend:
                raise GraphError(f"output {end.name} takes {source.owner.name}, not a result of {backend.name}", hint="link its y[i]")
            if source.index in outputs:
                raise GraphError(f"result {source.index} of {backend.name} goes to two outputs", hint="store it twice in its graph")
            outputs[source.index] = _index(end)
    _require_all_used(backend, fused, data, outputs)
    return _Arguments(data, outputs)


def _require_all_used(backend: AscBackend, fused: FusedGraph, data: Mapping[int, int], outputs: Mapping[int, int]) -> None:
    unused = [o.name for o in fused.operators if o.type == "Data" and _index(o) not in data.values()]
    if unused:
        raise GraphError(f"input {unused[0]} of {fused.name} is not linked to {backend.name}", hint="link it, or remove it")
    count = len(backend.y) if isinstance(backend.y, list) else 1
    missing = [str(i) for i in range(count) if i not in outputs]
    if missing:
        raise GraphError(f"result {', '.join(missing)} of {backend.name} goes to no Output", hint="link it to an Output of the FusedGraph")


def _index(operator: Operator) -> int:
    index = operator.attr.ir_attr.values.get("index")
    if not isinstance(index, int):
        raise GraphError(f"{operator.type} {operator.name!r} has no index", hint="set its attr.ir_attr.index")
    return index


def _renumbered(graph: ir.HintGraph, arguments: _Arguments) -> ir.HintGraph:
    """The graph with the kernel's numbering; Data that stand for one argument become one."""
    first: dict[int, str] = {}
    same: dict[str, str] = {}
    nodes: list[Node] = []
    for node in graph.nodes:
        new = _with_index(node, arguments)
        if new.op == "Data":
            kept = first.setdefault(int(str(new.attrs["index"])), new.name)
            if kept != new.name:
                _require_same_dtype(nodes, kept, new)
                same[new.name] = kept
                continue
        nodes.append(replace(new, inputs=tuple(same.get(i, i) for i in new.inputs)))
    return replace(graph, nodes=tuple(nodes))


def _with_index(node: Node, arguments: _Arguments) -> Node:
    table = {"Data": arguments.data, "Output": arguments.outputs}.get(node.op)
    if table is None:
        return node
    index = node.attrs.get("index")
    if not isinstance(index, int) or index not in table:
        raise GraphError(f"{node.op} {node.name!r} has the index {index}, but there are {len(table)}", hint="number them from 0")
    return replace(node, attrs=MappingProxyType({**node.attrs, "index": table[index]}))


def _require_same_dtype(nodes: Sequence[Node], kept: str, other: Node) -> None:
    node = next(n for n in nodes if n.name == kept)
    if node.output.dtype is not other.output.dtype:
        raise GraphError(
            f"{kept} ({node.output.dtype.value}) and {other.name} ({other.output.dtype.value}) are one argument", hint="give both one dtype"
        )
