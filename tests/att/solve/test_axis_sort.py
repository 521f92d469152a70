"""The heuristic: legal whenever the smallest tiles are, never better than the optimum, and the walk its documents describe."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from att.chips import load_chip
from att.expr.core import ceil_div, integer, symbol
from att.formats.builder import GraphBuilder
from att.ir.dtype import DType
from att.model.bind import bind
from att.model.build import build_model
from att.model.check import check
from att.model.evaluate import evaluate
from att.model.options import ModelOptions
from att.model.policy import Trade
from att.model.tiling import Leq, VarRole
from att.solve.axis_sort import AxisSortSolver
from att.solve.base import SolveOptions, SolveStatus
from att.solve.run import run
from benchmarks import waist_models as waist
from benchmarks.cases import graph_cases
from schedule.generate import schedule_graph
from tests.small_models import ORIGIN, best_by_brute_force, is_legal, model_of, random_problems, tiny_cases


def solve(problem):
    return AxisSortSolver().solve(problem, SolveOptions())


def library_abs(shape, dtype):
    g = GraphBuilder("abs", {"m": shape[0], "n": shape[1]})
    g.store("y", g.op("Abs", g.load("x", ("m", "n"), dtype)))
    return g.build()


def library_add(shape, dtype):
    g = GraphBuilder("add", {"m": shape[0], "n": shape[1]})
    g.store("y", g.op("Add", g.load("x", ("m", "n"), dtype), g.load("w", ("n",), dtype)))
    return g.build()


def problems_of(graph, chip_name):
    chip = load_chip(chip_name)
    return [bind(build_model(t, chip, ModelOptions()), {}) for t in schedule_graph(graph, chip).templates]


@pytest.mark.parametrize("case", sorted(tiny_cases()))
def test_it_is_legal_and_never_better_than_the_best(case):
    model, shape = tiny_cases()[case]
    problem = bind(model, shape)
    result = solve(problem)
    assert result.status is SolveStatus.FEASIBLE
    assert result.bound_ticks is None
    assert check(problem, result.tiling) == ()
    assert result.objective_ticks == evaluate(problem, result.tiling).objective_ticks >= best_by_brute_force(problem)[0][0]


@settings(max_examples=80, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(random_problems())
def test_it_finds_a_tiling_whenever_the_smallest_is_legal(problem):
    result = solve(problem)
    if problem.contradiction is not None:
        assert result.status is SolveStatus.INFEASIBLE
        return
    smallest = {v.name: v.symbol.lo for v in problem.variables}
    if is_legal(problem, smallest):
        assert result.status is SolveStatus.FEASIBLE
    if result.tiling is not None:
        assert is_legal(problem, result.tiling)


@settings(max_examples=40)
@given(st.integers(1, 2**31 - 1))
def test_one_core_gets_the_largest_tile_that_fits(size):
    problem = bind(waist.elementwise(cores=1), {"Z": size})
    tile = solve(problem).tiling["z0t_size"]
    iterations = -(-size // tile)
    larger = {"z0t_size": tile + 8, "z0Tb_size": -(-size // (tile + 8))}
    fewer_iterations = -(-size // (tile + 8)) < iterations
    assert not fewer_iterations or any(v.family == "ub_capacity" for v in check(problem, larger))


def two_tiles(ticks, *, first="x"):
    """Two tiles of up to 100 whose product is at most 120; the one named first has the first rank."""
    x, y = symbol("x", 1, 100), symbol("y", 1, 100)
    fits = Leq(lhs=x * y, rhs=integer(120), origin=ORIGIN)
    both = ((x, VarRole.TILE), (y, VarRole.TILE))
    return bind(model_of(both if first == "x" else both[::-1], [fits], integer(0), [ticks(x, y)]), {})


def test_earlier_ranks_are_served_first():
    assert dict(solve(two_tiles(lambda x, y: integer(7), first="x")).tiling) == {"x": 100, "y": 1}
    assert dict(solve(two_tiles(lambda x, y: integer(7), first="y")).tiling) == {"x": 1, "y": 100}


@pytest.mark.parametrize("first", ["x", "y"])
def test_earlier_ranks_leave_ub_to_later_ones_where_that_is_faster(first):
    """Tiles of a row are fewer with a large x, rows of a tile with a large y: both in the middle is best."""
    problem = two_tiles(lambda x, y: 10 * ceil_div(100, x) + 10 * ceil_div(100, y), first=first)
    best = best_by_brute_force(problem)[0][0]
    assert solve(problem).objective_ticks == best


def test_tiles_of_one_rank_are_cut_together():
    x, y = symbol("x", 1, 100), symbol("y", 1, 7)
    model = model_of([(x, VarRole.TILE), (y, VarRole.TILE)], [Leq(lhs=x * y, rhs=integer(120), origin=ORIGIN)], integer(0), [integer(7)])
    level = replace(model, variables=tuple(replace(v, rank=0) for v in model.variables))
    assert dict(solve(bind(level, {})).tiling) == {"x": 17, "y": 7}


def test_cores_are_added_only_while_the_time_improves_and_the_limit_holds():
    b = symbol("b", 1, 64)
    cores = ceil_div(64, b)
    limit = Leq(lhs=cores, rhs=integer(9), origin=replace(ORIGIN, family="core_count"))
    assert dict(solve(shared(b, limit, integer(0), 1000)).tiling) == {"b": 8}
    assert dict(solve(shared(b, limit, integer(0), 1000, launch=9000)).tiling) == {"b": 22}


def shared(b, limit, ub, ticks, launch=0):
    """One block variable of 64 tiles with a cost per tile and per core."""
    cores = ceil_div(64, b)
    model = model_of([(b, VarRole.BLOCK)], [limit], launch * cores, [ticks * b])
    return bind(replace(model, phases=tuple(replace(p, block_dim=cores) for p in model.phases)), {})


@pytest.mark.parametrize(("shape", "dtype", "ends_badly_on"), [((64, 512), DType.FLOAT32, 3), ((48, 4096), DType.FLOAT16, 10)])
@pytest.mark.parametrize("chip", ["ascend910b1", "ascend950pr"])
@pytest.mark.parametrize("build", [library_abs, library_add])
def test_small_kernels_use_the_cores_that_pay(shape, dtype, ends_badly_on, chip, build):
    """Public reports: the reference ends on 3, or 10, of 48 cores. Ours end elsewhere, or where the optimum is no more than 3 % better."""
    for problem in problems_of(build(shape, dtype), chip):
        found, best = solve(problem), run(problem, "enumerate", SolveOptions())
        is_good = found.objective_ticks <= 1.03 * best.objective_ticks
        assert is_good or (problem.template == "general.z1" and evaluate(problem, found.tiling).block_dim != ends_badly_on)


@pytest.mark.parametrize(
    ("label", "chip_name", "template"),
    [
        pytest.param("amax_keep[17,7168]", "ascend950pr", "r_split.z0.z1", id="two axes share the cores"),
        pytest.param("amax_keep[1,4096]", "ascend950pr", "r_split.z0.z1", id="fewer partial results suit the second phase"),
        pytest.param("rms_norm[8192,7168]", "ascend910b1", "chunked.z0.z1", id="rows in pieces between the halves"),
        pytest.param("swiglu[1009,1013]", "ascend310p3", "general.z0", id="twice the tile with half the share"),
    ],
)
def test_it_finds_what_one_axis_after_another_cannot(label, chip_name, template):
    """Each took 22, 19, 2.5 and 1.3 % longer than the optimum before its rule."""
    (case,) = (case for case in graph_cases(label.split("[")[0]) if case.label == label)
    chip = load_chip(chip_name)
    (chosen,) = (t for t in schedule_graph(case.graph, chip).templates if t.name == template)
    problem = bind(build_model(chosen, chip, ModelOptions()), case.shape)
    found, best = (run(problem, solver, SolveOptions()).objective_ticks for solver in ("axis_sort", "enumerate"))
    assert found == best


def test_a_trade_off_gives_up_ub_for_cores_but_not_below_its_share():
    problem = bind(waist.elementwise(), {"Z": 100_000})
    tiles = {}
    for ub_ppm in (0, 500_000):
        result = AxisSortSolver().solve(problem, SolveOptions(trade=Trade(ub_ppm=ub_ppm, cores_ppm=1_000_000)))
        cost = evaluate(problem, result.tiling)
        tiles[ub_ppm] = (cost.block_dim, cost.ub_bytes)
    assert tiles[0][0] > 40
    assert tiles[500_000][1] > 0.49 * problem.ub_capacity_bytes  # whole blocks, and the balancing of the cores, take a little
    assert tiles[500_000][0] < tiles[0][0]
