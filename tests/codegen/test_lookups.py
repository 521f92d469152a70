"""Gathers on the CPU model."""

from __future__ import annotations

from typing import Any

import pytest

from att.ir.dtype import DType
from att.ops.registry import OPS
from codegen.coverage import emitted_types
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


def test_every_row_is_one_load(bench: Any) -> None:
    graph = rows_picked("V", ("N",), ("D",))
    candidates, _ = bench.build(graph)
    done = bench.run(graph, {"V": 30, "N": 19, "D": 21}, candidates.templates[0], {"z0t_size": 8, "z0Tb_size": 1})
    assert done.ok, done.complaints()
    numbers = {a.what: a.measured for a in done.agreements}
    assert numbers["load instructions"] == 19 + 3
    assert numbers["load bytes"] == 19 * 21 * 4 + 19 * 4
