"""Every benchmark graph at every shape, as templates bound to problems."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from att.formats.load import load
from att.ir.graph import HintGraph, Template
from benchmarks.make_graphs import FOLDER

CHIPS = ("ascend910b1", "ascend910b4", "ascend310p3", "ascend950pr")
"""The chips of the benchmark set."""

SHAPES = Path(__file__).with_name("shapes.toml")


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphCase:
    """One stored graph at one shape."""

    graph: HintGraph | Template
    shape: Mapping[str, int]

    @property
    def label(self) -> str:
        """Graph and shape, short."""
        sizes = ",".join(str(value) for value in self.shape.values())
        return f"{self.graph.name if isinstance(self.graph, HintGraph) else self.graph.graph_name}[{sizes or 'static'}]"


def shapes_of(name: str) -> list[dict[str, int]]:
    """Shapes of a dynamic graph, from `shapes.toml`."""
    table = tomllib.loads(SHAPES.read_text())
    return table.get(name, table["default"])["shapes"]


def graph_cases(only: str = "") -> Iterator[GraphCase]:
    """All cases whose graph name contains `only`, in the order of the files."""
    for path in sorted(path for path in FOLDER.glob("*.json") if only in path.name):
        graph = load(path)
        assert isinstance(graph, HintGraph)
        for shape in shapes_of(graph.name) if graph.sizes else [{}]:
            yield GraphCase(graph=graph, shape=shape)
