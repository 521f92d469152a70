"""Where the largest element of a row lies that comes tile by tile: an earlier tile goes before a later one of equal elements."""

from __future__ import annotations

from typing import Any

import pytest

from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.ir.dtype import DType
from att.ir.graph import HintGraph
from schedule.generate import schedule_graph

I8, I32, F16, BF16, F32 = DType.INT8, DType.INT32, DType.FLOAT16, DType.BFLOAT16, DType.FLOAT32
GAP = 3
"""Elements between two innermost rows, which keeps axes from merging."""


def _arg_max(dtype: DType, sizes: tuple[int, int], over: str) -> HintGraph:
    g = GraphBuilder(f"argmax_tiles_{dtype}_{sizes[0]}_{sizes[1]}_{over}", dict(zip("ab", sizes, strict=True)))
    g.store("y", g.reduce("ArgMax", g.load("x", ("a", "b"), dtype), over))
    return g.build()


def _strides(sizes: tuple[int, ...]) -> tuple[int, ...]:
    strides: list[int] = [1]
    for size in sizes[:0:-1]:
        strides.insert(0, (size + (GAP if len(strides) == 1 else 0)) * strides[0])
    return tuple(strides)


@pytest.mark.parametrize("columns", [50_257, 151_936])
@pytest.mark.parametrize("dtype", [I8, I32, F16, BF16, F32])
def test_rows_that_do_not_fit_in_ub(bench: Any, dtype: DType, columns: int) -> None:
    graph = _arg_max(dtype, (3, columns), "b")
    assert [t.name for t in bench.build(graph)[0].templates] == ["general.z0.z1"]
    assert bench.demand(graph, {}, tilings=2) == 2


@pytest.mark.parametrize("dtype", [I32, F32])
def test_columns_that_do_not_fit_in_ub(bench: Any, dtype: DType) -> None:
    graph = _arg_max(dtype, (50_257, 9), "a")
    assert all(t.name.startswith("general") for t in bench.build(graph)[0].templates)
    assert bench.demand(graph, {}, tilings=2) >= 2


@pytest.mark.parametrize("dtype", [I32, F32])
@pytest.mark.parametrize(
    ("over", "cut"), [("b", "general.z2.z1"), ("b", "general.z0.z1"), ("ac", "general.z1.z2"), ("bd", "general.z2.z3")]
)
@pytest.mark.usefixtures("exact_tmp")
def test_the_first_of_equal_elements_of_several_tiles(bench: Any, dtype: DType, over: str, cut: str) -> None:
    """All elements are among -1, 0 and 1, rows and columns come in tiles of 7 elements."""
    axes = {"a": 3, "b": 20, "c": 6, "d": 18} if "d" in over else {"a": 3, "b": 20, "c": 18}
    g = GraphBuilder(f"tiles_{dtype}_{over}", axes)
    y = g.reduce("ArgMax", g.op("Sign", g.load("x", tuple(axes), dtype, strides=_strides(tuple(axes.values())))), *over)
    g.store("y", y)
    graph = g.build()
    candidates, _ = bench.build(graph)
    template = next(t for t in candidates.templates if t.name == cut)
    tiling = {v.name: min(v.maximum, 1 if "b_size" in v.name else 7) for v in template.phases[0].variables}
    done = bench.run(graph, {}, template, tiling)
    assert done.ok, done.complaints()


def test_the_place_beside_other_walks_over_the_row(bench: Any) -> None:
    """Two places and a maximum are found in one walk, a sum in the next: each keeps what it has found to itself."""
    g = GraphBuilder("walks_with_places", {"a": 5, "b": 30_011})
    x, w = g.load("x", ("a", "b")), g.load("w", ("a", "b"))
    g.store("place", g.reduce("ArgMax", x, "b"))
    g.store("other", g.reduce("ArgMax", w, "b"))
    g.store("total", g.reduce("Sum", g.op("Exp", g.op("Sub", x, g.reduce("Max", x, "b"))), "b"))
    graph = g.build()
    assert any(t.name.startswith("chunked") for t in bench.build(graph)[0].templates)
    assert bench.demand(graph, {}, tilings=2) >= 2


def test_a_row_of_unknown_length(bench: Any) -> None:
    g = GraphBuilder(
        "rows_of_any_length", {"a": Size(name="ks0").symbol, "b": Size(name="ks1").symbol}, (Size(name="ks0"), Size(name="ks1"))
    )
    g.store("y", g.reduce("ArgMax", g.load("x", ("a", "b")), "b"))
    graph = g.build()
    for shape in ({"ks0": 1, "ks1": 65}, {"ks0": 70, "ks1": 1}, {"ks0": 3, "ks1": 60_001}):
        assert bench.demand(graph, shape, tilings=2) >= 2


def test_places_are_counted_only_as_far_as_a_kernel_can(chip: Any) -> None:
    sizes = (Size(name="ks0"), Size(name="ks1"))
    g = GraphBuilder("two_long_axes", {"a": sizes[0].symbol, "b": 8, "c": sizes[1].symbol}, sizes)
    g.store("y", g.reduce("ArgMax", g.load("x", ("a", "b", "c")), "a", "c"))
    reasons = {d.name: d.reason for d in schedule_graph(g.build(), chip).dropped}
    assert "may reduce 4611686014132420609 elements, and places from tile to tile are counted up to 2147483647" in reasons["general"]
