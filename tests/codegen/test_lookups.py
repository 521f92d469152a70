"""Gathers on the CPU model."""

from __future__ import annotations

from typing import Any

import pytest

from att.ir.dtype import DType
from tests.moves import picked

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
