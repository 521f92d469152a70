"""Kernels that walk the inner loop several times: odd tilings of graphs that stress what outlives a walk and what takes turns in a queue."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from att.errors import EmitError
from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.ir.dtype import DType
from att.ir.graph import HintGraph, Template
from benchmarks.tilings import random_tilings
from codegen.driver import build, check_run
from codegen.entry import emit_kernel

SIZES = {axis: Size(name=f"{axis}_size") for axis in ("m", "k", "n")}
SHAPES = [(5, 3, 20), (7, 9, 33), (1, 1, 1), (3, 40, 17)]


def builder(name: str, axes: str = "mn") -> GraphBuilder:
    return GraphBuilder(name, {a: SIZES[a].symbol for a in axes}, tuple(SIZES[a] for a in axes))


def softmax(axis: str) -> HintGraph:
    """Over the first, the middle or the last axis."""
    g = builder(f"softmax_{axis}", "mkn")
    x = g.load("x", ("m", "k", "n"))
    e = g.op("Exp", g.op("Sub", x, g.reduce("Max", x, axis)))
    g.store("y", g.op("TrueDiv", e, g.reduce("Sum", e, axis)))
    return g.build()


def two_axes() -> HintGraph:
    """Reduced over two axes that do not merge: the one that is not cut is a loop or lies in UB."""
    g, (k, n) = builder("two_axes", "mkn"), (SIZES["k"].symbol, SIZES["n"].symbol)
    x = g.load("x", ("m", "k", "n"), strides=(k * (n + 3), n + 3, 1))
    g.store("y", g.op("Sub", x, g.reduce("Max", x, "k", "n")))
    return g.build()


def outputs() -> HintGraph:
    """Results of both reduces are stored and read by later walks; the first two walks store rows as well."""
    g = builder("outputs")
    x = g.load("x", ("m", "n"))
    largest = g.reduce("Max", x, "n")
    e = g.op("Exp", g.op("Sub", x, largest))
    total = g.reduce("Sum", e, "n")
    for name, value in (("largest", largest), ("e", e), ("a", g.op("Abs", x)), ("total", total)):
        g.store(name, value)
    g.store("y", g.op("Mul", e, g.op("Add", largest, total)))
    return g.build()


def many_operands() -> HintGraph:
    """More loads than queues in every walk, one per column, one per row."""
    g = builder("many_operands")
    total = g.load("x", ("m", "n"))
    for i in range(5):
        total = g.op("Add", total, g.load(f"w{i}", ("m", "n")))
    result = g.op("Sub", total, g.reduce("Max", total, "n"))
    for i in range(5):
        result = g.op("Mul", result, g.load(f"v{i}", ("n",)))
    g.store("y", g.op("Mul", result, g.load("column", ("m",))))
    return g.build()


def half() -> HintGraph:
    """float16 in and out, float32 inside."""
    g = builder("half")
    x = g.cast(g.load("x", ("m", "n"), DType.FLOAT16), DType.FLOAT32)
    e = g.op("Exp", g.op("Sub", x, g.reduce("Max", x, "n")))
    g.store("y", g.cast(g.op("TrueDiv", e, g.reduce("Sum", e, "n")), DType.FLOAT16))
    return g.build()


def exp_and_abs() -> HintGraph:
    """The second sum belongs to the walk of the maximum, although it stands behind the walk of the first sum."""
    g = builder("exp_and_abs")
    x = g.load("x", ("m", "n"))
    exp = g.op("Exp", g.op("Sub", x, g.reduce("Max", x, "n")))
    g.store("y", g.op("Add", g.reduce("Sum", exp, "n"), g.reduce("Sum", g.op("Abs", x), "n")))
    return g.build()


def kept() -> HintGraph:
    """A value of float16 operands and an error function, which later walks load from workspace; it leaves the kernel, too."""
    g = builder("kept")
    x, w = (g.cast(g.load(name, ("m", "n"), DType.FLOAT16), DType.FLOAT32) for name in ("x", "w"))
    v = g.op("Mul", w, g.op("Erf", x))
    e = g.op("Exp", g.op("Sub", v, g.reduce("Max", v, "n")))
    g.store("v", v)
    g.store("y", g.op("TrueDiv", e, g.reduce("Sum", e, "n")))
    return g.build()


def copied() -> HintGraph:
    """One input passes through without the vector unit."""
    g = builder("copied")
    x = g.load("x", ("m", "n"))
    g.store("y", g.op("Sub", x, g.reduce("Max", x, "n")))
    g.store("z", g.load("w", ("m", "n")))
    return g.build()


GRAPHS = [softmax("m"), softmax("k"), softmax("n"), two_axes(), outputs(), many_operands(), half(), copied(), exp_and_abs(), kept()]


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda g: g.name)
def test_every_chunked_template_is_right(bench: Any, graph: HintGraph) -> None:
    candidates, _ = bench.build(graph)
    templates = [t for t in candidates.templates if t.name.startswith("chunked")]
    ran = 0
    for values in SHAPES:
        shape = {size.name: value for size, value in zip(SIZES.values(), values, strict=True) if size in graph.sizes}
        for template in templates:
            for tiling in random_tilings(bench.problem(template, shape), 2, random.Random(f"{template.name} {values}")):
                done = bench.run(graph, shape, template, tiling)
                assert done.ok, f"{template.name} {shape} {tiling}: {done.complaints()}"
                ran += 1
    assert ran >= len(SHAPES) * len(templates)


def chunked(bench: Any, graph: HintGraph) -> Template:
    candidates, _ = bench.build(graph)
    return next(t for t in candidates.templates if t.name.startswith("chunked"))


def text_of(bench: Any, graph: HintGraph) -> str:
    return emit_kernel(graph.name, (chunked(bench, graph),), bench.costs).text.split("// Template")[1]


def test_the_text_names_the_walks_and_one_queue_serves_them(bench: Any) -> None:
    text = text_of(bench, GRAPHS[2])
    assert [line.strip() for line in text.splitlines() if "// Walk" in line] == [f"// Walk {i} of 3 over z2." for i in (1, 2, 3)]
    assert "TQue<TPosition::VECIN, 1> q0;  // load / load_walk2 / load_walk3" in text
    assert text.count("pipe.InitBuffer(q0,") == 1
    assert len(re.findall(r"q0\.AllocTensor", text)) == len(re.findall(r"q0\.FreeTensor", text)) == 3


def test_a_walk_waits_for_what_earlier_ones_stored(bench: Any, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the wait the CPU model finds that loads overtake stores."""
    graph = GRAPHS[-1]
    candidates, _ = bench.build(graph)
    template = next(t for t in candidates.templates if ".kept" in t.name)
    text = emit_kernel(graph.name, (template,), bench.costs).text
    assert text.count("Handshake<HardEvent::MTE3_MTE2>(pipe);") == 2
    monkeypatch.setattr("codegen.kernel.loads_back", lambda graph, part: False)
    built = build("kept_unguarded", (template,), bench.costs, kernel_cache)
    (phase,) = template.phases
    case = bench.case(graph, {"m_size": 2, "n_size": 40})
    done = check_run(built, case, template, {v.name: 1 if v.name.endswith("b_size") else 16 for v in phase.variables})
    assert not done.ok
    assert "HardEvent::MTE3_MTE2" in done.complaints()[0]


def test_each_walk_defines_only_the_lengths_it_uses(bench: Any) -> None:
    walks = text_of(bench, GRAPHS[2]).split("// Walk")[1:]
    for walk in walks:
        for name in re.findall(r"const int64_t (\w+) =", walk):
            assert len(re.findall(rf"\b{name}\b", walk)) > 1, name


def test_values_that_take_turns_within_one_walk_are_refused(bench: Any) -> None:
    template = chunked(bench, GRAPHS[5])
    (phase,) = template.phases
    queue_of = {n.name: n.output.memory.queue for n in phase.nodes if n.output.memory and n.output.memory.queue}
    first, second = next(
        (a, b) for a in queue_of for b in queue_of if a != b and queue_of[a] == queue_of[b] and phase.node_of[a].op == "Load"
    )
    moved = replace(queue_of[second], reuse_id=99)

    def placed(node: Any) -> Any:
        memory = node.output.memory
        return replace(node, output=replace(node.output, memory=replace(memory, queue=moved))) if node.name == second else node

    wrong = replace(phase, nodes=tuple(placed(n) for n in phase.nodes))
    with pytest.raises(EmitError, match=f"take turns outside a walk of their own .*({first}|{second})"):
        emit_kernel("wrong", (replace(template, phases=(wrong,)),), bench.costs)
