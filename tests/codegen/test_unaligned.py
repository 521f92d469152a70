"""Kernels whose rows lie side by side in UB, on the CPU model: rows that are no whole blocks, tails, every type that GatherMask moves."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from att.formats.builder import GraphBuilder, Value
from att.ir.axis import Size
from att.ir.dtype import DType
from att.ir.graph import HintGraph, Template
from att.ops.registry import spec_of
from benchmarks.tilings import random_tilings
from codegen.coverage import TABLE
from codegen.driver import build, check_run, make_case
from schedule.generate import schedule_graph

PACKED_TYPES = sorted(spec_of("RemovePad").dtypes[TABLE])
SPREAD_TYPES = [dtype for dtype in PACKED_TYPES if dtype in spec_of("Broadcast").dtypes[TABLE]]


def over(name: str, axes: str, body: Callable[[GraphBuilder, tuple[str, ...]], Value]) -> HintGraph:
    """A graph over axes whose sizes bear the upper-case names."""
    sizes = tuple(Size(name=axis.upper(), maximum=100_000) for axis in axes)
    g = GraphBuilder(name, {axis: size.symbol for axis, size in zip(axes, sizes, strict=True)}, sizes)
    g.store("y", body(g, tuple(axes)))
    return g.build()


def added(name: str, axes: str, spread: str, dtype: DType = DType.FLOAT32) -> HintGraph:
    """`x[axes] + b[spread]`."""
    return over(name, axes, lambda g, all_axes: g.op("Add", g.load("x", all_axes, dtype), g.load("b", tuple(spread), dtype)))


class Packed:
    """Compiles and runs the unaligned templates of a graph, and no others."""

    def __init__(self, bench: Any, graph: HintGraph, cache: Path) -> None:
        self._bench, self._graph = bench, graph
        found = schedule_graph(graph, bench.chip).templates
        self.templates = {t.name: t for t in found if t.name.startswith("unaligned")}
        self._built = build(graph.name, tuple(self.templates.values()), bench.costs, cache)

    def run(self, shape: Mapping[str, int], name: str, tiling: Mapping[str, int]) -> None:
        done = check_run(self._built, self._bench.case(self._graph, shape), self.templates[name], tiling)
        assert done.ok, f"{self._graph.name} {name} {dict(shape)} {dict(tiling)}: {done.complaints()}"

    def demand(self, shape: Mapping[str, int], tilings: int = 3) -> None:
        """Every template with some random legal tilings is right."""
        for name, template in self.templates.items():
            found = list(random_tilings(self._bench.problem(template, shape), tilings, random.Random(name)))
            assert found
            for tiling in found:
                self.run(shape, name, tiling)


@pytest.fixture
def packed(bench: Any, kernel_cache: Path) -> Callable[[HintGraph], Packed]:
    return lambda graph: Packed(bench, graph, kernel_cache)


Packing = Callable[[HintGraph], Packed]


@pytest.mark.parametrize(("axes", "spread"), [("ab", "b"), ("ab", "a"), ("abc", "ac"), ("abc", "b"), ("abc", "a"), ("abc", "bc")])
def test_one_operand_that_is_spread(packed: Packing, axes: str, spread: str) -> None:
    kernels = packed(added(f"unaligned_{axes}_{spread}", axes, spread))
    for sizes in ((5, 7, 3), (31, 1, 9), (1, 333, 1), (70, 13, 8)):
        kernels.demand(dict(zip(axes.upper(), sizes, strict=False)))


@pytest.mark.parametrize("dtype", SPREAD_TYPES, ids=str)
def test_every_type_that_a_broadcast_makes(packed: Packing, dtype: DType) -> None:
    kernels = packed(over(f"unaligned_{dtype}", "ab", lambda g, axes: g.broadcast(g.load("b", ("b",), dtype), axes)))
    (phase,) = kernels.templates["unaligned.z0"].phases
    assert {n.output.dtype for n in phase.nodes if n.op == "RemovePad"} == {dtype}
    for shape in ({"A": 5, "B": 21}, {"A": 300, "B": 1}, {"A": 2, "B": 1030}):
        kernels.demand(shape)


@pytest.mark.parametrize("dtype", [DType.FLOAT32, DType.INT16], ids=str)
@pytest.mark.parametrize("columns", [1, 5, 8, 9, 15, 16, 17, 31, 32, 33])
def test_rows_of_every_length_around_whole_blocks(packed: Packing, dtype: DType, columns: int) -> None:
    # one kernel for all lengths: which form packs them is decided when it runs
    kernels = packed(over(f"unaligned_{dtype}", "ab", lambda g, axes: g.broadcast(g.load("b", ("b",), dtype), axes)))
    for tile in (1, 31, 32, 63, 64, 65, 131):
        kernels.run({"A": 131, "B": columns}, "unaligned.z0", {"z0t_size": tile, "z0Tb_size": 3})


def test_bfloat16_moves_like_any_other_type(chip: Any, costs: Any, kernel_cache: Any) -> None:
    # a Broadcast of bfloat16 is done in float32, so the scheduler never packs it; the instruction takes it all the same
    name = "unaligned_bfloat16"
    sixteen, bfloat = (
        over(name, "ab", lambda g, axes, d=d: g.broadcast(g.load("b", ("b",), d), axes)) for d in (DType.INT16, DType.BFLOAT16)
    )
    template = next(t for t in schedule_graph(sixteen, chip).templates if t.name == "unaligned.z0")
    retyped = _retyped(template, DType.BFLOAT16)
    built = build(name, (retyped,), costs, kernel_cache)
    for rows, columns, tile in ((5, 21, 2), (40, 3, 17)):
        shape = {"A": rows, "B": columns}
        done = check_run(built, make_case(bfloat, shape, 1), retyped, {"z0t_size": tile, "z0Tb_size": 2})
        assert done.ok, done.complaints()


def _retyped(template: Template, dtype: DType) -> Template:
    (phase,) = template.phases
    nodes = tuple(replace(n, output=replace(n.output, dtype=dtype)) for n in phase.nodes)
    return replace(template, phases=(replace(phase, nodes=nodes),))


def _several(g: GraphBuilder, axes: tuple[str, ...]) -> Value:
    x, row, column = g.load("x", axes), g.load("row", axes[-1:]), g.load("column", axes[:1])
    y = g.op("Mul", g.op("Add", x, row), g.op("Exp", column))
    return g.op("Where", g.op("Gt", y, row), g.op("Abs", g.broadcast(row, axes)), y)


def _narrow(g: GraphBuilder, axes: tuple[str, ...]) -> Value:
    x, row = g.load("x", axes, DType.FLOAT16), g.load("row", axes[-1:], DType.BFLOAT16)
    return g.cast(g.op("Add", g.cast(x, DType.FLOAT32), g.cast(row, DType.FLOAT32)), DType.FLOAT16)


@pytest.mark.parametrize("body", [_several, _narrow])
def test_longer_graphs(packed: Packing, body: Callable[[GraphBuilder, tuple[str, ...]], Value]) -> None:
    kernels = packed(over(f"unaligned{body.__name__}", "ab", body))
    for shape in ({"A": 37, "B": 5}, {"A": 130, "B": 1}, {"A": 3, "B": 1001}):
        kernels.demand(shape)


@pytest.mark.parametrize("tile", [1, 2, 7, 33, 37])
@pytest.mark.parametrize("per_core", [1, 2, 5])
def test_what_is_spread_once_serves_shorter_tiles(packed: Packing, tile: int, per_core: int) -> None:
    kernels = packed(added("unaligned_ab_b", "ab", "b"))
    kernels.run({"A": 37, "B": 13}, "unaligned.z0", {"z0t_size": tile, "z0Tb_size": per_core})
