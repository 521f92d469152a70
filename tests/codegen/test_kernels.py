"""Emitted kernels on the CPU model: every template of every benchmark graph, at shapes with nasty tails, with legal tilings of all kinds.

Right means: the CPU model finds no broken rule, the outputs are numpy's within the ops' tolerances, exactly the elements of the Stores are
written, and UB, transfers and calls are what the model says.
"""

from __future__ import annotations

from typing import Any

import pytest

from att.ir.graph import HintGraph
from att.solve.base import SolveOptions
from att.solve.run import run
from benchmarks.library import OPERATORS
from benchmarks.make_graphs import dynamic_graph

SHAPES = [(5, 20), (37, 257), (1, 1), (129, 33), (2, 1024)]
"""Rows and columns: shorter and longer than a block, off every alignment, single elements, whole repeats."""


def _graph(name: str) -> HintGraph:
    return dynamic_graph(name)


@pytest.mark.parametrize("name", OPERATORS)
def test_every_template_is_right_with_its_heuristic_tiling(bench: Any, name: str) -> None:
    graph = _graph(name)
    candidates, _ = bench.build(graph)
    ran: set[str] = set()
    for rows, columns in SHAPES[:3]:
        shape = {"ks0": rows, "ks1": columns}
        for template in candidates.templates:
            found = run(bench.problem(template, shape, 32), "axis_sort", SolveOptions())
            if found.tiling is None:
                continue
            done = bench.run(graph, shape, template, found.tiling)
            assert done.ok, f"{template.name} {shape} {dict(found.tiling)}: {done.complaints()}"
            ran.add(template.name)
    assert ran == {template.name for template in candidates.templates}


@pytest.mark.parametrize("name", OPERATORS)
def test_random_legal_tilings_are_right(bench: Any, name: str) -> None:
    graph = _graph(name)
    ran = sum(bench.demand(graph, {"ks0": rows, "ks1": columns}, tilings=2) for rows, columns in SHAPES)
    assert ran >= 5


def test_what_is_counted_is_not_empty(bench: Any) -> None:
    """The agreements compare numbers of things that happened."""
    graph = _graph("softmax")
    candidates, _ = bench.build(graph)
    done = bench.run(graph, {"ks0": 5, "ks1": 20}, candidates.templates[0], {"z0t_size": 2, "z0Tb_size": 1})
    numbers = {a.what.split(" in line")[0]: a.measured for a in done.agreements}
    assert numbers["load instructions"] == numbers["store instructions"] == 3
    assert numbers["load bytes"] == numbers["store bytes"] == 5 * 20 * 4
    assert numbers["calls of exp"] == numbers["calls of max"] == 3
    assert done.block_dim == 3
