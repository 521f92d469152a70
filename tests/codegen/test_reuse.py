"""Kernels that load a tile once for all of an axis, on the CPU model: odd sizes, tails, and more cores than tiles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.ir.graph import Template
from att.ops.spec import Costs
from benchmarks.make_graphs import dynamic_graph
from codegen.driver import Built, Case, build, check_run, make_case
from hwmodels.model import Chip
from schedule.generate import schedule_graph

SHAPE = {"ks0": 3, "ks1": 101}


@pytest.fixture(scope="module")
def streams(chip: Chip, costs: Costs, kernel_cache: Path) -> tuple[Built, Case, dict[str, Template]]:
    """hc_post with its two templates of this kind."""
    graph = dynamic_graph("hc_post")
    templates = {t.name: t for t in schedule_graph(graph, chip).templates if t.name.endswith("reuse")}
    return build(graph.name, tuple(templates.values()), costs, kernel_cache), make_case(graph, SHAPE, 1), templates


@pytest.mark.parametrize("template", ["general.z3.z1.reuse", "full_load.z3.reuse"])
@pytest.mark.parametrize("tile", [1, 7, 16, 50, 101])
@pytest.mark.parametrize("per_core", [1, 2, 5])
def test_streams_that_share_a_tile(streams: Any, template: str, tile: int, per_core: int) -> None:
    built, case, templates = streams
    tiling = {"z3t_size": tile, "z0z3Tb_size": per_core, **({"z1t_size": 3} if "z1" in template else {})}
    done = check_run(built, case, templates[template], tiling)
    assert done.ok, done.complaints()


def test_a_row_that_every_row_adds(bench: Any) -> None:
    rows, columns = Size(name="M"), Size(name="N")
    g = GraphBuilder("add_shared_row", {"m": rows.symbol, "n": columns.symbol}, (rows, columns))
    g.store("y", g.op("Add", g.load("x", ("m", "n")), g.load("row", ("n",))))
    graph = g.build()
    candidates, _ = bench.build(graph)
    assert {t.name for t in candidates.templates} >= {"general.z1.z0.reuse", "general.z1.z0.reuse.inline"}
    assert bench.demand(graph, {"M": 5, "N": 333}, tilings=4) >= 12
