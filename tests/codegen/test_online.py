"""Kernels whose sums follow a maximum: long rows with odd tails, rows that begin with nothing, other layouts, and a planted fault."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from att.formats.builder import GraphBuilder, Value
from att.ir.axis import Size
from att.ir.dtype import DType
from att.ir.graph import HintGraph, Template
from att.ops.spec import numpy_dtype
from benchmarks.tilings import random_tilings
from codegen.bounds import BoundedRun
from codegen.calls.reduce import reduce
from codegen.calls.registry import FORMS
from codegen.compare import Expected
from codegen.driver import Built, Case, build, check_run
from schedule.generate import schedule_graph

SIZES = {axis: Size(name=f"{axis}_size") for axis in ("m", "k", "n")}
F16, BF16, F32 = DType.FLOAT16, DType.BFLOAT16, DType.FLOAT32
LONG = [(3, 12_288), (2, 50_257), (1, 151_936)]


def builder(name: str, axes: str = "mn") -> GraphBuilder:
    return GraphBuilder(f"online_{name}", {a: SIZES[a].symbol for a in axes}, tuple(SIZES[a] for a in axes))


def softmax(g: GraphBuilder, x: Value, axis: str = "n") -> Value:
    e = g.op("Exp", g.op("Sub", x, g.reduce("Max", x, axis)))
    return g.op("TrueDiv", e, g.reduce("Sum", e, axis))


def of_type(dtype: DType) -> HintGraph:
    """Loaded and stored in a type, computed in float32."""
    g = builder(str(dtype))
    x = g.load("x", ("m", "n"), dtype)
    wide = x if dtype is F32 else g.cast(x, F32)
    y = softmax(g, wide)
    g.store("y", y if dtype is F32 else g.cast(y, dtype))
    return g.build()


def over_axis(axis: str) -> HintGraph:
    """Over the first or the middle axis: rows of maxima."""
    g = builder(f"over_{axis}", "mkn")
    g.store("y", softmax(g, g.load("x", ("m", "k", "n")), axis))
    return g.build()


def outputs() -> HintGraph:
    """Maximum and sum leave the kernel, as does something that the first walk makes; the log of the sum is made once a row."""
    g = builder("outputs")
    x = g.load("x", ("m", "n"))
    largest = g.reduce("Max", x, "n")
    shifted = g.op("Sub", x, largest)
    total = g.reduce("Sum", g.op("Exp", shifted), "n")
    log = g.op("Ln", total)
    results = {"largest": largest, "total": total, "lse": g.op("Add", log, largest), "double": g.op("Add", x, x)}
    for name, value in {**results, "y": g.op("Sub", shifted, log)}.items():
        g.store(name, value)
    return g.build()


def two_sums() -> HintGraph:
    """Each keeps its own exponents; both operands are dear, so that one may be kept in workspace."""
    g = builder("two_sums")
    parts = [g.op("Mul", g.op("Erf", g.load(name, ("m", "n"))), 3.0) for name in "xw"]
    g.store("y", g.op("Add", *(softmax(g, part) for part in parts)))
    return g.build()


def softmax_of_softmax() -> HintGraph:
    """The second maximum is followed in a walk that needs the first sum."""
    g = builder("twice")
    g.store("y", softmax(g, softmax(g, g.load("x", ("m", "n")))))
    return g.build()


def of_one_row() -> HintGraph:
    """The maximum varies over no axis; rows are weighted with the result."""
    g = builder("one_row")
    g.store("y", g.op("Mul", g.load("w", ("m", "n")), softmax(g, g.load("x", ("n",)))))
    return g.build()


def among_others() -> HintGraph:
    """Reduces that follow nothing in the same walks: two in the first, one in the second that reads the final maximum."""
    g = builder("among_others")
    x = g.load("x", ("m", "n"))
    shifted = g.op("Sub", x, g.reduce("Max", x, "n"))
    e = g.op("Exp", shifted)
    least = g.reduce("Min", x, "n")
    g.store("y", g.op("Add", g.op("TrueDiv", e, g.reduce("Sum", e, "n")), g.op("Mul", x, least)))
    g.store("entropy", g.reduce("Sum", g.op("Mul", e, shifted), "n"))
    g.store("all", g.reduce("Sum", x, "n"))
    return g.build()


class Programs:
    """The online templates of graphs, each graph compiled once; graphs are told apart by their names."""

    def __init__(self, bench: Any, cache: Path) -> None:
        self._bench = bench
        self._cache = cache
        self._done: dict[str, tuple[tuple[Template, ...], Built]] = {}

    def of(self, graph: HintGraph) -> tuple[tuple[Template, ...], Built]:
        if graph.name not in self._done:
            templates = tuple(t for t in schedule_graph(graph, self._bench.chip).templates if t.name.startswith("online"))
            assert templates
            self._done[graph.name] = templates, build(graph.name, templates, self._bench.costs, self._cache)
        return self._done[graph.name]

    def demand(self, graph: HintGraph, shape: dict[str, int], tilings: int) -> None:
        """Runs every online template with some random legal tilings; each must be right."""
        templates, built = self.of(graph)
        for template in templates:
            found = random_tilings(self._bench.problem(template, shape), tilings, random.Random(f"{template.name} {shape}"))
            assert found
            for tiling in found:
                done = check_run(built, self._bench.case(graph, shape), template, tiling)
                assert done.ok, f"{graph.name} {template.name} {shape} {tiling}: {done.complaints()}"


@pytest.fixture(scope="module")
def programs(bench: Any, kernel_cache: Path) -> Programs:
    return Programs(bench, kernel_cache)


@pytest.mark.parametrize("dtype", [F32, F16, BF16])
def test_short_rows_with_odd_tails(programs: Programs, dtype: DType) -> None:
    for m, n in ((5, 33), (1, 1), (7, 513), (41, 130)):
        programs.demand(of_type(dtype), {"m_size": m, "n_size": n}, 3)


@pytest.mark.parametrize("dtype", [F32, F16, BF16])
@pytest.mark.parametrize(("m", "n"), LONG)
def test_long_rows(bench: Any, programs: Programs, dtype: DType, m: int, n: int) -> None:
    graph, shape = of_type(dtype), {"m_size": m, "n_size": n}
    (template,), built = programs.of(graph)
    for rows, columns in ((1, 6_000), (m, 2_056), (1, 4_099)):
        tiling = {"z0t_size": rows, "z1t_size": columns, "z0Tb_size": 1}
        done = check_run(built, bench.case(graph, shape), template, tiling)
        assert done.ok, f"{shape} {tiling}: {done.complaints()}"


OTHERS = [over_axis("m"), over_axis("k"), outputs(), two_sums(), softmax_of_softmax(), of_one_row(), among_others()]


@pytest.mark.parametrize("graph", OTHERS, ids=lambda g: g.name)
def test_other_graphs(programs: Programs, graph: HintGraph) -> None:
    for values in ((5, 3, 20), (7, 9, 33), (1, 1, 1), (3, 40, 17)):
        shape = {size.name: value for size, value in zip(SIZES.values(), values, strict=True) if size in graph.sizes}
        programs.demand(graph, shape, 2)


def case_of(graph: HintGraph, rows: NDArray[Any]) -> Case:
    """A run on given numbers, infinite ones included."""
    dtype = graph.data_nodes[0].output.dtype
    shape = {"m_size": rows.shape[0], "n_size": rows.shape[1]}
    inputs = (rows.astype(numpy_dtype(dtype)).reshape(-1),)
    found = zip(graph.output_nodes, BoundedRun(graph, shape, inputs).outputs, strict=True)
    expected = (Expected(name=n.name, dtype=n.output.dtype, values=o.values, bounds=o.bounds, written=o.written) for n, o in found)
    return Case(graph=graph, shape=shape, inputs=inputs, expected=tuple(expected))


def masked(columns: int) -> NDArray[np.float32]:
    """A triangle of numbers, from one to all of a row, after it or before it nothing; then a row of nothing at all."""
    numbers = np.random.default_rng(3).normal(0, 3, (8, columns)).astype(np.float32)
    places = np.arange(columns)
    for row in range(7):
        length = max(1, columns * (row + 1) // 7)
        numbers[row, (places >= length) if row % 2 else (places < columns - length)] = -np.inf
    numbers[7] = -np.inf
    return numbers


@pytest.mark.parametrize("tile", [8, 24, 100])
@pytest.mark.parametrize("graph", [of_type(F32), of_type(BF16), outputs()], ids=lambda g: g.name)
def test_rows_that_begin_or_end_with_nothing(programs: Programs, graph: HintGraph, tile: int) -> None:
    (template,), built = programs.of(graph)
    for rows in (1, 3, 8):
        done = check_run(built, case_of(graph, masked(100)), template, {"z0t_size": rows, "z1t_size": tile, "z0Tb_size": 2})
        assert done.ok, f"{rows} rows: {done.complaints()}"


def test_a_sum_that_stays_at_its_first_scale_is_noticed(
    bench: Any, programs: Programs, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = of_type(F32)
    (template,), built = programs.of(graph)
    case = case_of(graph, np.linspace(-4, 4, 128, dtype=np.float32).reshape(2, 64))
    tiling = {"z0t_size": 2, "z1t_size": 16, "z0Tb_size": 1}
    assert check_run(built, case, template, tiling).ok
    monkeypatch.setattr("codegen.calls.registry.FORMS", {**FORMS, "scaled_sum": reduce})
    done = check_run(build("online_fixed_scale", (template,), bench.costs, kernel_cache), case, template, tiling)
    assert not done.ok
    assert any("y" in complaint and "expected" in complaint for complaint in done.complaints())
