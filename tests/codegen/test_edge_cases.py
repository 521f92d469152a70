"""Shapes that broke other schedulers, in our own words: what comes out is one right kernel, or a refusal that says why."""

from __future__ import annotations

from typing import Any

import pytest

from att.errors import EmitError
from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.ir.dtype import DType
from att.ir.graph import HintGraph
from att.solve.base import SolveOptions, SolveStatus
from att.solve.run import run
from benchmarks.make_graphs import dynamic_graph
from schedule.generate import schedule_graph


def _added(name: str, sizes: tuple[int, ...], varying: str) -> HintGraph:
    """A tensor over all axes and one that does not vary over some of them."""
    g = GraphBuilder(name, dict(zip("abcdefghij", sizes, strict=False)))
    g.store("y", g.op("Add", g.load("x", tuple("abcdefghij"[: len(sizes)])), g.load("w", tuple(varying))))
    return g.build()


def test_five_broadcast_axes_in_turn(bench: Any) -> None:
    graph = _added("alternating", (3, 2, 5, 2, 3, 2, 2, 3, 2, 5), "acegi")
    assert bench.demand(graph, {}, tilings=1) >= 5


def test_five_broadcast_axes_in_turn_that_begin_with_one(bench: Any) -> None:
    graph = _added("alternating_back", (3, 2, 5, 2, 3, 2, 2, 3, 2, 5), "bdfhj")
    assert bench.demand(graph, {}, tilings=1) >= 5


def test_a_broadcast_of_five_axes(bench: Any, chip: Any) -> None:
    """[2, 3, 17, 1024, 101] with a row for each of the middle axis: proven optimal, and right where the fourth axis is short."""
    graph = _added("broadcast_5d", (2, 3, 17, 1024, 101), "ce")
    proven = [run(bench.problem(t, {}, 32), "cpsat", SolveOptions()) for t in schedule_graph(graph, chip).templates]
    assert {found.status for found in proven} <= {SolveStatus.OPTIMAL, SolveStatus.INFEASIBLE}
    assert any(found.status is SolveStatus.OPTIMAL for found in proven)
    assert bench.demand(_added("broadcast_5d_short", (2, 3, 17, 6, 101), "ce"), {}, tilings=1) >= 3


@pytest.mark.parametrize("varying", ["ab", "a", "b", ""])
def test_a_last_axis_of_one_element(bench: Any, varying: str) -> None:
    graph = _added(f"last_one_{varying}", (37, 20, 1), varying + "c")
    assert bench.demand(graph, {}, tilings=2) >= 1


def test_a_last_axis_that_has_one_element_at_run_time(bench: Any) -> None:
    n = Size(name="n", maximum=100)
    g = GraphBuilder("run_time_one", {"a": 37, "b": n.symbol}, (n,))
    g.store("y", g.op("Mul", g.load("x", ("a", "b")), g.reduce("Sum", g.load("z", ("a", "b")), "b")))
    assert bench.demand(g.build(), {"n": 1}, tilings=2) >= 1


def test_a_reduce_in_the_middle_with_a_tail_is_one_kernel(bench: Any, chip: Any) -> None:
    graph = dynamic_graph("hc_post")
    whole = [t for t in schedule_graph(graph, chip).templates if not t.name.startswith("r_split")]
    assert len(whole) >= 6
    for template in whole:
        (phase,) = template.phases
        assert not [n for n in phase.nodes if n.op == "Workspace"]
        order = [n.name for n in phase.nodes]
        assert order.index("sum") < order.index("add") < order.index("store")
    assert bench.demand(graph, {"ks0": 5, "ks1": 40}, tilings=1) >= 1


def _two_reduces(apart: bool) -> HintGraph:
    g = GraphBuilder(f"two_reduces_{apart}", {"k": 7, "m": 12, "n": 40})
    x = g.load("x", ("k", "m", "n"))
    g.store("y", g.reduce("Sum", x, "m"))
    g.store("z", g.reduce("Max", x, "n" if apart else "m"))
    return g.build()


def test_two_reduces_over_different_axes_share_no_cut(bench: Any, chip: Any) -> None:
    graph = _two_reduces(apart=True)
    candidates = schedule_graph(graph, chip)
    general, chunked = candidates.dropped
    assert general.reason == (
        "Sum sum and Max max cannot share a loop nest: one reduces (z1) and the other (z2), and one loop in a core cannot cut both; "
        "store the value between them, and make a kernel of each part"
    )
    assert chunked.reason == "sum and max reduce different axes, so one loop cannot cut them all"
    first, *others = (t.name for t in candidates.templates)
    assert first == "full_load.z0"
    assert {name.split(".")[0] for name in others} == {"apart", "full_load"}
    assert bench.demand(graph, {}, tilings=2) >= 4


def test_two_reduces_over_different_axes_of_a_large_matrix_have_a_nest_each(bench: Any, chip: Any) -> None:
    """No tile holds the whole matrix; one nest sums rows, the next columns, and both make one kernel."""
    g = GraphBuilder("rows_and_columns", {"m": 300, "n": 400})
    x = g.load("x", ("m", "n"))
    g.store("rows", g.reduce("Sum", x, "n"))
    g.store("columns", g.reduce("Max", x, "m"))
    graph = g.build()
    candidates = schedule_graph(graph, chip)
    assert "full_load" in {d.name for d in candidates.dropped}
    assert [t.name for t in candidates.templates] == ["apart.z0.z1", "apart.z0"]
    assert bench.demand(graph, {}, tilings=2) >= 2


def test_an_input_that_nothing_needs_stays_a_parameter(bench: Any, chip: Any) -> None:
    g = GraphBuilder("rows_and_columns", {"m": 300, "n": 400})
    g.load("unused", ("m",))
    x = g.load("x", ("m", "n"))
    g.store("rows", g.reduce("Sum", x, "n"))
    g.store("columns", g.reduce("Max", x, "m"))
    graph = g.build()
    assert {t.name.split(".")[0] for t in schedule_graph(graph, chip).templates} == {"apart"}
    assert bench.demand(graph, {}, tilings=2) >= 2


def test_two_reduces_over_one_axis_are_refused_for_another_reason(chip: Any) -> None:
    general, *_ = schedule_graph(_two_reduces(apart=False), chip).dropped
    assert general.reason == "sum, max are 2 reduces, and general has one; chunked accumulates them in one walk"


def test_two_outputs_of_different_axes_are_each_stored_once(bench: Any) -> None:
    g = GraphBuilder("two_outputs", {"m": 19, "n": 70})
    w = g.op("Exp", g.load("w", ("m",)))
    g.store("z", w)
    g.store("y", g.op("Add", g.load("x", ("m", "n")), w))
    assert bench.demand(g.build(), {}, tilings=3) >= 2


def test_a_transpose_beside_a_store_of_fewer_axes(bench: Any) -> None:
    g = GraphBuilder("beside", {"m": 48, "n": 64})
    w = g.load("w", ("m",))
    g.store("z", g.op("Exp", w))
    g.store("y", g.op("Add", g.op("Transpose", g.load("x", ("n", "m"), in_place=True)), w))
    assert bench.demand(g.build(), {}, tilings=3) >= 4


def test_a_reduce_whose_rows_need_no_temporary_memory(bench: Any) -> None:
    """The library call takes a temporary all the same."""
    g = GraphBuilder("short_rows", {"n": 20, "d": 40})
    g.store("y", g.reduce("Sum", g.load("x", ("n", "d")), "d"))
    assert bench.demand(g.build(), {}, tilings=2) >= 2


def test_a_reduce_of_rows_loaded_by_index(bench: Any) -> None:
    g = GraphBuilder("embedding_sum", {"n": 20, "v": 30, "d": 40})
    rows = g.gather(g.load("x", ("v", "d")), "v", g.load("i", ("n",), DType.INT32))
    g.store("y", g.reduce("Sum", rows, "d"))
    assert bench.demand(g.build(), {}, tilings=2) >= 1


def test_indices_that_the_vector_unit_reads_too(bench: Any) -> None:
    g = GraphBuilder("indices_used", {"n": 20, "v": 30, "d": 40})
    i = g.load("i", ("n",), DType.INT32)
    rows = g.gather(g.load("x", ("v", "d")), "v", i)
    g.store("y", g.op("Add", rows, g.cast(i, DType.FLOAT32)))
    assert bench.demand(g.build(), {}, tilings=2) >= 2


@pytest.mark.parametrize("others", [2, 6])
def test_rows_loaded_by_index_beside_more_inputs_than_queues(bench: Any, others: int) -> None:
    g = GraphBuilder(f"embedding_and_{others}", {"n": 20, "v": 30, "d": 40})
    y = g.gather(g.load("x", ("v", "d")), "v", g.load("i", ("n",), DType.INT32))
    for k in range(others):
        y = g.op("Add", y, g.load(f"z{k}", ("n", "d")))
    g.store("y", y)
    assert bench.demand(g.build(), {}, tilings=2) >= 2


def test_two_tables_are_added(bench: Any) -> None:
    g = GraphBuilder("two_tables", {"n": 20, "v": 30, "u": 9, "d": 40})
    x, w = (g.gather(g.load(t, (a, "d")), a, g.load(f"i{a}", ("n",), DType.INT32)) for t, a in (("x", "v"), ("w", "u")))
    g.store("y", g.op("Add", x, w))
    assert bench.demand(g.build(), {}, tilings=2) >= 2


@pytest.mark.parametrize(("count", "length", "step"), [(40, 10, 4), (9, 33, 1), (40, 64, 8), (7, 300, 297)])
def test_windows_that_overlap_are_loaded_one_by_one(bench: Any, count: int, length: int, step: int) -> None:
    """The gap between two rows is an unsigned field, so rows that overlap in GM are no blocks of one instruction."""
    g = GraphBuilder(f"windows_{count}_{length}_{step}", {"a": 3, "n": count, "w": length})
    x = g.load("x", ("a", "n", "w"), strides=(count * step + length + 5, step, 1))
    g.store("y", g.op("Mul", x, g.load("weight", ("w",))))
    assert bench.demand(g.build(), {}, tilings=2) >= 4


@pytest.mark.parametrize("step", [2, 50])
def test_windows_that_may_overlap_are_loaded_one_by_one(bench: Any, step: int) -> None:
    sizes = (Size(name="w", maximum=4096), Size(name="step", maximum=4096))
    g = GraphBuilder("windows_of_any_step", {"n": 20, "w": sizes[0].symbol}, sizes)
    g.store("y", g.reduce("Sum", g.load("x", ("n", "w"), strides=(sizes[1].symbol, 1)), "w"))
    assert bench.demand(g.build(), {"w": 30, "step": step}, tilings=2) >= 4


def test_stored_rows_that_overlap_are_refused_in_words(bench: Any) -> None:
    g = GraphBuilder("stored_windows", {"n": 20, "w": 30})
    g.store("y", g.op("Abs", g.load("x", ("n", "w"))), strides=(4, 1))
    with pytest.raises(EmitError, match="its blocks overlap in GM, which no transfer can do; give it a stride of at least its row"):
        bench.build(g.build())
