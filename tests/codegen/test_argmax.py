"""Where the largest element lies, along every axis and in every type: ties go to the first, as in numpy."""

from __future__ import annotations

from typing import Any

import pytest

from att.errors import GraphError
from att.formats.builder import GraphBuilder
from att.ir.dtype import DType
from att.ir.graph import HintGraph
from att.ops.registry import spec_of
from schedule.generate import schedule_graph

I8, I32, F16, F32 = DType.INT8, DType.INT32, DType.FLOAT16, DType.FLOAT32


def _arg_max(dtype: DType, sizes: tuple[int, ...], over: str, *, gap: int = 0) -> HintGraph:
    """The place over some of the axes a, b …; `gap`: elements between two innermost rows, which keeps axes from merging."""
    axes = dict(zip("abcd", sizes, strict=False))
    strides: list[int] = [1]
    for size in sizes[:0:-1]:
        strides.insert(0, (size + (gap if len(strides) == 1 else 0)) * strides[0])
    g = GraphBuilder(f"argmax_{dtype}_{'_'.join(map(str, sizes))}_{over}_{gap}", axes)
    g.store("y", g.reduce("ArgMax", g.load("x", tuple(axes), dtype, strides=tuple(strides)), *over))
    return g.build()


@pytest.mark.parametrize("axis", ["a", "b", "c"])
@pytest.mark.parametrize("dtype", [I8, I32, F16, F32])
def test_the_place_along_each_axis_of_256_9_11(bench: Any, dtype: DType, axis: str) -> None:
    """From a public report: the axis that is padded should be the one that costs least. Bytes become float32, in which they are exact."""
    graph = _arg_max(dtype, (256, 9, 11), axis)
    assert bench.demand(graph, {}, tilings=2) >= 1


def test_bytes_are_compared_as_floats(chip: Any) -> None:
    casts = schedule_graph(_arg_max(I8, (256, 9, 11), "c"), chip).casts
    assert [(c.source, c.target) for c in casts] == [(I8, F16), (F16, F32)]


@pytest.mark.parametrize("dtype", [I32, F32])
@pytest.mark.parametrize(
    ("sizes", "over"), [((5, 3, 70), "ac"), ((3, 4, 5, 20), "ac"), ((3, 4, 5, 20), "bd"), ((6, 7, 130), "bc"), ((4, 9, 8), "ab")]
)
@pytest.mark.usefixtures("exact_tmp")
def test_a_row_in_several_runs(bench: Any, dtype: DType, sizes: tuple[int, ...], over: str) -> None:
    assert bench.demand(_arg_max(dtype, sizes, over, gap=3), {}, tilings=2) >= 1


@pytest.mark.parametrize("dtype", [I32, F32])
@pytest.mark.parametrize("over", ["a", "b"])
def test_the_first_of_equal_elements(bench: Any, dtype: DType, over: str) -> None:
    """All elements are among -1, 0 and 1."""
    g = GraphBuilder(f"ties_{dtype}_{over}", {"a": 40, "b": 200})
    x = g.op("Sign", g.load("x", ("a", "b"), dtype))
    g.store("y", g.reduce("ArgMax", x, over))
    assert bench.demand(g.build(), {}, tilings=2) >= 2


def test_a_whole_row_of_integers_that_ends_within_a_repeat(bench: Any) -> None:
    for columns in (1000, 64, 65, 3):
        assert bench.demand(_arg_max(I32, (21, columns), "b"), {}, tilings=2) >= 2


def test_the_place_among_one_element_is_0(bench: Any) -> None:
    assert bench.demand(_arg_max(F32, (100, 1), "b"), {}, tilings=2) >= 2


def test_the_place_of_the_smallest_is_refused_in_words() -> None:
    with pytest.raises(GraphError, match=r"op ArgMin is no op of AutoFuse's tables; take ArgMax of the negative"):
        spec_of("ArgMin")
