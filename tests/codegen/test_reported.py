"""Shapes from public reports, in our own words: each has a proven plan, and the kernel with that plan equals numpy."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from att.formats.builder import GraphBuilder, Value
from att.ir.axis import Size
from att.ir.dtype import DType
from att.ir.graph import HintGraph
from att.model.bind import bind
from att.model.build import build_model
from att.model.options import ModelOptions
from att.solve.base import SolveOptions, SolveStatus
from att.solve.select import Row, select
from benchmarks.make_graphs import dynamic_graph
from hwmodels.model import Chip

BF16, F16, F32 = DType.BFLOAT16, DType.FLOAT16, DType.FLOAT32


def _best(bench: Any, graph: HintGraph, chip: Chip, **shape: int) -> Row:
    """The best plan of all templates, proven; the kernel has run with it and is right."""
    candidates, _ = bench.build(graph)
    templates = {t.name: t for t in candidates.templates}
    found = select([bind(build_model(t, chip, ModelOptions()), shape) for t in templates.values()], "enumerate", SolveOptions())
    assert found.status is SolveStatus.OPTIMAL
    assert found.best is not None
    done = bench.run(graph, shape, templates[found.best.problem.template], found.best.result.tiling)
    assert done.ok, f"{graph.name}: {done.complaints()}"
    return found.best


@pytest.mark.parametrize("n", [126, 513])
def test_rows_that_are_no_whole_blocks(bench: Any, chip: Chip, n: int) -> None:
    """A row of 126 float32 ends 8 bytes before a border of 32, one of 513 ends 4 behind it."""
    for name in ("add_row", "softmax"):
        graph, shape = dynamic_graph(name), {"ks0": 50, "ks1": n}
        assert bench.demand(graph, shape, tilings=1) >= 2
        _best(bench, graph, chip, **shape)


def test_a_bfloat16_sum_of_many_elements_on_40_cores(bench: Any, chip: Chip) -> None:
    """Ten million of them: one kernel, however many phases it has."""
    g = GraphBuilder("bf16_sum", {"n": 10_000_000})
    g.store("y", g.reduce("Sum", g.load("x", ("n",), BF16), "n"))
    best = _best(bench, g.build(), replace(chip, vector_cores=40))
    assert 1 < best.cost.block_dim <= 40


def test_a_power_of_three_operands_with_a_temporary(bench: Any, chip: Chip) -> None:
    """pow(x, y) * z of 160 x 160 float16: the library function works in a temporary area of its own."""
    g = GraphBuilder("pow_three", {"m": 160, "n": 160})
    x, y, z = (g.load(name, ("m", "n"), F16) for name in "xyz")
    g.store("w", g.op("Mul", g.op("Pow", x, y), z))
    best = _best(bench, g.build(), chip)
    assert best.cost.ub_bytes <= chip.ub_usable_bytes


def _rope() -> HintGraph:
    """The halves of every head turned by an angle for each token."""
    tokens, d = Size(name="tokens", maximum=10_000), Size(name="d", maximum=1024, multiple_of=8)
    g = GraphBuilder("rope", {"t": tokens.symbol, "h": 8, "n": d.symbol * 2, "p": d.symbol}, (tokens, d))
    left, right = g.split(g.load("x", ("t", "h", "n")), "n", "p", "p")
    cos, sin = (g.load(name, ("t", "p")) for name in ("cos", "sin"))

    def turned(a: Value, b: Value, op: str) -> Value:
        return g.op(op, g.op("Mul", a, cos), g.op("Mul", b, sin))

    g.store("y", g.concat("n", (turned(left, right, "Sub"), "p"), (turned(right, left, "Add"), "p")))
    return g.build()


@pytest.mark.parametrize("dim", [64, 96, 128, 192, 256, 512, 1024])
def test_rotary_embedding_of_heads(bench: Any, chip: Chip, dim: int) -> None:
    assert _best(bench, _rope(), chip, tokens=6, d=dim // 2).cost.ub_bytes <= chip.ub_usable_bytes


@pytest.mark.parametrize("dim", [4096, 5120, 7168, 8192, 12288, 16384])
def test_rms_norm_of_query_rows(bench: Any, chip: Chip, dim: int) -> None:
    """Rows that fit in UB, and rows that are walked twice: neither is refused."""
    best = _best(bench, dynamic_graph("rms_norm"), chip, ks0=5, ks1=dim)
    assert best.problem.template == ("full_load.z0" if dim < 8192 else "chunked.z0.z1")


@pytest.mark.parametrize("n", [12_288, 50_257, 151_936])
def test_softmax_of_long_rows(bench: Any, chip: Chip, n: int) -> None:
    """Two rows are shared by all cores; a row for every core is walked twice by its own."""
    assert _best(bench, dynamic_graph("softmax"), chip, ks0=2, ks1=n).problem.template == "r_split_online.z0.z1"
    assert _best(bench, dynamic_graph("softmax"), chip, ks0=48, ks1=n).problem.template == "online.z0.z1"


def test_a_row_is_added_to_an_uneven_matrix(bench: Any, chip: Chip) -> None:
    best = _best(bench, dynamic_graph("add_row"), chip, ks0=2049, ks1=513)
    assert best.cost.block_dim >= 24


@pytest.mark.parametrize(("sizes", "dtype", "cores"), [((64, 512), F32, 6), ((48, 4096), F16, 9)])
def test_small_matrices_take_the_cores_that_pay(bench: Any, chip: Chip, sizes: tuple[int, int], dtype: DType, cores: int) -> None:
    """Reported to end on 3 and on 10 of 48 cores (`tests/att/solve/test_small_matrices.py` compares all numbers of cores)."""
    g = GraphBuilder(f"small_{sizes[0]}", dict(zip("mn", sizes, strict=True)))
    g.store("y", g.op("Abs", g.load("x", ("m", "n"), dtype)))
    assert _best(bench, g.build(), chip).cost.block_dim == cores


def test_rows_of_one_element_less_than_whole_blocks(bench: Any, chip: Chip) -> None:
    """12,287 elements beside 12,288: the same template, and hardly slower."""
    odd, whole = (_best(bench, dynamic_graph("abs"), chip, ks0=8, ks1=n) for n in (12_287, 12_288))
    assert odd.problem.template == whole.problem.template
    assert odd.result.objective_ticks <= 1.02 * whole.result.objective_ticks


@pytest.mark.parametrize("stride", [33, 40])
def test_rows_whose_contiguity_only_the_shape_decides(bench: Any, chip: Chip, stride: int) -> None:
    """Rows of 33 elements lie `s` apart, which a shape may make one run of elements or not."""
    m, n, s = (Size(name=name, maximum=4096) for name in "mns")
    g = GraphBuilder("strided_rows", {"a": m.symbol, "b": n.symbol}, (m, n, s))
    g.store("y", g.op("Abs", g.load("x", ("a", "b"), strides=(s.symbol, 1))))
    graph = g.build()
    assert bench.demand(graph, {"m": 19, "n": 33, "s": stride}, tilings=2) >= 4
    _best(bench, graph, chip, m=19, n=33, s=stride)
