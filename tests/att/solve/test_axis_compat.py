"""The reference's decisions, row by row: what the compatible walk decides against what the running reference decided."""

from __future__ import annotations

import json
from dataclasses import replace
from math import prod

import pytest

from att.chips import load_chip
from att.expr.core import align_up, ceil_div, integer, symbol
from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.model.bind import bind, loosened
from att.model.build import build_model
from att.model.evaluate import evaluate
from att.model.options import ModelOptions
from att.model.policy import Policy, Trade
from att.model.tiling import Divides, Leq, VarRole
from att.ops.call import CostSet
from att.solve import axis_compat
from att.solve.axis_board import Board
from att.solve.axis_sort import AxisSortSolver
from att.solve.base import SolveOptions, SolveStatus
from schedule.generate import schedule_graph
from tests.small_models import ORIGIN, model_of

CHIP = load_chip("ascend910b1")
COMPAT = SolveOptions(compat=True)
MODEL = ModelOptions(cost_set=CostSet.PUBLISHED, align_bytes=None)

GRAPHS = {
    "abs1d": lambda g, a: g.op("Abs", g.load("x", a)),
    "abs2d": lambda g, a: g.op("Abs", g.load("x", a)),
    "add2d": lambda g, a: g.op("Add", g.load("x", a), g.load("w", a)),
    "addbrc_row": lambda g, a: g.op("Add", g.load("x", a), g.load("b", a[1:])),
    "addbrc_col": lambda g, a: g.op("Add", g.load("x", a), g.load("c", a[:1])),
    "addbrc_mid": lambda g, a: g.op("Add", g.load("x", a), g.load("b", (a[0], a[2]))),
    "sum_ar": lambda g, a: g.reduce("Sum", g.load("x", a), a[1]),
    "sum_ra": lambda g, a: g.reduce("Sum", g.load("x", a), a[0]),
    "max_ara": lambda g, a: g.reduce("Max", g.load("x", a), a[1]),
    "softmax_like": lambda g, a: _shifted_exp(g, g.load("x", a), a[1]),
}

TEMPLATES = {
    "abs1d": {"result0_g0_0": "general.z0"},
    "abs2d": {"result0_g0_0": "general.z0z1"},
    "add2d": {"result0_g0_0": "general.z0z1"},
    "addbrc_row": {"result0_g0_0": "general.z0", "result0_g0_1": "general.z1"},
    "addbrc_col": {"result0_g0_0": "general.z0", "result0_g0_1": "general.z1"},
    "addbrc_mid": {"result0_g0_0": "general.z0", "result0_g0_1": "general.z1", "result0_g0_2": "general.z2"},
    "sum_ar": {"result0_g0_0": "general.z0.z1", "result2_g0_0": "full_load.z0"},
    "sum_ra": {"result0_g0_0": "general.z1.z0"},
    "max_ara": {
        "result0_g0_0": "general.z0.z1",
        "result0_g0_1": "general.z2.z1",
        "result3_g0_0": "full_load.z0",
        "result3_g0_1": "full_load.z2",
    },
    "softmax_like": {"result0_g0_0": "full_load.z0"},
}
"""The templates that both systems have; the reference's others keep broadcast operands or reduce in another way."""

DIFFERENT = {
    ("addbrc_row", "general.z0", (48, 3000)): 0,
    ("addbrc_row", "general.z0", (8192, 333)): 0,
    ("addbrc_row", "general.z0", (16384, 1000)): 0,
    ("addbrc_col", "general.z1", (512, 50257)): 32,
    ("addbrc_mid", "general.z1", (8, 128, 1000)): 4000,
    ("softmax_like", "full_load.z0", (128, 7)): 0,
    ("softmax_like", "full_load.z0", (100000, 1)): 0,
    ("softmax_like", "full_load.z0", (8192, 333)): 0,
    ("softmax_like", "full_load.z0", (16384, 1000)): 0,
}
"""Every row on which the decisions differ: their UB holds the operand spread over the tile in a buffer of its own, ours where the result
will lie. With the bytes of a second buffer, which they do without for an operand that they keep between tiles."""


def _shifted_exp(g, x, axis):
    return g.op("Exp", g.op("Sub", x, g.reduce("Max", x, axis)))


def _templates(name, rank):
    sizes = tuple(Size(name=f"s{i}") for i in range(rank))
    axes = {f"a{i}": symbol(s.name, s.minimum, s.maximum) for i, s in enumerate(sizes)}
    builder = GraphBuilder(name, axes, sizes)
    builder.store("y", GRAPHS[name](builder, tuple(axes)))
    return {t.name: build_model(t, CHIP, MODEL) for t in schedule_graph(builder.build(), CHIP).templates}


@pytest.fixture(scope="module")
def recorded(shared_data):
    """Key, our problem and the record of every template that both systems solved."""
    return list(_recorded(shared_data))


def _recorded(folder):
    rows = json.loads((folder / "reference_tilings.json").read_text())["rows"]
    models = {}
    for row in rows:
        name, shape = row["graph"], tuple(row["shape"])
        if row["arch"] != "2201" or name not in TEMPLATES:
            continue
        if name not in models:
            models[name] = _templates(name, len(shape))
        for template in row.get("templates_evaluated", ()):
            ours = TEMPLATES[name].get(template["template"])
            if ours:
                yield (name, ours, shape), bind(models[name][ours], {f"s{i}": n for i, n in enumerate(shape)}), template


def _decision(problem):
    result = AxisSortSolver().solve(problem, COMPAT)
    assert result.status is SolveStatus.FEASIBLE
    return dict(result.tiling), evaluate(problem, result.tiling).block_dim


def test_the_reference_decides_the_same_on_every_row_but_the_explained_ones(recorded):
    same, different = [], {}
    for key, problem, template in recorded:
        theirs = template["variables"], template["block_dim"]
        ours = _decision(problem)
        if ours == theirs:
            same.append(key)
        else:
            different[key] = (ours, theirs)
    assert set(different) == set(DIFFERENT), different
    assert len(same) == 83


def _with_spread(problem, key):
    """The problem with the reference's UB: ours, and the operand that is spread over the tile."""
    _, template, shape = key
    cut = int(template[-1])
    (tile,) = (v.symbol for v in problem.source.variables if v.role is VarRole.TILE)
    inside = shape[cut + 1 :]
    spread = 4 * (tile * prod(inside[:-1]) * align_up(inside[-1], 8) if inside else align_up(tile, 8)) - DIFFERENT[key]
    source = problem.source
    rules = tuple(
        replace(c, lhs=c.lhs + spread) if isinstance(c, Leq) and c.origin.family == "ub_capacity" else c for c in source.constraints
    )
    phases = tuple(replace(p, ub_bytes=p.ub_bytes + spread) for p in source.phases)
    return bind(replace(source, constraints=rules, phases=phases), problem.shape)


def test_with_the_references_ub_its_decisions_are_ours(recorded):
    """The rows that differ: with that buffer UB is the recorded one to the byte, and nothing differs."""
    compared = 0
    for key, problem, template in recorded:
        if key in DIFFERENT:
            theirs = _with_spread(problem, key)
            assert evaluate(theirs, template["variables"]).ub_bytes == template["ub_used_bytes"], key
            assert _decision(theirs) == (template["variables"], template["block_dim"]), key
            compared += 1
    assert compared == len(DIFFERENT)


def test_no_decision_differs_by_what_loads_cost(recorded):
    """Loads that are shared by several tiles are charged as often as the reference charges them."""
    for key, problem, template in recorded:
        (phase,) = evaluate(problem, template["variables"]).phases
        mte2 = next(p.ticks for p in phase.pipes if p.pipe == "MTE2")
        assert mte2 / 10**6 == pytest.approx(template["pipes_cycles"]["MTE2"], rel=1e-6, abs=0.01), key


def test_the_infamous_row_ends_on_two_cores_and_ours_does_not():
    """x[512,50257] + b[1,50257]: a probe for more cores is refused when the very next share is better (att_facts §4.6)."""
    problem = bind(_templates("addbrc_row", 2)["general.z1"], {"s0": 512, "s1": 50257})
    assert _decision(problem) == ({"z0z1Tb_size": 3578, "z1t_size": 3872}, 2)
    ours = AxisSortSolver().solve(problem, SolveOptions())
    assert evaluate(problem, ours.tiling).block_dim >= 40
    assert 20 * ours.objective_ticks < evaluate(problem, {"z0z1Tb_size": 3578, "z1t_size": 3872}).objective_ticks


def test_a_users_trade_off_replaces_the_search_for_cores():
    problem = bind(_templates("abs1d", 1)["general.z0"], {"s0": 100_000})
    few, many = (
        AxisSortSolver().solve(problem, replace(COMPAT, trade=Trade(ub_ppm=ub, cores_ppm=cores))).tiling
        for ub, cores in ((900_000, 1_000_000), (10_000, 1_000_000))
    )
    assert few["z0t_size"] > many["z0t_size"]


def alike(upper_x, upper_y, ub, *, most_cores=1, both=False, **policy):
    """Two tiles of one rank in one buffer; tiles of x, or of both, are shared among cores."""
    x, y, b = symbol("x", 1, upper_x), symbol("y", 1, upper_y), symbol("b", 1, 10_000)
    work = ceil_div(upper_x, x) * (ceil_div(upper_y, y) if both else 1)
    cores = ceil_div(work, b)
    fits = Leq(lhs=x * y, rhs=integer(ub), origin=replace(ORIGIN, family="ub_capacity"))
    limit = Leq(lhs=cores, rhs=integer(most_cores), origin=replace(ORIGIN, family="core_count"))
    tiles = [(x, VarRole.TILE), (y, VarRole.TILE), (b, VarRole.BLOCK)]
    model = model_of(tiles, [fits, limit], integer(0), [b * x * y])
    variables = tuple(replace(v, rank=0 if v.role is VarRole.TILE else 9) for v in model.variables)
    variables = tuple(replace(v, upper=work) if v.role is VarRole.BLOCK else v for v in variables)
    phases = tuple(replace(p, block_dim=cores) for p in model.phases)
    return bind(replace(model, variables=variables, phases=phases, policy=Policy(**policy)), {})


@pytest.mark.parametrize(("uppers", "ub", "tiles"), [((100, 100), 400, (20, 20)), ((100, 5), 400, (80, 5)), ((6, 100), 400, (6, 66))])
def test_tiles_of_one_rank_are_cut_alike_and_the_longer_one_extended(uppers, ub, tiles):
    problem = alike(*uppers, ub)
    board = Board(loosened(problem))
    assert axis_compat.solve(board, None)
    assert (board.values["x"], board.values["y"]) == tiles


@pytest.mark.parametrize(("ub_ppm", "both", "tiles"), [(1000, True, (14, 14)), (1000, False, (4, 100)), (900_000, False, (4, 100))])
def test_a_trade_off_treats_tiles_of_one_rank_by_which_of_them_decide_the_cores(ub_ppm, both, tiles):
    """Both: alike, 64 pieces for 8 cores (25 pieces keep only 7 busy). One: the other one first, then that one for its cores."""
    problem = alike(100, 100, 400, most_cores=8, both=both, trade=Trade(ub_ppm=ub_ppm, cores_ppm=1_000_000))
    tiling = AxisSortSolver().solve(problem, COMPAT).tiling
    assert (tiling["x"], tiling["y"]) == tiles


def test_a_walk_that_ends_at_an_illegal_tiling_finds_nothing():
    x = symbol("x", 1, 100)
    odd = Divides(divisor=integer(7), dividend=x, origin=ORIGIN)
    problem = bind(model_of([(x, VarRole.TILE)], [odd, Leq(lhs=x, rhs=integer(6), origin=ORIGIN)], integer(0), [x]), {})
    assert AxisSortSolver().solve(problem, COMPAT).status in (SolveStatus.TIMEOUT, SolveStatus.INFEASIBLE)
