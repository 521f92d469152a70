"""Gathers on the CPU model."""

from __future__ import annotations

from typing import Any

import pytest

from att.errors import AttError, ScheduleError
from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.ir.dtype import DType
from att.ir.graph import HintGraph
from att.ops.registry import OPS
from codegen.coverage import emitted_types
from codegen.driver import make_case
from codegen.inputs import make_inputs
from tests.moves import picked, rows_picked

CASES: dict[str, tuple[dict[str, Any], dict[str, int]]] = {
    "rows of a matrix": ({"table": ("M", "V"), "indices": ("N",)}, {"M": 7, "V": 30, "N": 19}),
    "one row, scaled": ({"table": ("V",), "indices": ("N",), "scaled": True}, {"V": 30, "N": 190}),
    "two axes of int64": (
        {"table": ("M", "V"), "indices": ("N", "K"), "index": DType.INT64, "dtype": DType.FLOAT16},
        {"M": 7, "V": 30, "N": 5, "K": 9},
    ),
    "a table of one element": ({"table": ("M", "V"), "indices": ("N",), "dtype": DType.INT16}, {"M": 7, "V": 1, "N": 19}),
    "more rows": ({"table": ("K", "M", "V"), "indices": ("N",), "dtype": DType.UINT32}, {"K": 3, "M": 7, "V": 11, "N": 19}),
}


@pytest.mark.parametrize("name", CASES)
def test_elements_are_picked(bench: Any, name: str) -> None:
    arguments, shape = CASES[name]
    graph = picked(**arguments)
    candidates, _ = bench.build(graph)
    assert bench.demand(graph, shape, tilings=2) >= len(candidates.templates)


def chained(table: int, inner: int, *, cast: bool = False) -> HintGraph:
    """y[n] = x[i[j[n]]]: what is picked first are indices, in another type with `cast`."""
    size = Size(name="N", maximum=5000)
    g = GraphBuilder(f"chained_{table}_{inner}{'_cast' if cast else ''}", {"v": table, "u": inner, "n": size.symbol}, (size,))
    found = g.gather(g.load("i", ("u",), DType.INT32), "u", g.load("j", ("n",), DType.INT32))
    g.store("y", g.gather(g.load("x", ("v",)), "v", g.cast(found, DType.INT64) if cast else found))
    return g.build()


@pytest.mark.parametrize("cast", [False, True])
@pytest.mark.parametrize(("table", "inner"), [(30, 20), (7, 200)])
def test_indices_may_be_picked_themselves(bench: Any, table: int, inner: int, cast: bool) -> None:
    graph = chained(table, inner, cast=cast)
    inputs = dict(zip((node.name for node in graph.data_nodes), make_inputs(graph, {"N": 400}, 1), strict=True))
    for name, length in (("i", table), ("j", inner)):
        assert 0 <= inputs[name].min() < length // 5
        assert length - 1 - length // 5 < inputs[name].max() < length
    assert bench.demand(graph, {"N": 19}, tilings=2)


def test_indices_that_leave_their_table_are_named() -> None:
    """No input is known to be good for what is computed into an index."""
    g = GraphBuilder("summed", {"v": 30, "n": 100})
    i = g.load("i", ("n",), DType.INT32)
    g.store("y", g.gather(g.load("x", ("v",)), "v", g.op("Add", i, i)))
    with pytest.raises(AttError, match=r"indices are -\d+ to \d+, the table has 0 to 29") as caught:
        make_case(g.build(), {}, 1)
    assert caught.value.where == "summed"


ROWS: dict[str, tuple[dict[str, Any], dict[str, int]]] = {
    "stored as they come": ({"table": "V", "indices": ("N",), "row": ("D",)}, {"V": 30, "N": 19, "D": 21}),
    "scaled, int64": ({"table": "V", "indices": ("N",), "row": ("D",), "scaled": True, "index": DType.INT64}, {"V": 30, "N": 19, "D": 64}),
    "two axes of indices": (
        {"table": "V", "indices": ("N", "K"), "row": ("D",), "dtype": DType.FLOAT16, "scaled": True},
        {"V": 11, "N": 3, "K": 5, "D": 33},
    ),
    "an axis outside": (
        {"table": "V", "indices": ("N",), "row": ("D",), "outer": ("M",), "scaled": True},
        {"M": 3, "V": 7, "N": 5, "D": 40},
    ),
    "rows of two axes": ({"table": "V", "indices": ("N",), "row": ("C", "D")}, {"V": 7, "N": 5, "C": 3, "D": 10}),
    "one index, one element": ({"table": "V", "indices": ("N",), "row": ("D",)}, {"V": 1, "N": 1, "D": 1}),
}


@pytest.mark.parametrize("name", ROWS)
def test_rows_are_loaded_by_index(bench: Any, name: str) -> None:
    arguments, shape = ROWS[name]
    graph = rows_picked(**arguments)
    candidates, _ = bench.build(graph)
    assert {t.name.split(".")[0] for t in candidates.templates} == {"gather_rows"}
    assert bench.demand(graph, shape, tilings=2) >= len(candidates.templates)


@pytest.mark.parametrize("dtype", emitted_types(OPS["GatherRows"]))
def test_rows_of_every_type_are_loaded(bench: Any, dtype: DType) -> None:
    assert bench.demand(rows_picked("V", ("N",), ("D",), dtype=dtype), {"V": 9, "N": 6, "D": 21}, tilings=1) >= 2


@pytest.mark.parametrize("dtype", [DType.INT8, DType.FLOAT32, DType.INT64])
def test_rows_whose_elements_lie_apart_are_loaded(bench: Any, dtype: DType) -> None:
    sizes = tuple(Size(name=s, maximum=500) for s in ("V", "N", "D"))
    v, n, d = (size.symbol for size in sizes)
    g = GraphBuilder(f"rows_apart_{dtype}", {"n": n, "v": v, "d": d}, sizes)
    table = g.load("x", ("v", "d"), dtype, strides=(d * 3, 3))
    g.store("y", g.gather(table, "v", g.load("i", ("n",), DType.INT32)))
    assert bench.demand(g.build(), {"V": 9, "N": 6, "D": 21}, tilings=2) >= 2


@pytest.mark.parametrize("dtype", [DType.INT8, DType.UINT8])
def test_bytes_are_picked_as_halves(bench: Any, dtype: DType) -> None:
    graph = picked(("M", "V"), ("N",), dtype=dtype)
    candidates, _ = bench.build(graph)
    assert [(c.source, c.target) for c in candidates.casts] == [(dtype, DType.FLOAT16), (DType.FLOAT16, dtype)]
    assert bench.demand(graph, {"M": 7, "V": 30, "N": 19}, tilings=2) >= len(candidates.templates)


def test_wide_elements_are_not_picked(bench: Any) -> None:
    with pytest.raises(ScheduleError, match=r"Gather takes .* on ascend910b1, got int64") as caught:
        bench.build(picked(("M", "V"), ("N",), dtype=DType.INT64))
    assert caught.value.hint == "cast the operand first"


def test_every_row_is_one_load(bench: Any) -> None:
    graph = rows_picked("V", ("N",), ("D",))
    candidates, _ = bench.build(graph)
    done = bench.run(graph, {"V": 30, "N": 19, "D": 21}, candidates.templates[0], {"z0t_size": 8, "z0Tb_size": 1})
    assert done.ok, done.complaints()
    numbers = {a.what: a.measured for a in done.agreements}
    assert numbers["load instructions"] == 19 + 3
    assert numbers["load bytes"] == 19 * 21 * 4 + 19 * 4
