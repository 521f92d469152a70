"""Reduces over a short axis, written out: what becomes of them, what stays a reduce and why, and that they mean the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import att
from att.chips import load_chip
from att.errors import ScheduleError
from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.ir.dtype import DType
from att.ir.roles import ONE
from att.model.bind import bind
from att.model.build import build_model
from att.model.check import check
from att.model.options import ModelOptions
from att.ops.gm import input_elements, output_elements
from att.ops.reference import run_reference
from att.ops.spec import numpy_dtype
from att.ops.tiled import run_tiled
from benchmarks.make_graphs import dynamic_graph
from schedule.generate import schedule_graph
from schedule.trace import KINDS
from schedule.transform import from_text, to_text
from schedule.unroll import MOST_ELEMENTS, UnrollReduce, short_axes, why_not_unrolled
from tests.strategies import plausible_tilings

CHIP = load_chip("ascend910b1")
F16, F32, I32 = DType.FLOAT16, DType.FLOAT32, DType.INT32


def weighted():
    """y[t, h] = Sum over s of w[s, t] * x[t, s, h] * v[t, h]; rows of x are 20 long and lie 24 apart."""
    g = GraphBuilder("weighted", {"t": 5, "s": 3, "h": 20})
    x, w, v = g.load("x", ("t", "s", "h"), strides=(72, 24, 1), offset=7), g.load("w", ("s", "t")), g.load("v", ("t", "h"))
    g.store("y", g.reduce("Sum", g.op("Mul", g.op("Mul", x, w), v), "s"))
    return g.build()


def unrolled(graph, axis="s"):
    return UnrollReduce(axis).apply(graph)


def test_each_element_is_made_and_joined_before_the_next_one():
    graph = unrolled(weighted())
    calls = [n for n in graph.nodes if n.op not in ("Data", "Output")]
    assert [n.name for n in calls] == [
        *("load2", "broadcast1"),
        *("load.at0", "load1.at0", "broadcast.at0", "mul.at0", "mul1.at0"),
        *("load.at1", "load1.at1", "broadcast.at1", "mul.at1", "mul1.at1", "sum.to1"),
        *("load.at2", "load1.at2", "broadcast.at2", "mul.at2", "mul1.at2", "sum"),
        "store",
    ]
    assert [(n.name, n.op, n.inputs) for n in calls if n.op == "Add"] == [
        ("sum.to1", "Add", ("mul1.at0", "mul1.at1")),
        ("sum", "Add", ("sum.to1", "mul1.at2")),
    ]


def test_a_load_begins_where_its_element_lies():
    graph = unrolled(weighted())
    assert [graph.node_of[f"load.at{i}"].attrs["offset"].lo for i in range(3)] == [7, 31, 55]
    assert [graph.node_of[f"load1.at{i}"].attrs["offset"].lo for i in range(3)] == [0, 5, 10]
    assert [s.lo for s in graph.node_of["load.at1"].output.strides] == [72, 0, 1]


def test_what_is_the_same_for_every_element_is_made_once():
    """`v` is spread over the axis first, which is nothing to do for one element."""
    graph = unrolled(weighted())
    assert graph.node_of["mul1.at2"].inputs == ("mul.at2", "broadcast1")
    assert graph.node_of["broadcast1"].output.repeats == graph.node_of["load2"].output.repeats


def test_other_axes_are_reduced_afterwards():
    g = GraphBuilder("both", {"t": 5, "s": 2, "h": 20})
    g.store("y", g.reduce("Max", g.load("x", ("t", "s", "h")), "s", "h"))
    graph = unrolled(g.build())
    assert [(n.name, n.op) for n in graph.nodes[3:5]] == [("max.to1", "Maximum"), ("max", "Max")]


def test_copies_do_not_take_the_name_of_another_node():
    graph = weighted()
    swap = {"load2": "load.at1", "mul": "sum.to1"}
    nodes = (replace(n, name=swap.get(n.name, n.name), inputs=tuple(swap.get(i, i) for i in n.inputs)) for n in graph.nodes)
    names = [n.name for n in unrolled(replace(graph, nodes=tuple(nodes))).nodes]
    assert len(set(names)) == len(names)
    assert {"load.at1", "load.at1_", "sum.to1_", "sum.to1.at2"} <= set(names)


def test_the_step_is_written_and_read():
    assert to_text(UnrollReduce("z1")) == "UnrollReduce(axis=z1)"
    assert from_text("UnrollReduce(axis=z1)", KINDS) == UnrollReduce("z1")


def reduce_of(op="Sum", dtype=F32, *, s=4, order=("t", "s", "h"), sizes=(), times=1):
    g = GraphBuilder("reduce", {"t": 5, "s": s, "h": 20}, sizes)
    x = g.load("x", order, dtype)
    for _ in range(times):
        x = g.op("Abs", x)
    g.store("y", g.reduce(op, x, "s"))
    return g.build()


def whole():
    g = GraphBuilder("whole", {"t": 5, "s": 4, "h": 20})
    x = g.load("x", ("t", "s", "h"))
    g.store("y", g.op("Sub", x, g.reduce("Max", x, "s")))
    return g.build()


def alone():
    g = GraphBuilder("alone", {"s": 4})
    g.store("y", g.reduce("Sum", g.load("x", ("s",)), "s"))
    return g.build()


@pytest.mark.parametrize(
    ("graph", "reason"),
    [
        (reduce_of(s=MOST_ELEMENTS + 1), "s is no reduced axis of at most 8 elements"),
        (reduce_of(s=(size := Size(name="S", maximum=4)).symbol, sizes=(size,)), "s is no reduced axis of at most 8 elements"),
        (reduce_of(order=("t", "h", "s")), "s is innermost in Load load, so its elements lie side by side and would be moved one by one"),
        (alone(), "Sum sum reduces one row, whose elements would be moved one by one"),
        (whole(), "Store store stores what varies over s"),
        (reduce_of("Any"), "no op joins two elements as Any any does"),
        (reduce_of("ArgMax"), "no op joins two elements as ArgMax argmax does"),
        (
            reduce_of("Sum", F16),
            "Sum sum has a result of float16, which every join would round to; the reduce rounds once",
        ),
        (reduce_of(s=8, times=12), "a copy of 13 nodes for each element of s would make 108 nodes, more than 96"),
    ],
)
def test_what_stays_a_reduce_says_why(graph, reason):
    assert why_not_unrolled(graph, "s") == reason
    with pytest.raises(ScheduleError, match="keep the reduce"):
        unrolled(graph)


def test_an_axis_that_is_not_reduced_is_not_short():
    assert short_axes(weighted()) == ("s",)
    assert short_axes(dynamic_graph("softmax")) == ()


@st.composite
def graphs(draw):
    """A reduce over a short axis between others, of values that vary over some of them, with a second one behind it in some."""
    op, dtype = draw(st.sampled_from([("Sum", F32), ("Sum", I32), ("Prod", F32), ("Max", F32), ("Max", F16), ("Min", F16)]))
    s = draw(st.integers(2, MOST_ELEMENTS))
    g = GraphBuilder("drawn", {"t": draw(st.integers(1, 4)), "s": s, "k": draw(st.integers(1, 3)), "h": draw(st.integers(1, 9))})
    gap = draw(st.integers(0, 3))
    row = 9 + gap
    x = g.load("x", ("t", "s", "k", "h"), dtype, strides=(row * 3 * s, row * 3, row, 1), offset=draw(st.integers(0, 5)))
    others = draw(st.lists(st.sampled_from([("t", "h"), ("s", "h"), ("k", "s", "h"), ("h",)]), max_size=3))
    for i, axes in enumerate(others):
        x = g.op(draw(st.sampled_from(["Add", "Mul", "Maximum"])), x, g.load(f"w{i}", axes, dtype))
    y = g.reduce(op, x, *(("s", "k") if draw(st.booleans()) else ("s",)))
    if dtype.is_float and draw(st.booleans()):
        y = g.op("Maximum", y, g.reduce("Max", x, "s"))
    g.store("y", y)
    return g.build()


def close(got, expected, exact):
    for a, b in zip(got, expected, strict=True):
        if exact:
            np.testing.assert_array_equal(a, b)
        else:
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)


def arrays(graph):
    rng = np.random.default_rng(2)
    sizes = zip(graph.data_nodes, input_elements(graph, {}), strict=True)
    return [rng.uniform(-3, 3, n).astype(numpy_dtype(node.output.dtype)) for node, n in sizes]


def is_exact(graph):
    return not any(n.op in ("Sum", "Prod") and n.output.dtype.is_float for n in graph.nodes)


@settings(max_examples=100)
@given(graphs())
def test_the_meaning_stays(graph):
    """Integers and extremes to the bit, sums and products of float32 but for the order."""
    assert not why_not_unrolled(graph, "s") or graph.axis_of["h"].size == ONE
    if not why_not_unrolled(graph, "s"):
        inputs = arrays(graph)
        close(run_reference(unrolled(graph), inputs, {}), run_reference(graph, inputs, {}), is_exact(graph))


@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(st.data())
def test_tile_by_tile_the_meaning_stays(data):
    graph = data.draw(graphs())
    found = [t for t in schedule_graph(graph, CHIP).templates if ".unrolled" in t.name]
    assume(found)
    template = data.draw(st.sampled_from(found))
    problem = bind(build_model(template, CHIP, ModelOptions(align_bytes=None)), {})
    tiling = data.draw(plausible_tilings(problem))
    assume(not check(problem, tiling))
    inputs = arrays(graph)
    blanks = [np.zeros(n, numpy_dtype(o.output.dtype)) for o, n in zip(graph.output_nodes, output_elements(graph, {}), strict=True)]
    close(run_tiled(template, inputs, blanks, {}, tiling), run_reference(graph, inputs, {}), is_exact(graph))


def test_the_template_says_what_it_does(chip):
    candidates = schedule_graph(dynamic_graph("hc_post"), chip)
    (why,) = [w for w in candidates.whys if w.template == "general.z0.unrolled"]
    assert why.purpose.endswith("the elements of z1 are joined one after another, so that no row is reduced")
    assert why.trigger == "nothing is reduced, and z0 is longer than one element; z1 is short, and no load has it innermost"
    dropped = {d.name: d.reason for d in schedule_graph(reduce_of(order=("t", "h", "s")), chip).dropped}
    assert dropped["unrolled"].startswith("z1 is innermost in Load load")


def test_windows_are_joined_element_by_element(chip):
    """A maximum over windows of 2 by 2: both axes are written out, one after the other."""
    g = GraphBuilder("windows", {"i": 30, "j": 100, "k": 2, "l": 2})
    g.store("y", g.reduce("Max", g.load("x", ("i", "j", "k", "l"), strides=(202, 1, 101, 1)), "k", "l"))
    phase = next(t for t in schedule_graph(g.build(), chip).templates if t.name.endswith("unrolled")).phases[0]
    assert [n.attrs["offset"].lo for n in phase.nodes if n.op == "Load"] == [0, 101, 1, 102]
    assert [n.op for n in phase.nodes].count("Maximum") == 3


def test_streams_are_added_in_less_than_the_time_of_a_reduce():
    """By the mended prices: 4 streams of 7,168 for 8,192 tokens, beside the fastest template that reduces."""
    graph, shape = dynamic_graph("hc_post"), {"ks0": 8192, "ks1": 7168}
    plan = att.solve(graph, shape=shape, cache=False)
    assert plan.template == "general.z3.z2.unrolled.reuse"
    reducing = att.solve(graph, shape=shape, exclude=[t.template for t in plan.templates if ".unrolled" in t.template], cache=False)
    assert plan.makespan_ticks is not None
    assert reducing.makespan_ticks is not None
    assert 1.8 * plan.makespan_ticks < reducing.makespan_ticks
