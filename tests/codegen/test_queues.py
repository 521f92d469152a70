"""Kernels at the limits of queues: packed blocks, a load that is stored and computed with, one buffer in place of two."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from att.formats.builder import GraphBuilder
from att.ir.graph import ImplGraph, Template
from att.ir.tensor import Queue
from codegen.driver import build, check_run

SHAPE: dict[str, int] = {}


def _both(name: str) -> GraphBuilder:
    g = GraphBuilder(name, {"n": 1000})
    x = g.load("x", ("n",))
    g.store("copy", x)
    g.store("y", g.op("Exp", x))
    return g


def test_one_load_for_a_store_and_a_vector_op(bench: Any) -> None:
    assert bench.demand(_both("both").build(), SHAPE, tilings=4) >= 3


def test_ten_inputs_and_ten_outputs_on_four_queues(bench: Any) -> None:
    g = GraphBuilder("ten", {"n": 1000})
    for i in range(10):
        g.store(f"y{i}", g.op("Neg", g.load(f"x{i}", ("n",))))
    assert bench.demand(g.build(), SHAPE, tilings=4) >= 3


def test_what_is_reduced_whole_without_any_loop_has_one_buffer(bench: Any) -> None:
    g = GraphBuilder("total", {"n": 1000})
    g.store("y", g.reduce("Sum", g.load("x", ("n",)), "n"))
    assert bench.demand(g.build(), SHAPE, tilings=2) >= 2


def _single(graph: ImplGraph) -> ImplGraph:
    """The graph with one buffer wherever one is legal."""

    def one(queue: Queue) -> Queue:
        return replace(queue, buf_num=1, single_legal=False) if queue.single_legal else queue

    nodes = tuple(
        replace(n, output=replace(n.output, memory=replace(m, queue=one(m.queue)))) if (m := n.output.memory) and m.queue else n
        for n in graph.nodes
    )
    return replace(graph, nodes=nodes)


def test_one_buffer_is_legal_where_the_queue_says_so(bench: Any) -> None:
    graph = _both("single").build()
    candidates, _ = bench.build(graph)
    (double,) = candidates.templates
    single: Template = replace(double, phases=tuple(map(_single, double.phases)))
    done = check_run(build("single_buffers", (single,), bench.costs), bench.case(graph, SHAPE), single, {"z0t_size": 64, "z0Tb_size": 8})
    assert done.ok, done.complaints()
