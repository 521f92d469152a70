"""Why a tiling is slower than the optimum: the sentence, and that its numbers are those of the two evaluations."""

from __future__ import annotations

import re

import pytest

from att.chips import load_chip
from att.model.bind import bind
from att.model.build import build_model
from att.model.check import check
from att.model.evaluate import evaluate
from att.model.options import ModelOptions
from att.verify.loss import loss
from benchmarks.cases import graph_cases
from schedule.generate import schedule_graph


def problem_of(chip_name, graph, shape, name):
    (case,) = (c for c in graph_cases(f"{graph}.dynamic") if dict(c.shape) == shape)
    chip = load_chip(chip_name)
    template = next(t for t in schedule_graph(case.graph, chip).templates if t.name == name)
    return bind(build_model(template, chip, ModelOptions()), case.shape)


@pytest.fixture(scope="module")
def chunked():
    return problem_of("ascend910b1", "rms_norm", {"ks0": 8192, "ks1": 7168}, "chunked.z0.z1")


BEST = {"z0Tb_size": 19, "z0t_size": 9, "z1t_size": 1024}
WHOLE_ROWS = {"z0Tb_size": 171, "z0t_size": 1, "z1t_size": 7008}


def cycles(sentence):
    """Every `N cycles longer` or `less`, signed."""
    found = re.findall(r"([\d,]+) cycles (longer|less)", sentence)
    return [int(number.replace(",", "")) * (1 if which == "longer" else -1) for number, which in found]


def test_the_weight_that_every_row_loads_again_is_named(chunked):
    sentence = loss(chunked, BEST, WHOLE_ROWS)
    assert sentence.startswith("z0t_size 1 where 9 is best, z1t_size 7008 where 1024 is best, z0Tb_size 171 tiles a core where 19 is best:")
    assert re.search(r"MTE2 decides and takes [\d,]+ cycles longer \(load1 ", sentence)
    assert "VEC" not in sentence


def test_the_time_is_the_difference_of_the_two_evaluations(chunked):
    difference = evaluate(chunked, WHOLE_ROWS).objective_ticks - evaluate(chunked, BEST).objective_ticks
    pipe, node = cycles(loss(chunked, BEST, WHOLE_ROWS))
    assert pipe == pytest.approx(difference / 10**6, abs=1)
    nodes = [next(p for p in evaluate(chunked, t).phases[0].pipes if p.pipe == "MTE2").nodes["load1"] for t in (WHOLE_ROWS, BEST)]
    assert node == pytest.approx((nodes[0] - nodes[1]) / 10**6, abs=1)


def test_cores_and_phases_are_told_apart():
    problem = problem_of("ascend910b1", "amax_keep", {"ks0": 17, "ks1": 7168}, "r_split.z0.z1")
    best = {"z0t_size": 17, "z1t_size": 720, "z1Tt_size": 1, "z0p1t_size": 17, "z0p1Tb_size": 1}
    other = {**best, "z1t_size": 1024}
    assert not check(problem, best)
    assert not check(problem, other)
    sentence = loss(problem, best, other)
    assert "phase 1: starting 7 cores in place of 10 takes 900 cycles less" in sentence
    assert "phase 2: " in sentence
    difference = evaluate(problem, other).objective_ticks - evaluate(problem, best).objective_ticks
    told = cycles(re.sub(r"\(.*?\)", "", sentence))
    assert sum(told) == pytest.approx(difference / 10**6, abs=len(told))


def test_another_pipe_may_decide():
    problem = problem_of("ascend310p3", "add_col", {"ks0": 8191, "ks1": 333}, "general.z1")
    sentence = loss(problem, {"z0z1Tb_size": 2048, "z1t_size": 280}, {"z0z1Tb_size": 1024, "z1t_size": 333})
    assert re.search(r"MTE3 decides and takes [\d,]+ cycles longer than MTE2, which decides in the optimum \(store ", sentence)
