"""A nest for each group of stores on the CPU model: reduces over nested axes of one input."""

from __future__ import annotations

from typing import Any

import pytest

from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.ir.graph import HintGraph


def _sums_of_rows_and_of_all(rows: int, columns: int, *, beside: bool = False) -> HintGraph:
    m, n = Size(name="M", maximum=rows), Size(name="N", maximum=columns)
    g = GraphBuilder(f"rows_and_all_{rows}_{columns}{'_beside' if beside else ''}", {"m": m.symbol, "n": n.symbol}, (m, n))
    x = g.load("x", ("m", "n"))
    g.store("s", g.reduce("Sum", x, "n"))
    g.store("t", g.reduce("Max", x, "m", "n"))
    if beside:
        g.store("y", g.op("Abs", x))
    return g.build()


@pytest.mark.parametrize("beside", [False, True])
def test_sums_of_rows_and_of_all_need_no_row_whole(bench: Any, beside: bool) -> None:
    """300,000 elements do not fit in UB together; each reduce walks them in a nest of its own."""
    graph = _sums_of_rows_and_of_all(600, 500, beside=beside)
    candidates, _ = bench.build(graph)
    apart = [t for t in candidates.templates if t.name.startswith("apart")]
    assert apart
    assert all(len(t.phases) == 2 for t in apart)
    ran = bench.demand(graph, {"M": 37, "N": 50}, tilings=2)
    assert ran >= len(candidates.templates)
    assert bench.demand(graph, {"M": 600, "N": 500}, tilings=1) >= 1
