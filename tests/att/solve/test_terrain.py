"""The landscape of a problem: legal where the model is, priced as the model is, and followers that follow."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, assume, given, settings

from att.model.bind import bind
from att.model.check import check
from att.model.evaluate import evaluate
from att.solve.terrain import Terrain, moved
from benchmarks import waist_models as waist
from tests.small_models import every_tiling, is_legal, random_problems, tiny_cases


def _fits(terrain, tiling):
    return terrain.tiling(terrain.point(tiling)) == tiling


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(random_problems())
def test_a_point_is_legal_where_the_model_says_so(problem):
    assume(problem.contradiction is None)
    terrain = Terrain(problem)
    for tiling in every_tiling(problem):
        if any(ladder.size == 0 for ladder in terrain.ladders) or not _fits(terrain, tiling):
            assert not is_legal(problem, tiling)
        else:
            assert (terrain.glance(terrain.point(tiling)).broken == 0) == is_legal(problem, tiling)


@pytest.mark.parametrize("case", sorted(tiny_cases()))
def test_a_legal_point_costs_what_the_model_says(case):
    model, shape = tiny_cases()[case]
    problem = bind(model, shape)
    terrain = Terrain(problem)
    for tiling in [t for t in every_tiling(problem) if is_legal(problem, t)][:50]:
        assert terrain.view(terrain.point(tiling)).ticks == evaluate(problem, tiling).objective_ticks


def test_worse_broken_is_farther_away():
    problem = bind(waist.elementwise(), {"Z": 2**31 - 1})
    terrain = Terrain(problem)
    on_cores = [terrain.glance(terrain.point({"z0t_size": 64, "z0Tb_size": share})).broken for share in (600_000, 700_000, 699_051)]
    assert on_cores[0] > 0
    assert on_cores[1:] == [0, 0]
    crowded = [terrain.glance(terrain.point({"z0t_size": 64, "z0Tb_size": share})).broken for share in (500_000, 600_000)]
    assert crowded[0] > crowded[1]


@pytest.mark.parametrize("largest", [True, False])
def test_corners_put_everything_on_one_core(largest):
    problem = bind(waist.reduce_rows(), {"A": 4096, "R": 1000})
    terrain = Terrain(problem)
    corner = terrain.corner(largest=largest)
    tiles = [terrain.ladders[i].value(corner[i]) for i in (0, 1)]
    assert tiles == [v.symbol.hi if largest else v.symbol.lo for v in terrain.variables[:2]]
    assert terrain.count(corner, 2) == 1


def test_cores_are_kept_when_a_tile_grows():
    problem = bind(waist.reduce_rows(), {"A": 4096, "R": 1000})
    terrain = Terrain(problem)
    before = terrain.point({"z0t_size": 4, "z1t_size": 1000, "z0Tb_size": 32})
    i = [v.name for v in terrain.variables].index("z0t_size")
    assert terrain.count(before, 2) == 32
    after = terrain.carried(moved(before, i, terrain.ladders[i].at_most(8)), before, i)
    assert terrain.tiling(after) == {"z0t_size": 8, "z1t_size": 1000, "z0Tb_size": 16}
    assert check(problem, terrain.tiling(after)) == ()


def test_what_was_viewed_is_remembered_and_a_glance_is_not():
    terrain = Terrain(bind(waist.elementwise(), {"Z": 100}))
    corner = terrain.corner(largest=True)
    seen = len(terrain.seen)
    terrain.glance(moved(corner, 0, 0))
    terrain.view(corner)
    assert len(terrain.seen) == seen
    terrain.view(moved(corner, 0, 0))
    assert len(terrain.seen) == seen + 1


def test_a_tiling_without_a_value_has_no_point():
    assert Terrain(bind(waist.elementwise(), {"Z": 100})).point({"z0t_size": 8}) is None
