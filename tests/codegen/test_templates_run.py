"""Every template of every benchmark graph, emitted, compiled and run on the CPU model: right numbers, the UB, calls and bytes predicted.

Shapes are small with nasty tails; a template is compiled once and runs its best tiling and some that nobody would choose.
"""

from __future__ import annotations

import random

import pytest

from att.chips import load_chip
from att.expr.evaluate import evaluate
from att.model.bind import bind
from att.model.build import build_model
from att.model.check import check
from att.model.options import ModelOptions
from att.model.tiling import VarRole
from att.ops.call import CostSet
from att.ops.spec import Costs
from att.solve.base import SolveOptions
from att.solve.run import run
from benchmarks.make_graphs import OPERATORS, dynamic_graph
from codegen.driver import build, check_run, make_case
from schedule.generate import schedule_graph

CHIP = load_chip("ascend910b1")
COSTS = Costs(chip=CHIP, cost_set=CostSet.MENDED)
SHAPES = ({"ks0": 5, "ks1": 37}, {"ks0": 1, "ks1": 8}, {"ks0": 33, "ks1": 65})


@pytest.fixture(scope="session")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("kernels")


def odd_tiling(problem, rng):
    """Any values within the bounds: tiles first, then a share of the work they leave."""
    values = dict(problem.shape)
    for var in sorted(problem.variables, key=lambda v: v.role is VarRole.BLOCK):
        upper = min(var.symbol.hi, evaluate(var.upper, values))
        values[var.name] = rng.randint(min(var.symbol.lo, upper), upper)
    return {v.name: values[v.name] for v in problem.variables}


def tilings(problem, count, seed):
    """The heuristic's tiling and some odd legal ones."""
    start = run(problem, "axis_sort", SolveOptions())
    found = [dict(start.tiling)] if start.tiling is not None else []
    rng = random.Random(seed)
    for _ in range(30):
        tiling = odd_tiling(problem, rng)
        if tiling not in found and not check(problem, tiling):
            found.append(tiling)
        if len(found) > count:
            break
    return found


@pytest.mark.parametrize("name", OPERATORS)
def test_every_template_is_right(name, cache):
    graph = dynamic_graph(name)
    templates = schedule_graph(graph, CHIP).templates
    built = build(graph.name, templates, COSTS, cache)
    runs = 0
    for seed, shape in enumerate(SHAPES):
        case = make_case(graph, shape, seed)
        for template in templates:
            problem = bind(build_model(template, CHIP, ModelOptions(align_bytes=None)), shape)
            for tiling in tilings(problem, 2, seed):
                checked = check_run(built, case, template, tiling)
                assert checked.ok, (template.name, shape, tiling, checked.complaints())
                runs += 1
    assert runs >= len(SHAPES)
