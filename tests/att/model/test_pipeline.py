"""The pipeline objective: its parts add up, it is the flow shop of its turns, and it stands against the literal timeline."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from att.chips import load_chip
from att.expr.evaluate import evaluate as value_of
from att.formats.builder import GraphBuilder
from att.ir.layout import blocks
from att.ir.loops import loop_nest
from att.model.bind import bind
from att.model.buffers import handovers, opened, queues_of
from att.model.build import build_model
from att.model.check import check
from att.model.evaluate import evaluate
from att.model.options import ModelOptions, Objective
from att.model.timeline import timeline
from att.model.walk import walk
from att.ops.call import CostSet, Pipe
from att.ops.spec import Costs
from schedule.generate import schedule_graph
from tests.strategies import plausible_tilings

CHIP = load_chip("ascend910b1")
COSTS = Costs(chip=CHIP, cost_set=CostSet.MENDED)
PIPELINE = ModelOptions(objective=Objective.PIPELINE, align_bytes=None)
BOTTLENECK = ModelOptions(align_bytes=None)


def elementwise(m, n):
    g = GraphBuilder("elementwise", {"m": m, "n": n}, ())
    g.store("y", g.op("Exp", g.op("Abs", g.load("x", ("m", "n")))))
    return g.build()


def broadcast(m, n):
    g = GraphBuilder("broadcast", {"m": m, "n": n}, ())
    g.store("y", g.op("Add", g.load("x", ("m", "n")), g.load("w", ("n",))))
    return g.build()


def copy(m, n):
    g = GraphBuilder("copy", {"m": m, "n": n}, ())
    g.store("y", g.load("x", ("m", "n")))
    return g.build()


def row_max(m, n):
    g = GraphBuilder("row_max", {"m": m, "n": n}, ())
    g.store("y", g.op("Abs", g.reduce("Max", g.load("x", ("m", "n")), "n")))
    return g.build()


def softmax(m, n):
    g = GraphBuilder("softmax", {"m": m, "n": n}, ())
    x = g.load("x", ("m", "n"))
    e = g.op("Exp", g.op("Sub", x, g.reduce("Max", x, "n")))
    g.store("y", g.op("TrueDiv", e, g.reduce("Sum", e, "n")))
    return g.build()


GRAPHS = {make.__name__: make for make in (elementwise, broadcast, copy, row_max, softmax)}
ONE_WALK = ("elementwise", "broadcast", "copy")
"""Graphs most of whose templates have no loop inside the block loop."""


def problems(graph):
    """`(template, pipeline problem, bottleneck problem)` of every template."""
    for template in schedule_graph(graph, CHIP).templates:
        yield template, bind(build_model(template, CHIP, PIPELINE), {}), bind(build_model(template, CHIP, BOTTLENECK), {})


def numbers_of(problem):
    """Variables that count buffers."""
    return [v.name for v in problem.variables if v.role.value == "buffer"]


def with_buffers(problem, tiles, number):
    return {**tiles, **dict.fromkeys(numbers_of(problem), number)}


@st.composite
def priced(draw, names=tuple(GRAPHS)):
    """A template with its two problems and tiles that are legal with two buffers in every queue."""
    graph = GRAPHS[draw(st.sampled_from(names))](draw(st.integers(1, 300)), draw(st.integers(1, 300)))
    template, problem, plain = draw(st.sampled_from(list(problems(graph))))
    tiles = draw(plausible_tilings(plain))
    return template, problem, plain, tiles


def examples(count):
    return settings(max_examples=count, deadline=None, suppress_health_check=list(HealthCheck))


@given(case=priced(), data=st.data())
@examples(60)
def test_the_parts_add_up(case, data):
    _, problem, _, tiles = case
    chosen = {name: data.draw(st.sampled_from((1, 2))) for name in numbers_of(problem)}
    tiling = {**tiles, **chosen}
    cost = evaluate(problem, tiling)
    if not check(problem, tiling):
        assert value_of(problem.objective, tiling) == cost.objective_ticks
    for phase in cost.phases:
        ticks = {pipe.pipe: pipe.ticks for pipe in phase.pipes}
        parts = phase.fill_ticks + sum(ticks[pipe] for pipe in phase.limiting) + phase.drain_ticks
        assert phase.makespan_ticks == phase.launch_ticks + parts
        if len(phase.limiting) > 1:
            assert 1 in chosen.values()
    assert cost.objective_ticks == sum(phase.makespan_ticks for phase in cost.phases)


@given(case=priced())
@examples(60)
def test_a_second_buffer_costs_ub_and_no_time_and_the_bottleneck_is_below_both(case):
    _, problem, plain, tiles = case
    one, two = (evaluate(problem, with_buffers(problem, tiles, number)) for number in (1, 2))
    bottleneck = evaluate(plain, tiles)
    assert bottleneck.objective_ticks <= two.objective_ticks <= one.objective_ticks
    assert one.ub_bytes <= two.ub_bytes == bottleneck.ub_bytes
    assert not [v for v in check(problem, with_buffers(problem, tiles, 2)) if v not in check(plain, tiles)]


@given(case=priced(ONE_WALK), number=st.sampled_from((1, 2)))
@examples(60)
def test_one_walk_never_undercuts_the_timeline(case, number):
    template, problem, plain, tiles = case
    if check(plain, tiles) or any(loop_nest(phase).inner for phase in template.phases):
        return
    tiling = with_buffers(problem, tiles, number)
    assert evaluate(problem, tiling).objective_ticks >= timeline(template, {}, tiling, COSTS)


def heads_ticks(cost):
    return sum(pipe.head_ticks for pipe in cost.phases[0].pipes)


@pytest.mark.parametrize(("turns", "first", "second"), [*product((1, 2, 3, 8), (1, 2), (1, 2))])
def test_equal_turns_take_the_time_of_their_timeline(turns, first, second):
    """At most the heads of pipes that started long before apart, which the model counts as latencies of the last turn too."""
    ((template, problem, _),) = problems(elementwise(2, 512 * turns))
    tiling = {"z0z1t_size": 1024, "z0z1Tb_size": turns, "mte2_vec_buf_num": first, "vec_mte3_buf_num": second}
    assert not check(problem, tiling)
    cost, literal = evaluate(problem, tiling), timeline(template, {}, tiling, COSTS)
    excess = cost.objective_ticks - literal
    assert excess == 0 if turns == 1 else 0 <= excess <= heads_ticks(cost)


def flow_shop(turns, load, compute, store, first, second):
    """End of the last of equal turns on three machines, the buffers between them counted out one by one."""
    loaded, computed, stored = [], [], []
    for n in range(turns):
        free = computed[n - first] if n >= first else 0
        loaded.append(max(loaded[-1] if n else 0, free) + load)
        free = stored[n - second] if n >= second else 0
        computed.append(max(computed[-1] if n else 0, loaded[n], free) + compute)
        stored.append(max(stored[-1] if n else 0, computed[n]) + store)
    return stored[-1]


@pytest.mark.parametrize(("first", "second"), list(product((1, 2), repeat=2)))
@given(turns=st.integers(1, 12), ticks=st.tuples(*[st.integers(0, 20)] * 3))
@examples(100)
def test_chains_are_the_flow_shop_of_equal_turns(turns, ticks, first, second):
    load, compute, store = ticks
    chains = [turns * load + compute + store, load + turns * compute + store, load + compute + turns * store]
    chains += [turns * (load + compute) + store] if first == 1 else []
    chains += [load + turns * (compute + store)] if second == 1 else []
    assert flow_shop(turns, load, compute, store, first, second) == max(chains)


def test_the_worked_example_of_the_docs():
    assert [flow_shop(4, 3, 2, 1, *buffers) for buffers in ((2, 2), (2, 1), (1, 2), (1, 1))] == [15, 15, 21, 21]


def test_queues_between_the_same_pipes_share_one_unknown():
    (graph,) = opened(schedule_graph(broadcast(64, 4096), CHIP).templates[0]).phases
    assert len(queues_of(graph)) == 3
    assert [(v.name, v.maximum) for v in graph.buffer_vars] == [("mte2_vec_buf_num", 2), ("vec_mte3_buf_num", 2)]
    assert {handovers(graph, block) for block in queues_of(graph)} == {((Pipe.MTE2, Pipe.VEC),), ((Pipe.VEC, Pipe.MTE3),)}
    numbers = [(block.buffers.lo, block.buffers.hi) for block in queues_of(graph)]
    assert sorted(numbers) == [(1, 1), (1, 2), (1, 2)], "the row is loaded once per core, into one buffer"


def test_a_copy_hands_over_from_load_to_store():
    for template, problem, _ in problems(copy(64, 1000)):
        assert numbers_of(problem) == ["mte2_mte3_buf_num"]
        assert [v.queues for v in opened(template).phases[0].buffer_vars] == [(0,)]


def test_opening_changes_nothing_else_and_is_done_once():
    for template in schedule_graph(softmax(64, 1000), CHIP).templates:
        assert opened(opened(template)) == opened(template)
        closed = [tuple((b.name, b.slot_bytes, b.buf_num) for b in blocks(graph)) for graph in template.phases]
        assert closed == [tuple((b.name, b.slot_bytes, b.buf_num) for b in blocks(graph)) for graph in opened(template).phases]


def test_the_timeline_is_never_shorter_than_the_walk():
    for name, make in GRAPHS.items():
        for template, problem, plain in problems(make(40, 200)):
            tiles = {v.name: max(v.symbol.lo, v.symbol.hi // 3) for v in plain.variables}
            if check(plain, tiles):
                continue
            walked = sum(phase.makespan_ticks for phase in walk(template, {}, tiles, COSTS))
            assert timeline(template, {}, with_buffers(problem, tiles, 2), COSTS) >= walked, name
