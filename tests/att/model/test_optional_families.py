"""Optional constraint families: off unless asked, right where they bind, and the same for every solver, checker and prover."""

from __future__ import annotations

from dataclasses import replace

import pytest

from att.chips import load_chip
from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.ir.dtype import DType
from att.ir.graph import HintGraph, Template
from att.model.bind import bind
from att.model.build import build_model
from att.model.check import check
from att.model.options import ModelOptions
from att.solve.base import SolveOptions, SolveStatus
from att.solve.run import run
from schedule.generate import schedule_graph

CHIP = load_chip("ascend910b1")
LINES = ModelOptions(align_bytes=None, cache_line=True)
N = Size(name="n", maximum=1_000_000)


def _abs(dtype: DType = DType.FLOAT32) -> HintGraph:
    g = GraphBuilder("abs", {"a": N.symbol}, (N,))
    g.store("y", g.op("Abs", g.load("x", ("a",), dtype)))
    return g.build()


def _rows_apart() -> HintGraph:
    """Rows of 40 elements, one element between two of them."""
    g = GraphBuilder("abs", {"a": N.symbol, "b": 40}, (N,))
    g.store("y", g.op("Abs", g.load("x", ("a", "b"), strides=(41, 1))), strides=(41, 1))
    return g.build()


def _template(graph: HintGraph, prefix: str = "") -> Template:
    return next(t for t in schedule_graph(graph, CHIP).templates if t.name.startswith(prefix))


def _families(template: Template, options: ModelOptions) -> list[str]:
    return [c.origin.family for c in build_model(template, CHIP, options).constraints]


def test_they_are_off_unless_asked() -> None:
    template = _template(_abs())
    usual = _families(template, ModelOptions())
    assert not {"cache_line", "min_tile"} & set(usual)
    assert _families(template, replace(LINES, min_tile_elems=8)).count("cache_line") == 1


@pytest.mark.parametrize(("chip", "line_elems"), [("ascend910b1", 128), ("ascend950pr", 32)])
def test_a_run_moves_a_cache_line_of_the_chip_or_the_whole_axis(chip: str, line_elems: int) -> None:
    known = load_chip(chip)
    template = next(iter(schedule_graph(_abs(), known).templates))
    problem = bind(build_model(template, known, LINES), {"n": 1000})
    (violation,) = check(problem, {"z0t_size": line_elems - 1, "z0Tb_size": -(-1000 // (line_elems - 1))})
    assert (violation.family, violation.got, violation.allowed) == ("cache_line", 4 * line_elems, 4 * line_elems - 4)
    assert check(problem, {"z0t_size": line_elems, "z0Tb_size": -(-1000 // line_elems)}) == ()
    short = bind(build_model(template, known, LINES), {"n": line_elems - 9})
    assert check(short, {"z0t_size": line_elems - 9, "z0Tb_size": 1}) == ()


def test_the_shortest_element_of_a_run_decides() -> None:
    g = GraphBuilder("cast", {"a": N.symbol}, (N,))
    g.store("y", g.op("Cast", g.load("x", ("a",), DType.FLOAT32), dtype=DType.FLOAT16))
    problem = bind(build_model(_template(g.build()), CHIP, LINES), {"n": 1000})
    assert [v.family for v in check(problem, {"z0t_size": 255, "z0Tb_size": 4})] == ["cache_line"]
    assert check(problem, {"z0t_size": 256, "z0Tb_size": 4}) == ()


def test_a_tile_of_whole_inner_rows_counts_them_where_they_lie_side_by_side() -> None:
    g = GraphBuilder("centre", {"a": N.symbol, "b": 40}, (N,))
    x = g.load("x", ("a", "b"))
    g.store("y", g.op("Sub", x, g.reduce("Sum", x, "b")))
    problem = bind(build_model(_template(g.build(), "full_load"), CHIP, LINES), {"n": 1000})
    (violation,) = check(problem, {"z0t_size": 3, "z0Tb_size": 334})
    assert (violation.subject, violation.got, violation.allowed) == ("z0t", 512, 480)


def test_rows_with_room_between_them_are_runs_of_their_own() -> None:
    """A whole row ends a run: however many rows a tile has, nothing is asked of them."""
    template = _template(_rows_apart(), "general.z0")
    assert "cache_line" not in _families(template, LINES)
    across = [c for c in build_model(_template(_rows_apart(), "general.z1"), CHIP, LINES).constraints if c.origin.family == "cache_line"]
    assert [c.origin.subject for c in across] == ["z1t"]


def test_least_elements_bind_every_tile_up_to_its_axis() -> None:
    template = _template(_abs())
    model = build_model(template, CHIP, ModelOptions(min_tile_elems=64))
    assert [v.family for v in check(bind(model, {"n": 1000}), {"z0t_size": 56, "z0Tb_size": 18})] == ["min_tile"]
    assert check(bind(model, {"n": 1000}), {"z0t_size": 64, "z0Tb_size": 16}) == ()
    assert check(bind(model, {"n": 40}), {"z0t_size": 40, "z0Tb_size": 1}) == ()


@pytest.mark.parametrize(
    "options", [replace(LINES, min_tile_elems=None), ModelOptions(min_tile_elems=300), replace(LINES, min_tile_elems=77)]
)
@pytest.mark.parametrize("n", [100, 1000, 4099])
def test_both_exact_solvers_and_the_heuristics_obey(options: ModelOptions, n: int) -> None:
    problem = bind(build_model(_template(_abs(DType.FLOAT16)), CHIP, options), {"n": n})
    found = {name: run(problem, name, SolveOptions()) for name in ("cpsat", "enumerate", "axis_sort", "descent")}
    assert found["cpsat"].status is found["enumerate"].status is SolveStatus.OPTIMAL
    assert found["cpsat"].tiling == found["enumerate"].tiling
    for result in found.values():
        assert result.tiling is not None
        assert check(problem, result.tiling) == ()


def test_a_tile_above_the_best_costs_time() -> None:
    """Among equals the largest tile is taken, so a least tile of one element more makes the optimum slower."""
    template = _template(_abs())
    free = run(bind(build_model(template, CHIP, ModelOptions()), {"n": 400_000}), "cpsat", SolveOptions())
    assert free.tiling is not None
    larger = ModelOptions(min_tile_elems=free.tiling["z0t_size"] + 1)
    bound = run(bind(build_model(template, CHIP, larger), {"n": 400_000}), "cpsat", SolveOptions())
    assert free.objective_ticks is not None
    assert bound.objective_ticks is not None
    assert free.objective_ticks < bound.objective_ticks


@pytest.mark.parametrize("few_rows", [True, False])
def test_few_rows_has_a_switch(few_rows: bool) -> None:
    g = GraphBuilder("sum", {"a": N.symbol, "b": 100_000}, (N,))
    g.store("y", g.reduce("Sum", g.load("x", ("a", "b")), "b"))
    template = _template(g.build(), "r_split")
    problem = bind(build_model(template, CHIP, ModelOptions(few_rows=few_rows)), {"n": 64})
    assert (problem.contradiction is not None) is few_rows
    expected = SolveStatus.INFEASIBLE if few_rows else SolveStatus.OPTIMAL
    assert run(problem, "cpsat", SolveOptions()).status is expected
