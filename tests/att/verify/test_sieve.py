"""Intervals drop no tiling that is legal and fast enough, and what they leave is small."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from att.errors import ModelError
from att.expr.core import add, ceil_div, floor_div, mod, mul, symbol
from att.expr.evaluate import compile_program
from att.expr.ranges import Range
from att.model.bind import bind
from att.model.evaluate import evaluate
from att.verify import sieve as sieve_file
from att.verify.cases import Case, Faster, Phase, faster_than
from att.verify.coordinates import coordinates_of
from att.verify.sieve import sieve
from tests.small_models import best_by_brute_force, every_tiling, is_legal, random_problems, tiny_cases

CASES = tiny_cases()


def _whole(claim):
    return Case(domains={v: v.domain for v in claim.variables}, cores=tuple(Range(1, phase.most_cores, 1) for phase in claim.phases))


def _cores(claim, tiling):
    """Cores in use in each phase."""
    return compile_program(tuple(phase.cores for phase in claim.phases)).run(tiling)


def _holds(part, tiling, cores):
    numbers = [*(tiling[v.name] for v in part.domains), *cores]
    ranges = [*part.domains.values(), *part.cores]
    return all(r.lo <= n <= r.hi and n % max(1, r.multiple) == 0 for n, r in zip(numbers, ranges, strict=True))


def _fast_tilings(problem, ticks):
    legal = (t for t in every_tiling(problem) if is_legal(problem, t))
    return [t for t in legal if evaluate(problem, t).objective_ticks < ticks]


def _assert_nothing_lost(problem, ticks, width):
    claim = faster_than(problem.source, problem.shape, ticks)
    left = sieve(claim, _whole(claim), width)
    for tiling in _fast_tilings(problem, ticks):
        cores = _cores(claim, tiling)
        assert sum(_holds(part, tiling, cores) for part in (*left.small, *left.large)) == 1
    assert all(part.width <= width and claim.holds_cores(part) for part in left.small)
    return left


@pytest.mark.parametrize("width", [0, 3, 40])
@pytest.mark.parametrize("case", sorted(CASES))
def test_every_faster_tiling_is_in_one_of_the_parts(case, width):
    problem = bind(*CASES[case])
    optimum = best_by_brute_force(problem)[0][0]
    assert _assert_nothing_lost(problem, optimum + optimum // 8 + 1, width).small


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(problem=random_problems(), width=st.integers(0, 6), more=st.integers(-3, 300))
def test_so_it_is_in_any_small_model(problem, width, more):
    best = best_by_brute_force(problem)
    if best is not None:
        _assert_nothing_lost(problem, best[0][0] + more, width)


@pytest.mark.parametrize("case", sorted(CASES))
def test_at_the_optimum_intervals_leave_what_is_as_fast_to_the_last_digit_of_a_double(case):
    problem = bind(*CASES[case])
    optimum = best_by_brute_force(problem)[0][0]
    claim = faster_than(problem.source, problem.shape, optimum)
    left = sieve(claim, _whole(claim), 0)
    assert left.large == ()
    assert 0 < left.dropped <= left.judged
    for part in left.small:
        tiling = {v.name: domain.lo for v, domain in part.domains.items()}
        assert is_legal(problem, tiling)
        assert evaluate(problem, tiling).objective_ticks - optimum < 1 + optimum // 2**40


def test_too_many_boxes_end_the_sieve(monkeypatch):
    """What is left then is large, and still holds every tiling."""
    monkeypatch.setattr(sieve_file, "_MOST", 4)
    problem = bind(*CASES["fused_rows"])
    optimum = best_by_brute_force(problem)[0][0]
    left = _assert_nothing_lost(problem, 3 * optimum, 0)
    assert len(left.large) > 4
    again = [sieve(faster_than(problem.source, problem.shape, 3 * optimum), part, 0) for part in left.large]
    assert any(part.large for part in again)


@pytest.mark.parametrize("case", sorted(CASES))
def test_coordinates_say_what_the_model_says(case):
    """With the cores as a coordinate, every tiling is legal exactly when it is without, and takes the same."""
    problem = bind(*CASES[case])
    claim = faster_than(problem.source, problem.shape, 1)
    coordinates = coordinates_of(claim, _whole(claim))
    names = [c.name if c is not None else "" for c in coordinates.cores]
    judged, priced = compile_program((coordinates.ticks, *coordinates.legal)), compile_program((problem.source.objective,))
    for tiling in every_tiling(problem):
        cores = _cores(claim, tiling)
        if any(n > phase.most_cores for n, phase in zip(cores, claim.phases, strict=True)):
            assert not is_legal(problem, tiling)
            continue
        ticks, *legal = judged.run({**tiling, **dict(zip(names, cores, strict=True))})
        assert all(legal) == is_legal(problem, tiling)
        assert (ticks,) == priced.run({**problem.shape, **tiling})


@settings(max_examples=40)
@given(rows=st.integers(1, 9), length=st.integers(1, 30), most=st.integers(1, 12))
def test_coordinates_say_the_same_of_rows_that_cores_share(rows, length, most):
    """A core's tiles in rows, rounded either way, and those of the last core."""
    tile, share = symbol("t", 1, length), symbol("b", 1, rows * length)
    in_row = ceil_div(length, tile)
    work = mul(rows, in_row)
    ticks = add(floor_div(share, in_row), mul(100, ceil_div(share, in_row)), mul(10_000, mod(add(work, -1), share)))
    phase = Phase(times=(ticks,), cores=ceil_div(work, share), most_cores=most)
    claim = Faster(variables=(tile, share), legal=(), phases=(phase,), ticks=10**9)
    coordinates = coordinates_of(claim, _whole(claim))
    judged, priced = compile_program((coordinates.ticks, *coordinates.legal)), compile_program((phase.cores, ticks))
    for t, b in product(range(1, length + 1), range(1, rows * length + 1)):
        cores, expected = priced.run({"t": t, "b": b})
        if cores <= most and b <= rows * -(-length // t):
            found, *legal = judged.run({"t": t, "b": b, "cores_of_phase_1": cores})
            assert (found, all(legal)) == (expected, True)


def test_a_variable_that_no_double_holds_is_refused():
    huge = symbol("t", 1, 2**53)
    claim = Faster(variables=(huge,), legal=(), phases=(), ticks=1)
    with pytest.raises(ModelError, match=r"variable t can be 1\.\.9007199254740992"):
        sieve(claim, _whole(claim), 0)


def test_rows_of_a_core_are_among_the_models():
    claims = [faster_than(*CASES[case], 1) for case in CASES]
    assert any(phase.rows for claim in claims for phase in claim.phases)
    assert any(phase.shared is None for claim in claims for phase in claim.phases)
