"""The check names every broken rule with got and allowed; the evaluation adds up phases, pipes and nodes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from att.errors import BackendBug, UsageError
from att.expr.core import integer, symbol
from att.model.bind import bind
from att.model.check import amount_text, check
from att.model.evaluate import evaluate
from att.model.tiling import CoreTime, Divides, Leq, Member, NodeTime, PipeTime, VarRole
from att.ops.call import Pipe
from benchmarks import waist_models as waist
from tests.small_models import ORIGIN, every_tiling, is_legal, model_of, tiny_cases

PROBLEM = bind(waist.elementwise(), {"Z": 4099})
LEGAL = {"z0t_size": 2048, "z0Tb_size": 1}


def test_a_legal_tiling_breaks_nothing():
    assert check(PROBLEM, LEGAL) == ()
    assert check(PROBLEM, {"z0t_size": 4099, "z0Tb_size": 1}) == ()


@pytest.mark.parametrize(
    ("value", "unit", "text"), [(1, "cores", "1 core"), (2, "cores", "2 cores"), (0, "rows", "0 rows"), (1, "B", "1 B"), (7, "", "7")]
)
def test_amounts_are_counted_in_words(value, unit, text):
    assert amount_text(value, unit) == text


@pytest.mark.parametrize(
    ("changes", "family", "got", "allowed", "words"),
    [
        ({"z0t_size": 4100}, "axis_bounds", 4100, 4099, "got 4100 elements, allowed 4099 elements"),
        ({"z0t_size": 2047}, "alignment", 2047, "multiples of 8", "allowed are multiples of 8"),
        ({"z0Tb_size": 4}, "axis_bounds", 4, 3, "z0Tb_size exceeds its axis"),
        ({"z0t_size": 8, "z0Tb_size": 1}, "core_count", 513, 48, "got 513 cores, allowed 48 cores"),
    ],
)
def test_a_broken_rule_is_named(changes, family, got, allowed, words):
    violations = check(PROBLEM, {**LEGAL, **changes})
    first = next(v for v in violations if v.family == family)
    assert (first.got, first.allowed) == (got, allowed)
    assert words in first.text


def test_ub_is_counted_in_bytes_even_for_tiles_far_outside():
    (violation,) = check(bind(waist.elementwise(), {"Z": 262_144}), {"z0t_size": 262_144, "z0Tb_size": 1})
    assert (violation.family, violation.got, violation.allowed, violation.unit) == ("ub_capacity", 4_202_496, 196_352, "B")


def test_members_are_listed():
    x = symbol("x", 1, 20)
    problem = bind(model_of([(x, VarRole.TILE)], [Member(var="x", values=(2, 5), origin=ORIGIN)], integer(0), [x]), {})
    (violation,) = check(problem, {"x": 3})
    assert (violation.got, violation.allowed) == (3, "2, 5")
    assert check(problem, {"x": 5}) == ()


def test_wrong_names_and_values_come_first_and_alone():
    assert [(v.family, v.subject) for v in check(PROBLEM, {"z0t_size": 7, "q": 1})] == [("variables", "z0Tb_size"), ("variables", "q")]
    (violation,) = check(PROBLEM, {**LEGAL, "z0t_size": 0})
    assert (violation.family, violation.got, violation.allowed) == ("domain", 0, "1..2147483647")


def test_fixed_variables_are_rules_too():
    problem = bind(waist.elementwise(), {"Z": 4099}, fixed={"z0t_size": 512})
    (violation,) = check(problem, LEGAL)
    assert (violation.family, violation.got, violation.allowed) == ("fixed", 2048, 512)


@pytest.mark.parametrize("case", sorted(tiny_cases()))
def test_it_agrees_with_the_constraints_one_by_one(case):
    model, shape = tiny_cases()[case]
    problem = bind(model, shape)
    for tiling in every_tiling(problem):
        assert (check(problem, tiling) == ()) == is_legal(problem, tiling)


@pytest.mark.parametrize("case", sorted(tiny_cases()))
def test_the_breakdown_adds_up_to_the_objective(case):
    model, shape = tiny_cases()[case]
    problem = bind(model, shape)
    from att.expr.evaluate import evaluate as value_of

    for tiling in list(every_tiling(problem))[::7]:
        cost = evaluate(problem, tiling)
        assert cost == evaluate(model, tiling, shape)
        assert cost.objective_ticks == value_of(model.objective, {**shape, **tiling}) == sum(p.makespan_ticks for p in cost.phases)
        for phase in cost.phases:
            slowest = max(p.ticks for p in phase.pipes)
            assert phase.makespan_ticks == phase.launch_ticks + slowest
            assert next(p for p in phase.pipes if p.pipe == phase.bottleneck).ticks == slowest
            assert all(p.ticks == p.head_ticks + sum(p.nodes.values()) for p in phase.pipes)


def test_cores_and_bytes_are_the_largest_of_the_phases():
    cost = evaluate(bind(waist.two_phases(), {"R": 1_000_003}), {"z0t_size": 14_712, "z0Tb_size": 2})
    assert [p.block_dim for p in cost.phases] == [34, 1]
    assert cost.block_dim == 34
    assert cost.ub_bytes == max(p.ub_bytes for p in cost.phases) == 125_888


def test_an_illegal_tiling_has_a_cost_too():
    assert evaluate(bind(waist.elementwise(), {"Z": 262_144}), {"z0t_size": 262_144, "z0Tb_size": 1}).ub_bytes == 4_202_496


@pytest.mark.parametrize(
    ("tiling", "message"),
    [
        ({"z0t_size": 8}, "z0Tb_size has no value; give values for z0t_size, z0Tb_size"),
        ({"z0t_size": 0, "z0Tb_size": 1}, "allowed are 1.."),
    ],
)
def test_a_tiling_without_a_meaning_has_no_cost(tiling, message):
    with pytest.raises(UsageError, match=message):
        evaluate(PROBLEM, tiling)


def test_a_model_whose_nodes_do_not_add_up_is_our_bug():
    x = symbol("x", 1, 9)
    model = model_of([(x, VarRole.TILE)], [], integer(0), [x])
    (phase,) = model.phases
    wrong = CoreTime(ticks=2 * x, nodes=(NodeTime(node="n", ticks=x),))
    broken = replace(model, phases=(replace(phase, pipes=(PipeTime(pipe=Pipe.VEC, head=integer(0), cores=(wrong,)),)),))
    with pytest.raises(BackendBug, match="nodes add up to 3 ticks, the core's time is 6 ticks"):
        evaluate(broken, {"x": 3}, {})


def test_leq_and_divides_at_their_edges():
    x = symbol("x", 1, 20)
    rules = [Leq(lhs=x, rhs=integer(12), origin=ORIGIN), Divides(divisor=integer(4), dividend=x, origin=ORIGIN)]
    problem = bind(model_of([(x, VarRole.TILE)], rules, integer(0), [x]), {})
    assert [v for v in range(1, 21) if check(problem, {"x": v}) == ()] == [4, 8, 12]
