"""Solvers under the pipeline objective: one best tiling, numbers of buffers included, and why one or two."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from att.chips import load_chip
from att.expr.evaluate import evaluate as value_of
from att.formats.builder import GraphBuilder
from att.formats.load import load
from att.model.bind import bind
from att.model.build import build_model
from att.model.check import check
from att.model.evaluate import evaluate
from att.model.options import ModelOptions, Objective
from att.model.tiling import VarRole
from att.solve.base import SolveOptions, SolveStatus
from att.solve.relaxation import relaxed_time
from att.solve.run import run
from benchmarks.cases import graph_cases
from benchmarks.make_graphs import FOLDER
from schedule.generate import schedule_graph
from tests.small_models import best_by_brute_force, every_tiling

PIPELINE = ModelOptions(objective=Objective.PIPELINE)
SMALL = {"ks0": 12, "ks1": 40}


def chip_of(ub_bytes, cores=4):
    return load_chip("ascend910b1", ub_bytes=ub_bytes + 256, cores=cores)


def modelled(graph, chip, options=PIPELINE):
    return [build_model(template, chip, options) for template in schedule_graph(graph, chip).templates]


def numbers_of(problem):
    return [v.name for v in problem.variables if v.role is VarRole.BUFFER]


def difference(m, n):
    """One short computation between a load and a store: the load is the slowest."""
    g = GraphBuilder("difference", {"m": m, "n": n}, ())
    x = g.load("x", ("m", "n"))
    g.store("y", g.op("Sub", x, x))
    return g.build()


def row_max(m, n):
    g = GraphBuilder("row_max", {"m": m, "n": n}, ())
    g.store("y", g.reduce("Max", g.load("x", ("m", "n")), "n"))
    return g.build()


@pytest.mark.parametrize("name", sorted({path.stem for path in FOLDER.glob("*.dynamic.json")}))
def test_exact_solvers_agree_to_the_tick_and_the_buffer(name):
    graph = load(FOLDER / f"{name}.json")
    shape = {size.name: SMALL[size.name] for size in graph.sizes}
    for model in modelled(graph, load_chip("ascend910b1", cores=4)):
        problem = bind(model, shape)
        first, second = (run(problem, solver, SolveOptions(work_limit=10)) for solver in ("cpsat", "enumerate"))
        assert first.status is second.status
        if first.status is SolveStatus.INFEASIBLE:
            assert model.template.startswith("r_split"), "there are as many rows as cores"
            continue
        assert first.status is SolveStatus.OPTIMAL
        assert (dict(first.tiling), first.objective_ticks) == (dict(second.tiling), second.objective_ticks)
        for solver in ("axis_sort", "descent"):
            assert run(problem, solver, SolveOptions(work_limit=0.2)).objective_ticks >= first.objective_ticks


@pytest.mark.parametrize("make", [difference, row_max])
def test_the_answer_is_the_best_of_all_tilings(make):
    for model in modelled(make(6, 24), chip_of(8192), ModelOptions(objective=Objective.PIPELINE, align_bytes=None)):
        problem = bind(model, {})
        _, best = best_by_brute_force(problem)
        assert {solver: dict(run(problem, solver, SolveOptions()).tiling) for solver in ("cpsat", "enumerate")} == {
            "cpsat": best,
            "enumerate": best,
        }


@given(make=st.sampled_from([difference, row_max]), m=st.integers(1, 200), n=st.integers(1, 400), ub_bytes=st.integers(2048, 40_000))
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_exact_solvers_agree_at_any_ub(make, m, n, ub_bytes):
    chip = chip_of(ub_bytes)
    for model in modelled(make(m, n), chip):
        problem = bind(model, {})
        first, second = (run(problem, solver, SolveOptions(work_limit=2)) for solver in ("cpsat", "enumerate"))
        if SolveStatus.OPTIMAL in (first.status, second.status) and SolveStatus.FEASIBLE not in (first.status, second.status):
            assert (first.tiling, first.objective_ticks) == (second.tiling, second.objective_ticks)
            assert not check(problem, first.tiling)


def test_the_relaxed_time_is_never_above_the_time():
    for model in modelled(row_max(9, 24), chip_of(8192)):
        problem = bind(model, {})
        bound = relaxed_time(problem)
        for tiling in every_tiling(problem) if bound is not None else ():
            if not check(problem, tiling):
                assert value_of(bound, tiling) <= evaluate(problem, tiling).objective_ticks


def test_one_output_buffer_pays_where_the_tile_then_grows():
    """8 KiB of UB: the loads decide either way, so stores may take turns with the short computation, and tiles grow by a quarter."""
    (model,) = modelled(difference(96, 2048), chip_of(8192))
    free = run(bind(model, {}), "enumerate", SolveOptions())
    double = run(bind(model, {}, fixed={"mte2_vec_buf_num": 2, "vec_mte3_buf_num": 2}), "enumerate", SolveOptions())
    assert (free.tiling["mte2_vec_buf_num"], free.tiling["vec_mte3_buf_num"]) == (2, 1)
    assert free.tiling["z0z1t_size"] > 1.25 * double.tiling["z0z1t_size"]
    assert free.objective_ticks < double.objective_ticks


def test_two_buffers_pay_where_the_pipes_overlap():
    """With all of UB the tile is large enough; taking turns would add the loads to the computation."""
    graph = load("att/samples/softmax.json")
    (model,) = modelled(graph, load_chip("ascend910b1"))
    problem = bind(model, {"ks0": 4096})
    free = run(problem, "cpsat", SolveOptions())
    assert {free.tiling[name] for name in numbers_of(problem)} == {2}
    single = run(bind(model, {"ks0": 4096}, fixed=dict.fromkeys(numbers_of(problem), 1)), "cpsat", SolveOptions())
    assert single.objective_ticks > 1.1 * free.objective_ticks


def test_a_single_turn_needs_one_buffer():
    """Nothing follows that could overlap: the time is the same, and the tie-break wants less UB."""
    (model,) = modelled(difference(1, 8), load_chip("ascend910b1"))
    found = run(bind(model, {}), "cpsat", SolveOptions())
    assert (found.tiling["mte2_vec_buf_num"], found.tiling["vec_mte3_buf_num"]) == (1, 1)


def test_one_buffer_fits_where_two_do_not():
    """Eight rows exceed this UB twice, once they fit; the heuristic, double buffered by rule, falls back too."""
    chip, eight = chip_of(65536), {"z0t_size": 8}
    models = {objective: modelled(row_max(64, 1024), chip, ModelOptions(objective=objective)) for objective in Objective}
    (full,) = (m for m in models[Objective.PIPELINE] if m.template == "full_load.z0")
    (plain,) = (m for m in models[Objective.BOTTLENECK] if m.template == "full_load.z0")
    assert run(bind(plain, {}, fixed=eight), "cpsat", SolveOptions()).status is SolveStatus.INFEASIBLE
    for solver in ("cpsat", "axis_sort", "descent"):
        assert run(bind(full, {}, fixed=eight), solver, SolveOptions()).tiling["mte2_vec_buf_num"] == 1


@pytest.mark.parametrize("make", [difference, row_max])
def test_more_ub_never_hurts(make):
    best = {}
    for ub_bytes in (4096, 8192, 12288, 16384, 32768, 65536, 131072):
        for model in modelled(make(96, 512), chip_of(ub_bytes)):
            problem = bind(model, {})
            found = None if problem.contradiction else run(problem, "enumerate", SolveOptions())
            if found is not None and found.objective_ticks is not None:
                assert found.objective_ticks <= best.get(model.template, found.objective_ticks)
                best[model.template] = found.objective_ticks
    assert best


def test_pipeline_is_never_below_bottleneck():
    chip = load_chip("ascend910b1")
    for case in graph_cases("add_row"):
        for model, plain in zip(modelled(case.graph, chip), modelled(case.graph, chip, ModelOptions()), strict=True):
            problem, other = bind(model, case.shape), bind(plain, case.shape)
            found = run(other, "axis_sort", SolveOptions())
            if found.tiling is not None:
                doubled = {**found.tiling, **dict.fromkeys(numbers_of(problem), 2)}
                assert evaluate(problem, doubled).objective_ticks >= found.objective_ticks
