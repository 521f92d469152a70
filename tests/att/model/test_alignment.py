"""Which tiles are whole blocks: rows of the widest transfers; and what few long rows gain where theirs are not."""

from __future__ import annotations

import pytest

from att.chips import load_chip
from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.ir.dtype import DType
from att.ir.roles import varying_axes
from att.model.alignment import alignment
from att.model.bind import bind
from att.model.build import build_model
from att.model.check import check
from att.model.evaluate import evaluate
from att.model.options import ModelOptions
from att.model.transfers import row_tiles, widest_transfers
from att.solve.base import SolveOptions
from att.solve.run import run
from benchmarks.library import OPERATORS
from benchmarks.make_graphs import dynamic_graph
from schedule.generate import schedule_graph
from tests.moves import cut, joined_reduces, picked, picked_from_each, rows_picked, transposed

CHIP = load_chip("ascend910b1")
M, N = Size(name="m"), Size(name="n")


def graph_of(make):
    g = GraphBuilder("graph", {"a": M.symbol, "b": N.symbol}, (M, N))
    make(g)
    return g.build()


def vector(g, dtype=DType.FLOAT32):
    g.store("y", g.op("Cast", g.load("x", ("a",), dtype), dtype=DType.FLOAT16))


def added(g, axes):
    """One element for each row or column, or what is added up is a column and a row."""
    x = g.load("x", ("a",)) if axes == "outer" else g.load("x", ("a", "b"))
    g.store("y", g.op("Add", x, g.load("c", ("b",) if axes == "outer" else (axes,))))


def summed(g, axis):
    g.store("y", g.reduce("Sum", g.load("x", ("a", "b")), axis))


def log_of_sums(g):
    """log(sum(exp(x))): rows are reduced twice and a number each is stored."""
    x = g.load("x", ("a", "b"))
    largest = g.reduce("Max", x, "b")
    total = g.reduce("Sum", g.op("Exp", g.op("Sub", x, largest)), "b")
    g.store("y", g.op("Add", g.op("Ln", total), largest))


LOG_OF_SUMS = graph_of(log_of_sums)

BOUND = [
    (graph_of(vector), "general.z0", [{"z0t": 16}]),
    (graph_of(lambda g: vector(g, DType.INT8)), "general.z0", [{"z0t": 32}]),
    (graph_of(lambda g: added(g, "a")), "general.z0", [{}]),
    (graph_of(lambda g: added(g, "a")), "general.z1", [{"z1t": 8}]),
    (graph_of(lambda g: added(g, "b")), "general.z1.z0.reuse", [{"z1t": 8}]),
    (graph_of(lambda g: added(g, "outer")), "unaligned.z0", [{}]),
    (graph_of(lambda g: added(g, "outer")), "general.z1.z0.reuse", [{"z1t": 8}]),
    (graph_of(lambda g: summed(g, "b")), "general.z0.z1", [{"z1t": 8}]),
    (graph_of(lambda g: summed(g, "b")), "full_load.z0", [{}]),
    (graph_of(lambda g: summed(g, "b")), "r_split.z0.z1", [{"z1t": 8}, {}]),
    (graph_of(lambda g: summed(g, "a")), "general.z1.z0", [{"z1t": 8}]),
    (graph_of(lambda g: summed(g, "a")), "r_split.z1.z0", [{"z1t": 8}, {"z1p1t": 8}]),
    (LOG_OF_SUMS, "chunked.z0.z1", [{"z1t": 8}]),
    (LOG_OF_SUMS, "online.z0.z1", [{"z1t": 8}]),
    (transposed("ba", ("M", "N"), added=True), "transpose.z1.z0", [{"z0t": 8, "z1t": 8}]),
    (joined_reduces(("A", "B"), "Sum", rows="M"), "concat.z0", [{}]),
    (joined_reduces(("A", "B"), "Sum", rows="M"), "concat_reduce.z0.z2", [{"z2t": 8}, {"z3p1t": 8}, {"z0p2t": 8}]),
    (cut(("A", "B")), "apart.z2", [{"z2t": 8}, {"z3p1t": 8}]),
    (picked(("M", "V"), ("N",)), "gather.z2", [{"z2t": 8}]),
    (picked_from_each("M", "V", ("D",)), "gather_rows.z0", [{}]),
    (rows_picked("V", ("N",), ("D",)), "gather_rows.z0", [{}]),
    (rows_picked("V", ("N",), ("D",)), "gather_rows.z2", [{"z2t": 8}]),
]
"""Elements to a block by tile, for each phase of a template."""


def named(graph, name):
    return {t.name: t for t in schedule_graph(graph, CHIP).templates}[name]


@pytest.mark.parametrize(("graph", "name", "steps"), BOUND, ids=[f"{graph.name}-{name}" for graph, name, _ in BOUND])
def test_a_tile_is_whole_blocks_where_the_widest_transfers_have_their_rows(graph, name, steps):
    phases = named(graph, name).phases
    assert [{rule.origin.subject: rule.divisor.hi for rule in alignment(phase, 32)} for phase in phases] == steps
    assert all(alignment(phase, None) == () for phase in phases)


def test_a_transfer_of_fewer_axes_than_another_has_no_say():
    """Its bytes are a fraction, so that its element does not count either: the row of bytes needs steps of 32 where it is alone."""
    graph = graph_of(lambda g: g.store("y", g.op("Cast", g.reduce("Sum", g.load("x", ("a", "b")), "a"), dtype=DType.INT8)))
    (phase,) = named(graph, "general.z1.z0").phases
    assert [node.op for node in widest_transfers(phase)] == ["Load"]
    assert [rule.divisor.hi for rule in alignment(phase, 32)] == [8]


@pytest.mark.parametrize("operator", OPERATORS)
def test_a_row_without_a_rule_is_moved_with_more_axes_by_another_transfer(operator):
    for template in schedule_graph(dynamic_graph(operator), CHIP).templates:
        for phase in template.phases:
            bound = {rule.origin.subject for rule in alignment(phase, 32)}
            wide = [set(varying_axes(node.output)) for node in widest_transfers(phase)]
            assert bound <= set(row_tiles(phase))
            assert all(any(row in axes and len(axes) > 1 for axes in wide) for row in set(row_tiles(phase)) - bound)


def optimum(graph, name, shape):
    problem = bind(build_model(named(graph, name), CHIP, ModelOptions()), shape)
    found = run(problem, "enumerate", SolveOptions())
    assert found.tiling is not None
    return problem, found


def test_few_long_rows_use_all_the_cores_there_are_rows_for():
    """37 rows of 60,001: in steps of 8 rows there would be work for 5 cores, and no more."""
    problem, found = optimum(LOG_OF_SUMS, "online.z0.z1", {"m": 37, "n": 60_001})
    (phase,) = evaluate(problem, found.tiling).phases
    assert phase.block_dim == 37
    eight = {**found.tiling, "z0t_size": 8, "z1t_size": 800}
    assert check(problem, eight) == ()
    assert evaluate(problem, eight).objective_ticks > 5 * found.objective_ticks


@pytest.mark.parametrize(("rows", "columns"), [(64, 4096), (48, 12_288)])
def test_long_rows_that_end_in_a_number_may_lie_whole_in_ub(rows, columns):
    """Eight of them would not fit, twice."""
    shape = {"ks0": rows, "ks1": columns}
    problem, found = optimum(dynamic_graph("amax_keep"), "full_load.z0", shape)
    assert found.tiling["z0t_size"] < 8
    assert "ub_capacity" in {v.family for v in check(problem, {"z0t_size": 8, "z0Tb_size": 1})}
