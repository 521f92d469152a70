"""One `inline __aicore__` function for an ImplGraph: loops, queues, and every call in the graph's order.

    sizes, GM tensors, queues and buffers
    loads and calls that serve every tile
    for the tiles of this core                    (block loop; all calls outside the reduce loop)
        for the tiles of the reduced axis         (inner loop; what varies over it; once more for each walk)

Loads of one queue buffer are written together where the first stands, stores after the last vector call on their buffer.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Final

from att.errors import EmitError
from att.expr.core import integer
from att.ir.graph import ImplGraph
from att.ir.loops import loop_nest, parts_of, unvaried_loops
from att.ir.node import Node
from att.ir.roles import reduced_axes
from att.ir.walks import loads_back, once_per_core, segments
from att.ops.call import View
from att.ops.indexed import ROWS_OP
from att.ops.registry import spec_of
from att.ops.spec import ComputeType, Costs
from codegen.assemble import assemble, locals_of
from codegen.body import Body, CountedCall
from codegen.calls import rows, transfer
from codegen.calls.registry import emit_call
from codegen.dtypes import cxx_type
from codegen.literals import scalar_meaning, scalar_text
from codegen.memory import QueueText, setup_lines
from codegen.names import Labels, Names, identifier
from codegen.operands import TMP, Operand, Site
from codegen.scope import Level, Scope
from codegen.storage import node_level, place
from codegen.tiling_data import BufferField
from codegen.writer import Writer

WORKSPACE: Final = "workspace"
"""The kernel argument that phases hand results over in."""
_TMP: Final = re.compile(rf"\b{TMP}\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelFunction:
    """The text of one function, and what it needs around it."""

    name: str
    text: str
    arguments: tuple[str, ...]
    """Data and Output nodes whose pointers it takes, in order."""
    helpers: tuple[str, ...]
    """Device helpers that it calls."""
    expression_helpers: tuple[str, ...]
    """Functions of `codegen.cxx_expr` that it calls."""
    node_lines: tuple[tuple[str, int, int], ...]
    """Node, first and last line of its call in `text`, counted from 1."""
    counted: tuple[tuple[int, CountedCall], ...]
    """Line and call of every public API call in the text of a node."""
    actual_names: Mapping[str, str]
    """The local that holds the actual length of a cut axis, by TILE_IN axis."""


def argument_names(graph: ImplGraph) -> dict[str, str]:
    """C++ names of the kernel arguments, by Data, Output and Workspace node, inputs first; workspaces are one memory."""
    names = Names()
    given = {node.name: names.fresh(identifier(node.name)) for node in (*graph.data_nodes, *graph.output_nodes)}
    shared = [node.name for node in graph.nodes if node.op == "Workspace"]
    return {**given, **dict.fromkeys(shared, WORKSPACE)}


def emit_function(
    graph: ImplGraph, name: str, struct: str, costs: Costs, fields: Mapping[str, BufferField], labels: Labels, *, alone: bool = True
) -> KernelFunction:
    """The function of one ImplGraph with its `buffer_fields` and `labels`; `alone`: no other phase has a say in how many cores run.

    Raises EmitError for what has no emission.
    """
    function = _Function(graph, costs, fields, labels, alone=alone)
    function.write()
    return function.finished(name, struct)


class _Function:
    """The function while it is written."""

    def __init__(self, graph: ImplGraph, costs: Costs, fields: Mapping[str, BufferField], labels: Labels, *, alone: bool) -> None:
        self._graph = graph
        self._alone = alone
        self._costs = costs
        self._nest = loop_nest(graph)
        self._arguments = argument_names(graph)
        self._names = Names(self._arguments.values())
        self._scope = Scope(graph, self._nest, self._names, costs.chip)
        self._storage = place(graph, self._nest, self._names, labels, [entry.block for entry in fields.values() if entry.block])
        self._fields = fields
        self._kept = {entry.node: name for name, entry in fields.items() if entry.node}
        self._body = Body()
        self._queues = {name: QueueText(holder, self._scope, self._body) for name, holder in self._storage.queues.items()}
        self._gm = {
            node: self._names.fresh(f"{argument if argument != WORKSPACE else identifier(node)}Gm")
            for node, argument in self._arguments.items()
        }
        self._used_gm: dict[str, None] = {}
        self._calls = [n for n in graph.nodes if spec_of(n.op).pipe is not None]
        kinds = {op: spec_of(op).compute for op in {n.op for n in self._calls}}
        self._loads = {n.name for n in self._calls if kinds[n.op] is ComputeType.LOAD}
        self._stores = {n.name for n in self._calls if kinds[n.op] is ComputeType.STORE}
        self._labels = labels
        touched = {name: n for n in self._calls if n.name not in self._stores for name in (n.name, *n.inputs)}
        order = {n.name: i for i, n in enumerate(self._calls)}
        self._last_touch = {
            name: max((touched[value.node.name] for value in holder.values), key=lambda n: order[n.name])
            for name, holder in self._storage.queues.items()
        }

    # The loops.

    def write(self) -> None:
        """The loops and everything in them."""
        held = self._load_once()
        with self._block_loop():
            parts = segments(self._graph, self._nest)
            walks = [part for part in parts if part.looped]
            for part in parts:
                if len(walks) > 1 and part in walks:
                    self._body.comment(f"Walk {walks.index(part) + 1} of {len(walks)} over {self._walked()}.")
                if loads_back(self._graph, part):
                    self._body.comment("What earlier walks stored has to be there.")
                    self._body.uses("Handshake")
                    self._body.line("Handshake<HardEvent::MTE3_MTE2>(pipe);")
                if part.looped:
                    self._inner_loop(part.nodes)
                else:
                    self._segment(part.nodes, Level.PASS)

        for queue in held:
            queue.free()

    def _load_once(self) -> list[QueueText]:
        """What serves every pass of the block loop; each queue once, to be freed after the loop."""
        for node in once_per_core(self._graph, self._nest):
            if node.name in self._loads:
                self._load(node)
            else:
                self._call(node, Level.FUNCTION)
        held = [queue for queue in self._queues.values() if queue.holder.level is Level.FUNCTION]
        for queue in held:
            if not queue.ready:
                queue.receive()
        if held:
            self._body.writer.blank()
        return held

    def _walked(self) -> str:
        """The axes of the inner loop, by their names before they were cut."""
        return ", ".join(self._scope.original_axes(parts_of(self._graph, self._nest.inner[-1])))

    @contextmanager
    def _block_loop(self) -> Generator[None]:
        block = self._nest.block
        if block is None:
            self._body.line(locals_of(Level.PASS))
            yield
            return
        text = self._scope.text
        first, stop = self._names.fresh("firstTile"), self._names.fresh("endTile")
        index = self._scope.index(block.fused).name
        self._body.uses_expression("Smaller")
        times = "" if block.per_core == integer(1) else f" * {self._scope.printer.factor(block.per_core)}"
        self._body.line(f"const int64_t {first} = GetBlockIdx(){times};")
        self._body.line(f"const int64_t {stop} = Smaller({first} + {text(block.per_core)}, {text(block.count)});")
        with self._body.loop(f"for (int64_t {index} = {first}; {index} < {stop}; ++{index})", block.count):
            self._body.line(locals_of(Level.PASS))
            yield

    def _inner_loop(self, inside: Sequence[Node]) -> None:
        outside = [q for q in self._queues.values() if q.holder.level is Level.PASS]
        for queue in outside:
            if not queue.holder.is_touched_by(inside):
                continue
            if not queue.allocated:
                queue.allocate()
            if not queue.ready:
                queue.receive()
        index = self._scope.index(self._nest.inner[-1])
        with transfer.counted(self._scope, self._body, index, self._scope.turns), self._scope.part() as part:
            self._body.line(locals_of(Level.TURN, part))
            self._segment(inside, Level.TURN)
        for queue in outside:
            if self._last_touch[queue.holder.block.name] in inside:
                queue.finish(self._store)

    def _segment(self, nodes: Sequence[Node], level: Level) -> None:
        queues = [queue for queue in self._queues.values() if queue.holder.level is level]
        for node in nodes:
            if node.name in self._loads:
                self._load(node)
            elif node.name not in self._stores:
                self._call(node, level)
            for queue in queues:
                if self._last_touch[queue.holder.block.name] is node:
                    queue.finish(self._store)

    # The calls.

    def _call(self, node: Node, level: Level) -> None:
        self._body.comment(self._described(node))
        for name in dict.fromkeys((*node.inputs, node.name)):
            value = self._storage.values.get(name)
            queue = self._queues.get(value.block) if value else None
            if queue is None or queue.holder.level is not level:
                continue
            if not queue.allocated:
                queue.allocate()
            if not queue.ready:
                queue.receive()
        with self._body.node(node.name):
            emit_call(self._site(node))

    def _site(self, node: Node) -> Site:
        spec = spec_of(node.op)
        level = node_level(self._nest, node)
        call = self._scope.full_call(node) if level is Level.FUNCTION else self._scope.call(node)
        cut = spec.compute is ComputeType.REDUCE and level is Level.TURN
        return Site(
            scope=self._scope,
            body=self._body,
            node=node,
            spec=spec,
            call=call,
            inputs=tuple(self._operand(name, view) for name, view in zip(node.inputs, call.inputs, strict=True)),
            output=self._tensor(node, call.output),
            costs=self._costs,
            turn=self._scope.index(self._nest.inner[-1]) if cut else None,
            kept=self._kept.get(node.name, ""),
        )

    def _operand(self, name: str, view: View) -> Operand:
        node = self._graph.node_of[name]
        if node.op == "Scalar":
            return Operand(text=scalar_text(node, self._scope.text), view=view, storage="")
        return self._tensor(node, view)

    def _tensor(self, node: Node, view: View) -> Operand:
        value = self._storage.values.get(node.name)
        if value is None:
            raise EmitError(f"{node.op} {node.name} lies in no queue or buffer", where=self._graph.name, hint="schedule the graph again")
        return Operand(text=value.name, view=view, storage=value.storage)

    def _load(self, node: Node) -> None:
        """All loads of a queue buffer, at the first of them."""
        queue = self._queues[self._storage.values[node.name].block]
        if queue.allocated:
            return
        members = [v.node for v in queue.holder.values]
        self._body.comment("; ".join(self._described(n) for n in members))
        queue.allocate()
        for member in members:
            move = self._move(member, member.name, member.inputs[0])
            with self._body.node(member.name):
                if member.op == ROWS_OP:
                    rows.load_rows(move, self._storage.values[member.inputs[1]], self._queues)
                else:
                    transfer.load(move)
        queue.hand_over()

    def _move(self, node: Node, value: str, argument: str) -> transfer.Move:
        held = self._storage.values[value]
        return transfer.make_move(self._scope, self._body, node, (held.name, held.storage), self._gm_of(argument))

    def _store(self, node: Node) -> None:
        ends = [user for user in self._graph.consumers_of[node.name] if user.op in ("Output", "Workspace")]
        if len(ends) != 1:
            raise EmitError(f"Store {node.name} has {len(ends)} ends", where=self._graph.name, hint="give every Output its own Store")
        self._body.comment(self._described(node))
        still = [f"{self._scope.text(self._scope.index(axis))} == 0" for axis in unvaried_loops(self._graph, self._nest, node)]
        with self._body.node(node.name), self._body.loop(f"if ({' && '.join(still)})") if still else nullcontext():
            transfer.store(self._move(node, node.inputs[0], ends[0].name))

    def _gm_of(self, name: str) -> str:
        if name not in self._gm:
            raise EmitError(f"{name} is no kernel argument", where=self._graph.name, hint="load from a Data or a Workspace")
        self._used_gm[name] = None
        return self._gm[name]

    def _described(self, node: Node) -> str:
        sources = [self._graph.node_of[name] for name in node.inputs]
        texts = [scalar_meaning(n) if n.op == "Scalar" else self._labels[n.name].plain for n in sources]
        over = ""
        if spec_of(node.op).compute is ComputeType.REDUCE:
            over = f" over {', '.join(self._scope.original_axes(reduced_axes(self._graph, node)))}"
        return f"{self._labels[node.name].plain} = {node.op}({', '.join(texts)}){over}"

    # The whole text.

    def finished(self, name: str, struct: str) -> KernelFunction:
        """The function around the loops."""
        body = assemble(self._body.writer.written, self._scope)
        head = self._head(tmp_is_used=any(TMP in line and _TMP.search(line) for line in body.lines))
        lines = Writer()
        arguments = self._used_arguments()
        parameters = [*(f"GM_ADDR {self._arguments[n]}" for n in arguments), f"const __gm__ {struct} *tiling"]
        lines.line(f"__aicore__ inline void {name}({', '.join(parameters)})")
        with lines.block():
            if self._nest.block is None and not self._alone:
                with lines.block("if (GetBlockIdx() > 0)"):
                    lines.line("return;  // one core does it all")
                lines.blank()
            lines.lines(head)
            lines.blank()
            offset = lines.count
            lines.lines(body.lines)
        return KernelFunction(
            name=name,
            text=lines.text(),
            arguments=arguments,
            helpers=tuple(self._body.helpers),
            expression_helpers=tuple(dict.fromkeys((*self._body.expression_helpers, *self._scope.printer.used_helpers))),
            node_lines=tuple((node, first + offset, last + offset) for node, first, last in body.node_lines),
            counted=tuple((body.counted_lines[i] + offset, call) for i, call in enumerate(self._body.counted)),
            actual_names=self._scope.actual_names,
        )

    def _used_arguments(self) -> tuple[str, ...]:
        """A node for each kernel argument that the function uses."""
        first: dict[str, str] = {}
        for node, argument in self._arguments.items():
            if node in self._used_gm:
                first.setdefault(argument, node)
        return tuple(first.values())

    def _head(self, *, tmp_is_used: bool) -> list[str]:
        gm: list[str] = []
        for node in self._arguments:
            if node in self._used_gm:
                kind = cxx_type(self._graph.node_of[node].output.dtype)
                gm.append(f"GlobalTensor<{kind}> {self._gm[node]};")
                gm.append(f"{self._gm[node]}.SetGlobalBuffer((__gm__ {kind} *){self._arguments[node]});")
        sizes = self._scope.definitions(Level.FUNCTION)
        return [*sizes, *([""] if sizes else []), *gm, "", *setup_lines(self._storage, self._fields, tmp_is_used=tmp_is_used)]
