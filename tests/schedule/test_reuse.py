"""Templates that load a tile once for all of an axis: where they exist, what they say, and what they move."""

from __future__ import annotations

import pytest

import att
from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.model.walk import walk
from att.ops.call import CostSet
from att.ops.spec import Costs
from benchmarks.make_graphs import OPERATORS, dynamic_graph
from benchmarks.recorded import recorded_rows
from benchmarks.recorded_graphs import recorded_graph
from schedule.generate import schedule_graph

STREAMS = 4


def reusing(graph, chip):
    return [t.name for t in schedule_graph(graph, chip).templates if ".reuse" in t.name]


@pytest.mark.parametrize("name", [name for name in OPERATORS if name not in ("add_row", "hc_post")])
def test_nothing_is_added_where_no_loop_repeats_a_load(chip, name):
    assert reusing(dynamic_graph(name), chip) == []


def test_rows_of_any_number_are_walked_past_one_tile_of_what_they_share(chip):
    candidates = schedule_graph(dynamic_graph("add_row"), chip)
    (why,) = [w for w in candidates.whys if w.template == "general.z1.z0.reuse"]
    assert why.purpose == (
        "tiles of z1 are shared among cores; z0 is walked inside a core, tile by tile, "
        "so that a tile of load1 is loaded once and not for each z0"
    )
    assert why.trigger == "nothing is reduced, and z1 is longer than one element; load1 does not vary over z0"
    phase = next(t for t in candidates.templates if t.name == "general.z1.z0.reuse").phases[0]
    assert [n.name for n in phase.nodes if n.loop_axis == "z0T"] == ["load", "broadcast", "add", "store"]
    assert phase.node_of["load1"].loop_axis == "z1Tb"


def test_streams_of_a_token_share_what_they_add_up(chip):
    assert reusing(dynamic_graph("hc_post"), chip) == ["general.z3.z1.reuse", "full_load.z3.reuse", "general.z3.z2.unrolled.reuse"]
    candidates = schedule_graph(dynamic_graph("hc_post"), chip)
    (why,) = [w for w in candidates.whys if w.template == "full_load.z3.reuse"]
    assert "for one z0 at a time" in why.purpose
    assert why.purpose.endswith("z2 stays whole in UB, so that a tile of load1 is loaded once and not for each z2")
    assert why.trigger.endswith("load1 does not vary over z2")


@pytest.mark.parametrize(
    ("streams", "is_there"), [(48, True), (6136, True), (6137, False), (Size(name="C"), False), (Size(name="C", maximum=48), True)]
)
def test_an_axis_that_may_be_too_long_for_ub_is_not_kept_whole(chip, streams, is_there):
    """6136 rows of one 32-byte block fill the 196,352 bytes that the chip has; whether more than the rows fits is judged afterwards."""
    sizes, c = ((streams,), streams.symbol) if isinstance(streams, Size) else ((), streams)
    g = GraphBuilder("mixed", {"k": 3, "c": c, "n": 50_000}, sizes)
    g.store("y", g.reduce("Sum", g.op("Mul", g.load("w", ("k", "c")), g.load("x", ("k", "n"))), "k"))
    candidates = schedule_graph(g.build(), chip)
    known = {*(t.name for t in candidates.templates), *(d.name for d in candidates.dropped)}
    assert ("full_load.z2.reuse" in known) is is_there


def test_the_largest_repeated_load_decides(chip):
    """y[m, k, n] = a[m, n] * b[k, n]: `a` is larger, so `k` is walked."""
    g = GraphBuilder("outer", {"m": 16, "k": 8, "n": 50_000})
    g.store("y", g.op("Mul", g.load("a", ("m", "n")), g.load("b", ("k", "n"))))
    (why,) = [w for w in schedule_graph(g.build(), chip).whys if w.template == "general.z2.z1.reuse"]
    assert why.trigger.endswith("load does not vary over z1")


def test_every_byte_of_what_is_shared_is_loaded_once(chip):
    tokens, hidden = 6, 1000
    template = next(t for t in schedule_graph(dynamic_graph("hc_post"), chip).templates if t.name == "full_load.z3.reuse")
    costs = Costs(chip=chip, cost_set=CostSet.MENDED)
    (walked,) = walk(template, {"ks0": tokens, "ks1": hidden}, {"z3t_size": 400, "z0z3Tb_size": 4}, costs)
    passes = tokens * 3
    assert walked.calls["load1"] == walked.calls["store"] == passes
    (before,) = walk(
        next(t for t in schedule_graph(dynamic_graph("hc_post"), chip).templates if t.name == "full_load.z3"),
        {"ks0": tokens, "ks1": hidden},
        {"z3t_size": 400, "z0z2z3Tb_size": 16},
        costs,
    )
    assert before.calls["load1"] == STREAMS * passes


def test_a_row_too_long_for_ub_is_loaded_once_for_all_rows(chip):
    """4,096 rows of 50,257 columns: no template holds a row, and loading its tiles for each row doubles what is loaded."""
    graph, shape = dynamic_graph("add_row"), {"ks0": 4096, "ks1": 50257}
    plan = att.solve(graph, shape=shape, cache=False)
    without = att.solve(graph, shape=shape, exclude=["general.z1.z0.reuse", "general.z1.z0.reuse.inline"], cache=False)
    assert plan.template is not None
    assert "reuse" in plan.template
    assert plan.makespan_ticks is not None
    assert without.makespan_ticks is not None
    assert 1.8 * plan.makespan_ticks < without.makespan_ticks


@pytest.mark.parametrize("name", ["hc_post", "hc_post_bf16"])
def test_hc_post_is_three_times_cheaper_than_the_recorded_plan(shared_data, name):
    """By the published prices, from 512 tokens on: the reference cuts it into two kernels and loads the residual for every stream."""
    rows = [r for r in recorded_rows("reference_real_graphs", shared_data) if r.graph == name and r.accepted and r.shape[0] >= 512]
    assert len(rows) == 2
    graph = recorded_graph(name, shared_data)
    for row in rows:
        plan = att.solve(graph, shape=row.sizes, cost="published", align="none", cores=48, cache=False)
        assert plan.makespan_ticks is not None
        assert 3 * plan.makespan_ticks <= row.cycles * 10**6, row.label


def test_an_axis_that_nothing_varies_over_is_no_reason_to_reuse(chip):
    """Every view has one element along `b`, whatever its declared size: no Load is repeated for anything."""
    g = GraphBuilder("idle", {"a": 2, "b": 3, "c": 7})
    x = g.load("x", ("a", "c"), strides=(9, 1))
    g.store("y", g.op("Tanh", g.op("Minimum", x, x)), strides=(8, 1))
    assert not [t.name for t in schedule_graph(g.build(), chip).templates if "reuse" in t.name]
