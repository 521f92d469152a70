"""`--shapes`: a grid such as `ks0=1:64:1000,ks1=1024`, or a TOML file.

[[shape]]           # one shape each
ks0 = 64
ks1 = 1024

[grid]              # every combination
ks0 = [1, 64, 1000]
ks1 = 1024
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, cast

from att.cli.config import read_toml
from att.errors import UsageError

if TYPE_CHECKING:
    from att.ir.graph import HintGraph, Template

Shape = dict[str, int]
EXAMPLE = "write ks0=1:64:1000 or name a TOML file with [[shape]] tables or a [grid] table"


def shapes_for(graph: HintGraph | Template, text: str) -> list[Shape]:
    """The shapes that matter to a graph: the given ones without sizes it does not have, each once, in order.

    Raises UsageError or ParseError if the text is no list of shapes, or the graph has none of the sizes it names.
    """
    from att.solve.shapes import graph_name, sizes_of

    given = read_shapes(text)
    names = [size.name for size in sizes_of(graph)]
    used = {name for shape in given for name in shape}
    if names and not used & set(names):
        raise UsageError(
            f"--shapes gives {', '.join(sorted(used))}", where=graph_name(graph), hint=f"sizes of the graph: {', '.join(names)}"
        )
    kept = [{name: value for name, value in shape.items() if name in names} for shape in given]
    return [shape for index, shape in enumerate(kept) if shape not in kept[:index]]


def read_shapes(text: str) -> list[Shape]:
    """All shapes that a `--shapes` argument describes."""
    shapes = _grid(_grid_axes(text), text) if "=" in text else _from_file(text)
    if not shapes:
        raise UsageError("it lists no shapes", where=f"--shapes {text}", hint=EXAMPLE)
    return shapes


def _grid_axes(text: str) -> dict[str, Sequence[object]]:
    axes: dict[str, Sequence[object]] = {}
    for part in text.split(","):
        name, _, values = part.partition("=")
        if not name.strip() or name.strip() in axes:
            raise UsageError(f"{part!r} has no name of its own", where="--shapes", hint=EXAMPLE)
        axes[name.strip()] = [int(v) if v.isascii() and v.isdecimal() else v for v in values.split(":")]
    return axes


def _grid(axes: Mapping[str, Sequence[object]], where: str) -> list[Shape]:
    for name, values in axes.items():
        for value in values:
            _require_size(name, value, where)
    return [cast("Shape", dict(zip(axes, combination, strict=True))) for combination in product(*axes.values())]


def _require_size(name: str, value: object, where: str) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise UsageError(f"{name} = {value!r} is not a size", where=f"--shapes {where}", hint=EXAMPLE)


def _from_file(path: str) -> list[Shape]:
    table = read_toml(path)
    unknown = sorted(set(table) - {"shape", "grid"})
    if unknown or not table:
        raise UsageError(f"unknown key {unknown[0]}" if unknown else "it is empty", where=path, hint=EXAMPLE)
    listed: object = table.get("shape", [])
    grid: object = table.get("grid", {})
    if not isinstance(listed, list) or not isinstance(grid, dict):
        raise UsageError("shape is not a list of tables, or grid is not a table", where=path, hint=EXAMPLE)
    single = [_as_axes(entry, path) for entry in cast("list[object]", listed)]
    axes = _as_axes(cast("object", grid), path)
    return [shape for entry in single for shape in _grid(entry, path)] + (_grid(axes, path) if axes else [])


def _as_axes(entry: object, path: str) -> dict[str, Sequence[object]]:
    if not isinstance(entry, dict):
        raise UsageError(f"{entry!r} is not a table of sizes", where=path, hint=EXAMPLE)
    pairs = cast("dict[str, object]", entry)
    return {name: cast("list[object]", value) if isinstance(value, list) else [value] for name, value in pairs.items()}
