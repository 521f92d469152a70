"""What must not matter, and what can only help: names, the order of independent nodes, more UB, more cores, a faster pipe."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from att.chips import load_chip
from att.formats.builder import GraphBuilder
from att.model.bind import bind
from att.model.build import build_model
from att.model.check import check
from att.model.evaluate import evaluate
from att.model.options import ModelOptions
from att.solve.base import SolveOptions, SolveStatus
from att.solve.select import select
from benchmarks.library import OPERATORS
from schedule.generate import schedule_graph

CHIP = load_chip("ascend910b1")
SIZES = st.sampled_from([(3, 5), (17, 700), (64, 512), (48, 4096), (129, 333), (2049, 513), (1000, 1000)])
NAMES = st.sampled_from(["abs", "add_row", "add_col", "softmax", "amax_keep", "swiglu", "reduce_all"])


def best(graph, chip, solver="enumerate"):
    problems = [bind(build_model(t, chip, ModelOptions()), {}) for t in schedule_graph(graph, chip).templates]
    return select(problems, solver, SolveOptions())


def optimum(graph, chip):
    """Time of the best tiling of all templates, ticks; None if nothing fits."""
    selection = best(graph, chip)
    assert selection.status in (SolveStatus.OPTIMAL, SolveStatus.INFEASIBLE)
    return None if selection.best is None else selection.best.result.objective_ticks


def not_worse(better, worse):
    return worse is None or (better is not None and better <= worse)


@settings(max_examples=5)
@given(NAMES, SIZES, st.integers(16, 200), st.integers(0, 64))
def test_more_ub_is_never_worse(name, sizes, kilobytes, more_blocks):
    graph = OPERATORS[name]((), *sizes)
    less = replace(CHIP, ub_bytes=kilobytes * 1024)
    more = replace(CHIP, ub_bytes=kilobytes * 1024 + 1024 * more_blocks)
    assert not_worse(optimum(graph, more), optimum(graph, less))


@settings(max_examples=5)
@given(NAMES, SIZES, st.integers(1, 48), st.integers(0, 16))
def test_more_cores_are_never_worse(name, sizes, cores, more):
    graph = OPERATORS[name]((), *sizes)
    assert not_worse(optimum(graph, replace(CHIP, vector_cores=cores + more)), optimum(graph, replace(CHIP, vector_cores=cores)))


HEADS = ("launch_cycles_per_core", "mte3_head_cycles", "vec_head_cycles", "mte2_head_small_cycles_per_core", "mte2_head_small_cycles")
TRANSFERS = ("Load", "LoadSmallBlk", "LoadStride", "Store", "StoreMiddleBlk", "StoreStride")
VECTOR = ("Abs", "Add", "Brcb", "Cast", "Copy", "Duplicate", "Exp", "Mul", "Sub", "TrueDiv", "WholeReduceMax", "WholeReduceSum")


@settings(max_examples=10)
@given(NAMES, SIZES, st.sampled_from((HEADS, TRANSFERS, VECTOR)).flatmap(st.sampled_from), st.integers(50, 99))
def test_a_faster_pipe_is_never_worse(name, sizes, part, percent):
    graph = OPERATORS[name]((), *sizes)
    assert not_worse(optimum(graph, _faster(CHIP, part, Fraction(percent, 100))), optimum(graph, CHIP))


def _faster(chip, part, share):
    """The chip with one head smaller, more bandwidth in one kind of transfer, or one vector instruction quicker, by a share."""
    if part in HEADS:
        return replace(chip, constants={**chip.constants, part: chip.constants[part] * share})
    rows = {key: replace(row, params=_quicker(row.params, share)) if key[0] == part else row for key, row in chip.rows.items()}
    return replace(chip, rows=rows)


def _quicker(params, share):
    """Bandwidth `a + b/cores` over the share; cycles an element and a call, `k` and `b`, times the share."""
    if "a" in params:
        return {**params, "a": params["a"] / share, "b": params["b"] / share}
    return {**params, **{name: params[name] * share for name in ("k", "b") if name in params}}


@pytest.mark.parametrize("part", [*HEADS, *TRANSFERS, *VECTOR])
def test_what_is_made_faster_is_there(part):
    """Each part is a number of the chip that falls, or a bandwidth that grows."""
    faster = _faster(CHIP, part, Fraction(1, 2))
    assert (faster.constants, faster.rows) != (CHIP.constants, CHIP.rows)
    assert part in CHIP.constants or any(api == part for api, _ in CHIP.rows)


def softmax_of(names, swapped):
    """exp(x - max) + w, of two axes with these names, the two independent loads in either order."""
    m, n = names
    g = GraphBuilder("kernel", {m: 129, n: 333})
    x, w = _loads(g, m, n, swapped)
    g.store("y", g.op("Add", g.op("Exp", g.op("Sub", x, g.reduce("Max", x, n))), w))
    return g.build()


def _loads(g, m, n, swapped):
    if swapped:
        w = g.load("w", (n,))
        return g.load("x", (m, n)), w
    return g.load("x", (m, n)), g.load("w", (n,))


@pytest.mark.parametrize("solver", ["enumerate", "cpsat", "axis_sort"])
@pytest.mark.parametrize(("names", "swapped"), [(("n", "m"), False), (("zz", "z10"), False), (("m", "n"), True), (("b", "a"), True)])
def test_names_and_the_order_of_independent_nodes_change_nothing(solver, names, swapped):
    first, second = (best(softmax_of(*form), CHIP, solver).best for form in ((("m", "n"), False), (names, swapped)))
    assert first.problem.template == second.problem.template
    assert first.result.tiling == second.result.tiling
    assert first.cost.objective_ticks == second.cost.objective_ticks


def test_a_row_of_one_element_less_than_a_multiple_costs_hardly_more():
    """12287-wide rows against 12288: no cliff beyond the padding of one row."""
    wide, odd = (optimum(_abs(64, n), CHIP) for n in (12288, 12287))
    assert 0.98 <= odd / wide <= 1.02
    wide, odd = (optimum(OPERATORS["add_row"]((), 64, n), CHIP) for n in (12288, 12287))
    assert odd <= 1.35 * wide


def _abs(m, n):
    return OPERATORS["abs"]((), m, n)


def test_a_row_is_added_to_an_uneven_matrix():
    """add [2049,513] with [1,513]: every solver ends on most cores, within a few percent of the optimum."""
    graph = OPERATORS["add_row"]((), 2049, 513)
    exact, sorted_axes = best(graph, CHIP), best(graph, CHIP, "axis_sort")
    assert exact.status is SolveStatus.OPTIMAL
    assert best(graph, CHIP, "cpsat").best.result.tiling == exact.best.result.tiling
    assert sorted_axes.best.result.objective_ticks <= 1.05 * exact.best.result.objective_ticks
    assert sorted_axes.best.cost.block_dim >= 24


@pytest.mark.parametrize("name", ["abs", "softmax", "rms_norm"])
def test_a_kernel_tuned_for_256_kb_is_solved_again_for_192_kb(name):
    graph = OPERATORS[name]((), 4096, 2048)
    large, small = (replace(CHIP, ub_bytes=kilobytes * 1024) for kilobytes in (256, 192))
    tuned = best(graph, large).best
    templates = {t.name: t for t in schedule_graph(graph, small).templates}
    problem = bind(build_model(templates[tuned.problem.template], small, ModelOptions()), {})
    violations = check(problem, tuned.result.tiling)
    assert {v.family for v in violations} <= {"ub_capacity"}
    again = best(graph, small).best
    assert check(again.problem, again.result.tiling) == ()
    assert evaluate(again.problem, again.result.tiling).ub_bytes <= small.ub_usable_bytes
    assert again.result.objective_ticks >= tuned.result.objective_ticks
