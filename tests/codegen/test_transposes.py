"""Transposes on the CPU model: every permutation of up to four axes that moves the last one, in every width, with tails on all sides."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from att.formats.load import load
from att.ir.dtype import DType
from att.ir.graph import HintGraph
from tests.moves import transposed

F32, F16 = DType.FLOAT32, DType.FLOAT16

ORDERS = {"ba": (37, 53), "acb": (3, 20, 35), "cba": (9, 7, 33), "bca": (5, 17, 19), "cab": (5, 17, 19), "adcb": (2, 5, 3, 40)}


@pytest.mark.parametrize("order", ORDERS)
def test_a_permutation_is_right(bench: Any, order: str) -> None:
    names = "KLMN"[: len(order)]
    graph = transposed(order, names, added=True)
    assert bench.demand(graph, dict(zip(names, ORDERS[order], strict=True)), tilings=2) >= 6


@pytest.mark.parametrize("shape", [(1, 1), (16, 8), (300, 2), (2, 300), (17, 9)], ids=lambda s: f"{s[0]}x{s[1]}")
@pytest.mark.parametrize("dtype", [F32, F16])
def test_shapes_around_the_instruction(bench: Any, shape: tuple[int, int], dtype: DType) -> None:
    graph = transposed("ba", ("M", "N"), dtype)
    assert bench.demand(graph, dict(zip("MN", shape, strict=True)), tilings=2) >= 4


def test_a_cast_before_the_transpose(bench: Any) -> None:
    graph = transposed("ba", ("M", "N"), F16, cast_to=F32)
    assert bench.demand(graph, {"M": 21, "N": 30}, tilings=2) >= 4


def test_outer_axes_are_moved_by_strides(bench: Any) -> None:
    graph = transposed("bac", ("K", "M", "N"), added=True)
    assert bench.demand(graph, {"K": 5, "M": 6, "N": 33}, tilings=2) >= 6


@pytest.mark.parametrize("kind", ["static", "dyn"])
def test_captured_transposes_are_right(bench: Any, shared_data: Path, kind: str) -> None:
    graph = load(shared_data / "hint_graphs" / f"transpose_add_f32__{kind}__full__k0.py")
    assert isinstance(graph, HintGraph)
    shape = {size.name: extent for size, extent in zip(graph.sizes, (6, 5, 20), strict=False)}
    assert bench.demand(replace(graph, name=f"captured_{kind}"), shape, tilings=2) >= 3


def test_a_lane_behind_the_last_column_never_reaches_the_result(bench: Any) -> None:
    """The spare blocks take it: without them it would land in the next row of the result, which the comparison would see."""
    graph = transposed("ba", ("M", "N"))
    candidates, built = bench.build(graph)
    assert "spare" in built.kernel.text
    template = next(t for t in candidates.templates if t.name == "transpose.z0.z1")
    done = bench.run(graph, {"M": 11, "N": 13}, template, {"z0t_size": 11, "z1t_size": 13, "z0Tb_size": 1})
    assert done.ok, done.complaints()
