"""The heuristic: legal whenever the smallest tiles are, never better than the optimum, and the walk its documents describe."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from att.expr.core import ceil_div, integer, symbol
from att.model.bind import bind
from att.model.check import check
from att.model.evaluate import evaluate
from att.model.tiling import Leq, VarRole
from att.solve.axis_sort import AxisSortSolver
from att.solve.base import SolveOptions, SolveStatus
from benchmarks import waist_models as waist
from tests.small_models import ORIGIN, best_by_brute_force, is_legal, model_of, random_problems, tiny_cases


def solve(problem):
    return AxisSortSolver().solve(problem, SolveOptions())


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
def test_the_first_tile_takes_all_the_ub_it_can(size):
    problem = bind(waist.elementwise(), {"Z": size})
    tile = solve(problem).tiling["z0t_size"]
    larger = {"z0t_size": tile + 8, "z0Tb_size": 1}
    assert tile == size or tile + 8 > size or any(v.family == "ub_capacity" for v in check(problem, larger))


def test_earlier_ranks_are_served_first():
    x, y = symbol("x", 1, 100), symbol("y", 1, 100)
    fits = Leq(lhs=x * y, rhs=integer(120), origin=ORIGIN)
    both = ((x, VarRole.TILE), (y, VarRole.TILE))
    assert dict(solve(bind(model_of(both, [fits], integer(0), [x + y]), {})).tiling) == {"x": 100, "y": 1}
    assert dict(solve(bind(model_of(both[::-1], [fits], integer(0), [x + y]), {})).tiling) == {"x": 1, "y": 100}


def test_tiles_of_one_rank_are_cut_together():
    from dataclasses import replace

    x, y = symbol("x", 1, 100), symbol("y", 1, 7)
    model = model_of([(x, VarRole.TILE), (y, VarRole.TILE)], [Leq(lhs=x * y, rhs=integer(120), origin=ORIGIN)], integer(0), [x + y])
    level = replace(model, variables=tuple(replace(v, rank=0) for v in model.variables))
    assert dict(solve(bind(level, {})).tiling) == {"x": 17, "y": 7}


def test_cores_are_added_only_while_the_time_improves_and_the_limit_holds():
    b = symbol("b", 1, 64)
    cores = ceil_div(64, b)
    limit = Leq(lhs=cores, rhs=integer(9), origin=ORIGIN)
    work = bind(model_of([(b, VarRole.BLOCK)], [limit], integer(0), [1000 * b]), {})
    assert dict(solve(work).tiling) == {"b": 8}
    launch = bind(model_of([(b, VarRole.BLOCK)], [limit], 9000 * cores, [1000 * b]), {})
    assert dict(solve(launch).tiling) == {"b": 16} or evaluate(launch, solve(launch).tiling).objective_ticks <= 52_000
