"""Writes the benchmark graphs as graph JSON: `python -m benchmarks.make_graphs`.

Every operator comes twice: `NAME.static.json` at one realistic size, `NAME.dynamic.json` with shape symbols for every axis that a serving
system varies. The stored files are compared with this code by a test.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from att.formats.graph_json import dumps
from att.ir.axis import Size
from att.ir.graph import HintGraph
from benchmarks.library import OPERATORS

FOLDER = Path(__file__).parent / "graphs"

STATIC_SIZES: Mapping[str, tuple[int, int]] = {
    "abs": (1024, 4096),
    "add_row": (2048, 7168),
    "add_col": (2048, 7168),
    "gelu": (1024, 4096),
    "swiglu": (1024, 2048),
    "softmax": (1024, 512),
    "log_softmax": (512, 2048),
    "layer_norm": (1024, 4096),
    "rms_norm": (1024, 4096),
    "reduce_all": (2048, 4096),
    "amax_keep": (4096, 1024),
    "hc_post": (512, 4096),
    "hc_pre_tail": (512, 7168),
}
"""Rows and columns of the static variants."""

LONGEST_ROW = 262144
"""Largest row a dynamic graph declares, elements (vocabularies of language models stay below)."""


def static_graph(name: str) -> HintGraph:
    """The static variant of an operator."""
    rows, columns = STATIC_SIZES[name]
    return OPERATORS[name]((), rows, columns)


def dynamic_graph(name: str) -> HintGraph:
    """The variant with rows `ks0` and columns `ks1` known at run time only."""
    sizes = (Size(name="ks0", maximum=2**20), Size(name="ks1", maximum=LONGEST_ROW))
    return OPERATORS[name](sizes, sizes[0].symbol, sizes[1].symbol)


def files() -> dict[str, str]:
    """File name to contents."""
    texts: dict[str, str] = {}
    for name in OPERATORS:
        texts[f"{name}.static.json"] = dumps(static_graph(name))
        texts[f"{name}.dynamic.json"] = dumps(dynamic_graph(name))
    return texts


def main() -> None:
    """Writes the files."""
    FOLDER.mkdir(exist_ok=True)
    for name, text in files().items():
        (FOLDER / name).write_text(text)


if __name__ == "__main__":
    main()
