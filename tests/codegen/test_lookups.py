"""Gathers on the CPU model."""

from __future__ import annotations

from typing import Any

import pytest

from att.errors import AttError, ScheduleError
from att.formats.builder import GraphBuilder, Value
from att.ir.axis import Size
from att.ir.dtype import DType
from att.ir.graph import HintGraph
from att.ops.registry import OPS
from codegen.coverage import emitted_types
from codegen.driver import make_case
from codegen.inputs import make_inputs
from tests.moves import picked, picked_from_each, rows_picked

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


EACH: dict[str, tuple[dict[str, Any], dict[str, int]]] = {
    "an element of each row": ({"rows": "M", "length": "V"}, {"M": 70, "V": 50257}),
    "summed": ({"rows": "M", "length": "V", "summed": True}, {"M": 70, "V": 300}),
    "of each matrix, int64": ({"rows": "M", "length": "V", "outer": (3,), "index": DType.INT64, "dtype": DType.FLOAT16}, {"M": 9, "V": 30}),
    "a row of each": ({"rows": "M", "length": "V", "row": ("D",)}, {"M": 7, "V": 30, "D": 21}),
    "a row of each of two": ({"rows": "M", "length": "V", "row": ("D",), "outer": (2,)}, {"M": 7, "V": 30, "D": 21}),
}


@pytest.mark.parametrize("name", EACH)
def test_each_row_has_an_index_of_its_own(bench: Any, name: str) -> None:
    arguments, shape = EACH[name]
    graph = picked_from_each(**arguments)
    candidates, _ = bench.build(graph)
    assert bench.demand(graph, shape, tilings=2) >= len(candidates.templates)


def test_the_diagonal_is_loaded_one_by_one(bench: Any) -> None:
    """The shared axis is the innermost of the table, where its elements lie close together."""
    g = GraphBuilder("diagonal", {"v": 7, "m": 30})
    g.store("y", g.gather(g.load("x", ("v", "m")), "v", g.load("i", ("m",), DType.INT32)))
    assert bench.demand(g.build(), {}, tilings=3) >= 3


def test_one_index_picks_a_column(bench: Any) -> None:
    g = GraphBuilder("column", {"m": 70, "v": 300, "one": 1})
    g.store("y", g.gather(g.load("x", ("m", "v")), "v", g.load("i", ("one",), DType.INT32)))
    assert bench.demand(g.build(), {}, tilings=3) >= 3


def test_elements_of_a_row_too_long_for_ub_are_one_load_each(bench: Any) -> None:
    graph = picked((4, 60000), (20,))
    candidates, _ = bench.build(graph)
    done = bench.run(graph, {}, candidates.templates[0], {"z0t_size": 2, "z0Tb_size": 1})
    assert done.ok, done.complaints()
    numbers = {a.what: a.measured for a in done.agreements}
    assert numbers["load instructions"] == 4 * 20 + 2
    assert numbers["load bytes"] == 4 * 20 * 4 + 2 * 20 * 4


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


def test_wide_elements_are_loaded_one_by_one(bench: Any) -> None:
    graph = picked(("M", "V"), ("N",), dtype=DType.INT64)
    candidates, _ = bench.build(graph)
    assert {t.name.split(".")[0] for t in candidates.templates} == {"gather_rows"}
    assert bench.demand(graph, {"M": 7, "V": 30, "N": 19}, tilings=2) >= len(candidates.templates)


def test_wide_elements_of_a_table_made_here_are_not_picked(bench: Any) -> None:
    g = GraphBuilder("wide_made", {"v": 30, "n": 19})
    table = g.cast(g.load("x", ("v",), DType.INT32), DType.INT64)
    g.store("y", g.gather(table, "v", g.load("i", ("n",), DType.INT32)))
    with pytest.raises(ScheduleError, match=r"Gather takes .* on ascend910b1, got int64") as caught:
        bench.build(g.build())
    assert caught.value.hint == "cast the operand first"


@pytest.mark.parametrize("dtype", [DType.INT8, DType.UINT8, DType.INT64])
def test_an_element_of_each_row_is_loaded_whatever_its_type(bench: Any, dtype: DType) -> None:
    graph = picked_from_each(rows="M", length="V", dtype=dtype)
    candidates, _ = bench.build(graph)
    assert not candidates.casts
    assert bench.demand(graph, {"M": 70, "V": 300}, tilings=2) >= len(candidates.templates)


def test_every_row_is_one_load(bench: Any) -> None:
    graph = rows_picked("V", ("N",), ("D",))
    candidates, _ = bench.build(graph)
    done = bench.run(graph, {"V": 30, "N": 19, "D": 21}, candidates.templates[0], {"z0t_size": 8, "z0Tb_size": 1})
    assert done.ok, done.complaints()
    numbers = {a.what: a.measured for a in done.agreements}
    assert numbers["load instructions"] == 19 + 3
    assert numbers["load bytes"] == 19 * 21 * 4 + 19 * 4


def softmax(g: GraphBuilder, x: Value, axis: str) -> Value:
    e = g.op("Exp", g.op("Sub", x, g.reduce("Max", x, axis)))
    return g.op("TrueDiv", e, g.reduce("Sum", e, axis))


def test_rows_by_index_too_long_for_ub_are_summed(bench: Any) -> None:
    g = GraphBuilder("long_rows", {"m": 4, "v": 30, "k": 20000})
    y = g.gather(g.load("x", ("v", "k")), "v", g.load("i", ("m",), DType.INT32))
    g.store("y", g.reduce("Sum", y, "k"))
    assert bench.demand(g.build(), {}, tilings=2) >= 4


def test_rows_by_index_too_long_for_ub_have_a_softmax(bench: Any) -> None:
    g = GraphBuilder("long_softmax", {"m": 2, "v": 9, "k": 30000})
    g.store("y", softmax(g, g.gather(g.load("x", ("v", "k")), "v", g.load("i", ("m",), DType.INT64)), "k"))
    assert bench.demand(g.build(), {}, tilings=2) >= 2


def test_elements_by_index_have_a_softmax_in_pieces(bench: Any) -> None:
    """More picked elements of a row than UB holds, from a row that it does not hold either."""
    g = GraphBuilder("picked_softmax", {"m": 2, "v": 60000, "n": 8000})
    g.store("y", softmax(g, g.gather(g.load("x", ("m", "v")), "v", g.load("i", ("n",), DType.INT32)), "n"))
    assert {t.name for t in bench.build(g.build())[0].templates} == {
        "chunked.z0.z2",
        "chunked.z0.z2.kept",
        "online.z0.z2",
        "r_split_online.z0.z2",
    }
    assert bench.demand(g.build(), {}, tilings=1) >= 2


def test_sums_of_rows_by_index_share_a_weight(bench: Any) -> None:
    sizes = tuple(Size(name=s) for s in ("M", "N", "K"))
    m, n, k = (size.symbol for size in sizes)
    g = GraphBuilder("weighted_bag", {"m": m, "n": n, "v": 9, "k": k}, sizes)
    y = g.gather(g.load("x", ("v", "k")), "v", g.load("i", ("m", "n"), DType.INT64))
    g.store("y", g.reduce("Sum", g.op("Mul", y, g.load("w", ("k",))), "n"))
    candidates, _ = bench.build(g.build())
    assert {"gather_rows.z0", "general.z3.z1", "r_split.z0.z1"} <= {t.name for t in candidates.templates}
    assert bench.demand(g.build(), {"M": 5, "N": 7, "K": 33}, tilings=2) >= len(candidates.templates)


def test_elements_of_a_table_made_here_have_a_softmax_in_pieces(bench: Any) -> None:
    """The table stays in UB while each walk picks from it again: no walk ends with a Gather."""
    g = GraphBuilder("made_softmax", {"m": 3, "v": 90, "n": 20000})
    table = g.op("Abs", g.load("x", ("m", "v")))
    g.store("y", softmax(g, g.gather(table, "v", g.load("i", ("n",), DType.INT32)), "n"))
    assert {t.name for t in bench.build(g.build())[0].templates} == {"chunked.z0.z2", "online.z0.z2", "r_split_online.z0.z2"}
    assert bench.demand(g.build(), {}, tilings=2) >= 2
