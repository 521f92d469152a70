"""Kernels whose tiles of rows are no whole blocks, which the alignment rule leaves to the price: few rows at a time, odd numbers of them.

What is one number a row is then an odd vector in UB, and a transfer of less than 32 bytes: several cores store into one block of 32 bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.ir.dtype import DType
from att.ir.graph import HintGraph, Template
from att.model.bind import bind
from att.model.build import build_model
from att.model.options import ModelOptions
from att.solve.base import SolveOptions
from att.solve.run import run

M, N = Size(name="m", maximum=4096), Size(name="n", maximum=60_001)
ROWS, COLUMNS = 37, 77
ODD_TILES = (1, 3, 5)


def column_applied(g: GraphBuilder) -> None:
    """Each row by its own factor, and another number of its own added: columns of two types are loaded."""
    x = g.load("x", ("a", "b"))
    scaled = g.op("Mul", x, g.load("c", ("a",)))
    g.store("y", g.op("Add", scaled, g.cast(g.load("d", ("a",), DType.FLOAT16), DType.FLOAT32)))


def ends_in_two_types(g: GraphBuilder) -> None:
    """The sum of a row leaves as float32 and as float16."""
    total = g.reduce("Sum", g.load("x", ("a", "b")), "b")
    g.store("y", total)
    g.store("half", g.cast(total, DType.FLOAT16))


def shifted_and_summed(g: GraphBuilder) -> None:
    """A number a row is loaded, and one is stored beside the rows."""
    x = g.op("Add", g.load("x", ("a", "b")), g.load("c", ("a",)))
    e = g.op("Exp", g.op("Sub", x, g.reduce("Max", x, "b")))
    total = g.reduce("Sum", e, "b")
    g.store("y", g.op("TrueDiv", e, total))
    g.store("log", g.op("Ln", total))


def ends_in_a_place(g: GraphBuilder) -> None:
    g.store("y", g.reduce("ArgMax", g.load("x", ("a", "b"), DType.FLOAT16), "b"))


TEMPLATES = {
    column_applied: ("general.z0", "unaligned.z0"),
    ends_in_two_types: ("general.z0.z1", "full_load.z0", "r_split.z0.z1"),
    shifted_and_summed: ("full_load.z0", "chunked.z0.z1", "online.z0.z1"),
    ends_in_a_place: ("general.z0.z1", "full_load.z0"),
}


def of(make: Callable[[GraphBuilder], None]) -> HintGraph:
    g = GraphBuilder(f"row_tiles_{make.__name__}", {"a": M.symbol, "b": N.symbol}, (M, N))
    make(g)
    return g.build()


def with_rows(bench: Any, template: Template, rows: int, shape: dict[str, int]) -> dict[str, int]:
    """A tiling of so many rows a tile, where numbers a row are stored, and two tiles a core, that the default rules allow."""
    if template.name.startswith("r_split"):
        fixed = {"z0p1t_size": rows, "z0p1Tb_size": 2, "z1t_size": 40}
    else:
        fixed = {"z0t_size": rows, "z0Tb_size": 2}
    problem = bind(build_model(template, bench.chip, ModelOptions()), shape, fixed=fixed)
    found = run(problem, "axis_sort", SolveOptions())
    assert found.tiling is not None
    return dict(found.tiling)


@pytest.mark.parametrize(("make", "templates"), TEMPLATES.items(), ids=lambda value: getattr(value, "__name__", ""))
def test_odd_numbers_of_rows_at_a_time_are_right(bench: Any, make: Callable[[GraphBuilder], None], templates: tuple[str, ...]) -> None:
    graph, shape = of(make), {"m": ROWS, "n": COLUMNS}
    known = {t.name: t for t in bench.build(graph)[0].templates}
    for name in templates:
        for rows in ODD_TILES:
            tiling = with_rows(bench, known[name], rows, shape)
            done = bench.run(graph, shape, known[name], tiling)
            assert done.ok, f"{name} {tiling}: {done.complaints()}"
            assert done.block_dim > 1
