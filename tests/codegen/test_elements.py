"""Elements that lie apart in GM, of every width: each is a block of its own on its way, whatever it means."""

from __future__ import annotations

from typing import Any

import pytest

from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.ir.dtype import DType
from att.ir.graph import HintGraph
from tests.moves import joined, transposed

M, N = Size(name="M", maximum=500), Size(name="N", maximum=4096)
MOVED = [DType.INT8, DType.UINT8, DType.INT16, DType.BFLOAT16, DType.INT32, DType.INT64]


def _copied(dtype: DType, source: int, target: int) -> HintGraph:
    g = GraphBuilder(f"copied_{dtype}_{source}_{target}", {"a": N.symbol}, (N,))
    g.store("y", g.load("x", ("a",), dtype, strides=(source,), offset=source - 1), strides=(target,), offset=target - 1)
    return g.build()


@pytest.mark.parametrize("dtype", MOVED)
@pytest.mark.parametrize(("source", "target"), [(3, 1), (1, 41), (41, 2)])
def test_a_copy_of_elements(bench: Any, dtype: DType, source: int, target: int) -> None:
    graph = _copied(dtype, source, target)
    for n in (1, 7, 70, 300):
        assert bench.demand(graph, {"N": n}, tilings=2) >= 1


@pytest.mark.parametrize("dtype", [DType.INT8, DType.INT64])
def test_rows_of_elements(bench: Any, dtype: DType) -> None:
    """Every row of a tile begins at a whole block in UB, and is an instruction of its own where both axes have gaps."""
    g = GraphBuilder(f"rows_of_elements_{dtype}", {"m": M.symbol, "n": N.symbol}, (M, N))
    g.store("y", g.load("x", ("m", "n"), dtype, strides=(N.symbol * 3, 3)), strides=(N.symbol * 2, 2))
    graph = g.build()
    for shape in ({"M": 9, "N": 5}, {"M": 3, "N": 67}):
        assert bench.demand(graph, shape, tilings=3) >= 2


def test_a_column_of_bytes_is_stored_into_its_rows(bench: Any) -> None:
    """What cannot be joined in UB is stored part by part, the column byte by byte."""
    graph = joined((1, 7), dtype=DType.INT8, name="column_of_bytes")
    names = [t.name for t in bench.build(graph)[0].templates]
    assert names == ["concat_store.z0", "concat_parts.z0", "concat_parts.z3"]
    assert bench.demand(graph, {"M": 37}, tilings=3) >= len(names)


def test_a_transpose_of_bytes_folded_or_not(bench: Any) -> None:
    graph = transposed("ba", ("M", "N"), DType.INT8)
    names = [t.name for t in bench.build(graph)[0].templates]
    assert names == ["general.z0", "general.z1", "transpose.z1.z0", "transpose.z0.z1"]
    assert bench.demand(graph, {"M": 37, "N": 50}, tilings=2) >= len(names)


@pytest.mark.usefixtures("exact_tmp")
@pytest.mark.parametrize("axes", ["m", "am", "n", "an"])
def test_wide_elements_are_spread(bench: Any, axes: str) -> None:
    """Along the last axis both halves are gathered for every row; rows and blocks are copied."""
    g = GraphBuilder(f"wide_spread_{axes}", {"a": 3, "m": M.symbol, "n": N.symbol}, (M, N))
    g.store("y", g.broadcast(g.load("x", tuple(axes), DType.INT64), ("a", "m", "n")))
    graph = g.build()
    for shape in ({"M": 7, "N": 5}, {"M": 2, "N": 70}):
        assert bench.demand(graph, shape, tilings=2) >= 2


@pytest.mark.parametrize("lengths", [(1, 7), (4, 8)])
def test_wide_parts_are_joined_in_whole_blocks_or_stored(bench: Any, lengths: tuple[int, int]) -> None:
    graph = joined(lengths, dtype=DType.INT64, name="wide_parts")
    names = [t.name for t in bench.build(graph)[0].templates]
    assert ("concat.z0" in names) is (lengths == (4, 8))
    assert bench.demand(graph, {"M": 37}, tilings=2) >= len(names)


def test_a_transpose_of_wide_elements_is_folded(bench: Any) -> None:
    graph = transposed("ba", ("M", "N"), DType.INT64)
    candidates, _ = bench.build(graph)
    assert [t.name for t in candidates.templates] == ["general.z0", "general.z1"]
    reason = next(d.reason for d in candidates.dropped if d.name == "transpose")
    assert reason == "elements of int64 are not transposed on the vector unit, so transpose is folded into its loads"
    assert bench.demand(graph, {"M": 37, "N": 50}, tilings=2) >= 2


def _windows(stride: int | str, dtype: DType = DType.FLOAT32) -> HintGraph:
    """Rows of n elements, each beginning `stride` elements behind the one before it: windows over one long row."""
    s = Size(name="S", maximum=5000)
    step = s.symbol if isinstance(stride, str) else stride
    g = GraphBuilder(
        f"windows_{stride}_{dtype}", {"m": M.symbol, "n": N.symbol if stride == "S" else 14}, (M, N, s) if stride == "S" else (M,)
    )
    g.store("y", g.load("x", ("m", "n"), dtype, strides=(step, 1)))
    return g.build()


@pytest.mark.parametrize("dtype", [DType.INT8, DType.FLOAT32, DType.INT64])
def test_rows_that_overlap_are_loaded_one_by_one(bench: Any, dtype: DType) -> None:
    graph = _windows(3, dtype)
    names = [t.name for t in bench.build(graph)[0].templates]
    assert names == ["general.z0", "general.z1"]
    assert bench.demand(graph, {"M": 9}, tilings=3) >= 4


@pytest.mark.parametrize("step", [3, 14])
def test_rows_that_may_overlap_are_loaded_one_by_one_too(bench: Any, step: int) -> None:
    graph = _windows("S")
    assert bench.demand(graph, {"M": 9, "N": 14, "S": step}, tilings=3) >= 4
