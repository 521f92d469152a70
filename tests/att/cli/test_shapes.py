"""`--shapes`: grids and files of shapes."""

from __future__ import annotations

from pathlib import Path

import pytest

from att.cli.shapes import read_shapes, shapes_for
from att.errors import AttError
from att.ir.axis import Axis, Size
from att.ir.graph import HintGraph

SIZE = Size(name="ks0")
GRAPH = HintGraph(name="g", sizes=(SIZE,), axes=(Axis(name="a0", size=SIZE.symbol),))


def test_a_grid_is_every_combination_in_order() -> None:
    assert read_shapes("ks0=1:64,ks1=8:9") == [{"ks0": a, "ks1": b} for a in (1, 64) for b in (8, 9)]


def test_a_file_lists_shapes_and_a_grid(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text("[[shape]]\nks0 = 5\n[[shape]]\nks0 = [6, 7]\n[grid]\nks0 = [1, 2]\nks1 = 3\n")
    assert read_shapes(str(path)) == [{"ks0": 5}, {"ks0": 6}, {"ks0": 7}, {"ks0": 1, "ks1": 3}, {"ks0": 2, "ks1": 3}]


def test_a_graph_gets_the_sizes_it_has_each_shape_once() -> None:
    assert shapes_for(GRAPH, "ks0=1:2,ks1=8:9") == [{"ks0": 1}, {"ks0": 2}]


def test_a_static_graph_has_one_shape() -> None:
    assert shapes_for(HintGraph(name="g"), "ks0=1:2") == [{}]


def test_sizes_that_the_graph_does_not_have_are_refused() -> None:
    with pytest.raises(AttError, match="--shapes gives n; sizes of the graph: ks0"):
        shapes_for(GRAPH, "n=1:2")


@pytest.mark.parametrize("text", ["ks0=", "ks0=a", "ks0=1:-2", "=1", "ks0=1,ks0=2", "ks0=1.5", "missing.toml", ""])
def test_what_is_refused(text: str) -> None:
    with pytest.raises(AttError) as caught:
        read_shapes(text)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    "text",
    [
        "",
        "shapes = 1",
        "shape = 3",
        "grid = [1]",
        "[grid]\nks0 = 'a'",
        "[grid]\nks0 = [1.5]",
        "[grid]\nks0 = true",
        "[[shape]",
        "shape = [1]",
    ],
)
def test_files_that_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "s.toml"
    path.write_text(text)
    with pytest.raises(AttError, match=r"s\.toml") as caught:
        read_shapes(str(path))
    assert caught.value.exit_code == 2
