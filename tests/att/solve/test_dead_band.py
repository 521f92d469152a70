"""The reference's choice among templates: its rule, its dependence on order, and what it chose."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import permutations

import pytest

from att.chips import load_chip
from att.model.bind import bind
from att.model.policy import PPM, policy_of
from att.solve.base import SolveOptions
from att.solve.dead_band import Offer, reference_choice
from att.solve.select import select
from benchmarks import waist_models as waist

CYCLE = 10**6
POLICY = policy_of((), load_chip("ascend910b1"))
ENOUGH, LITTLE, LESS = 200_000, 180_000, 10_000


@pytest.mark.parametrize(
    ("kept", "candidate", "taken"),
    [
        ((10_000, ENOUGH), (4_999, LESS), True),
        ((10_000, ENOUGH), (5_000, LESS), False),
        ((5_000, LESS), (10_000, ENOUGH), True),
        ((4_999, LESS), (10_000, ENOUGH), False),
        ((5_000, LESS), (6_000, LITTLE), True),
        ((5_000, LITTLE), (4_000, LESS), False),
        ((5_000, LESS), (4_999, LESS), True),
        ((5_000, ENOUGH), (5_000, 900_000), False),
    ],
)
def test_the_rule(kept, candidate, taken):
    offers = [Offer(cycles * CYCLE, ub) for cycles, ub in (kept, candidate)]
    assert reference_choice(offers, POLICY) == int(taken)


def test_the_rule_depends_on_the_order():
    offers = [Offer(0, LESS), Offer(4_000 * CYCLE, LITTLE), Offer(8_000 * CYCLE, ENOUGH)]
    chosen = {order[reference_choice(order, POLICY)] for order in permutations(offers)}
    assert len(chosen) > 1


def test_without_offers_there_is_no_choice():
    assert reference_choice((), POLICY) is None


def test_it_chooses_what_the_reference_chose(shared_data):
    rows = json.loads((shared_data / "reference_tilings.json").read_text())["rows"]
    compared = 0
    for row in rows:
        solved = row.get("templates_evaluated", ())
        if row["arch"] == "2201" and row["graph"].startswith(("abs", "add")):
            offers = [Offer(round(t["objective_cycles"] * CYCLE), t["ub_used_bytes"] * PPM // 196_352) for t in solved]
            choice = solved[reference_choice(offers, POLICY)]
            assert choice["objective_cycles"] == pytest.approx(row["modelled_cycles"], abs=0.01), row["shape"]
            compared += 1
    assert compared > 30


def test_the_selection_follows_it_where_it_is_asked_to():
    """A template that is faster by less than the dead band but leaves UB empty loses, unlike in the total order."""

    def posed(name, launch, ub_bytes):
        model = waist.elementwise()
        phases = tuple(replace(p, launch=p.launch + launch, ub_bytes=p.ub_bytes + ub_bytes) for p in model.phases)
        return bind(replace(model, template=name, policy=POLICY, phases=phases), {"Z": 1_000})

    problems = [posed("fast", 0, 0), posed("slow", 100 * CYCLE, 100_000)]
    for order in permutations(problems):
        assert select(order, "axis_sort", SolveOptions()).best.problem.template == "fast"
        assert select(order, "axis_sort", SolveOptions(compat=True)).best.problem.template == "slow"
