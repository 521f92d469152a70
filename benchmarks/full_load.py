"""Rows that stay whole in UB beside rows that are cut, and one row shared among cores: which template is faster, by the model.

    python -m benchmarks.full_load [--write]

For every operator that reduces rows and each shape: the proven optimum of full load, and of the fastest template that cuts the reduced
axis (general accumulates, chunked walks once per reduce, online once less, r_split and its kin share a row among cores). Then a sum of
ten million elements by one core and by all. `--write` rewrites docs/full_load.md; a test compares it with the code.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from att.chips import load_chip
from att.formats.builder import GraphBuilder
from att.ir.dtype import DType
from att.model.bind import bind
from att.model.build import build_model
from att.model.evaluate import CostBreakdown, evaluate
from att.model.options import ModelOptions
from att.ops.call import Pipe
from att.solve.base import SolveOptions
from att.solve.run import run
from benchmarks.make_graphs import dynamic_graph
from hwmodels.model import Chip
from schedule.generate import schedule_graph

PAGE: Final = Path(__file__).resolve().parents[1] / "docs" / "full_load.md"
GRAPHS: Final = ("softmax", "layer_norm", "rms_norm", "amax_keep")
SHAPES: Final = ((1024, 512), (64, 4096), (4096, 1024), (48, 12288), (8, 50257))

SUMMED_ELEMS: Final = 10**7
SUMMED_TYPES: Final = (DType.FLOAT32, DType.BFLOAT16)

FULL_LOAD: Final = "full_load"


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One graph at one shape: modelled time of both ways, us; None where no tile fits."""

    graph: str
    rows: int
    columns: int
    whole_us: float | None
    cut_us: float | None
    cut: str
    """The fastest template that cuts the reduced axis."""

    @property
    def gain(self) -> float | None:
        """How many times as fast full load is; None where only one way exists."""
        return self.cut_us / self.whole_us if self.whole_us and self.cut_us else None


def compared(graph: str, shape: tuple[int, int], chip: Chip) -> Compared:
    """The proven optima of all templates of a graph at a shape."""
    rows, columns = shape
    times: dict[str, float] = {}
    for template in schedule_graph(dynamic_graph(graph), chip).templates:
        problem = bind(build_model(template, chip, ModelOptions()), {"ks0": rows, "ks1": columns})
        found = run(problem, "enumerate", SolveOptions())
        if found.objective_ticks is not None:
            times[template.name] = found.objective_ticks / 10**6 / float(chip.clock_mhz)
    whole = [us for name, us in times.items() if name.startswith(FULL_LOAD)]
    others = {name: us for name, us in times.items() if not name.startswith(FULL_LOAD)}
    cut = min(others, key=lambda name: others[name], default="")
    return Compared(graph=graph, rows=rows, columns=columns, whole_us=min(whole, default=None), cut_us=others.get(cut), cut=cut)


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedSum:
    """A sum of all elements by one core and by many: modelled time, us."""

    dtype: DType
    one_core: CostBreakdown
    shared: CostBreakdown
    clock_mhz: int

    @property
    def gain(self) -> float:
        """How many times as fast all cores are."""
        return self.one_core.objective_ticks / self.shared.objective_ticks

    @property
    def load_gain(self) -> float:
        """How many times as long one core loads as each of many does."""
        alone, each = (next(p.ticks for p in cost.phases[0].pipes if p.pipe is Pipe.MTE2) for cost in (self.one_core, self.shared))
        return alone / each


def shared_sum(dtype: DType, chip: Chip) -> SharedSum:
    """The proven optima of general and r_split for the sum of `SUMMED_ELEMS` elements, in float32."""
    g = GraphBuilder(f"sum_{dtype}", {"n": SUMMED_ELEMS})
    x = g.load("x", ("n",), dtype)
    g.store("y", g.reduce("Sum", x if dtype is DType.FLOAT32 else g.cast(x, DType.FLOAT32), "n"))
    costs: dict[str, CostBreakdown] = {}
    for template in schedule_graph(g.build(), chip).templates:
        problem = bind(build_model(template, chip, ModelOptions()), {})
        found = run(problem, "enumerate", SolveOptions())
        if found.tiling is not None:
            costs[template.name] = evaluate(problem, found.tiling)
    return SharedSum(dtype=dtype, one_core=costs["general.z0"], shared=costs["r_split.z0"], clock_mhz=int(chip.clock_mhz))


def sum_text(found: SharedSum) -> str:
    """Its line of the table."""
    alone_us, shared_us = (c.objective_ticks / 10**6 / found.clock_mhz for c in (found.one_core, found.shared))
    launch = sum(phase.launch_ticks for phase in found.shared.phases) / found.shared.objective_ticks
    return (
        f"| {found.dtype} | {alone_us:.2f} | {shared_us:.2f} | {found.shared.block_dim} | {found.gain:.1f} times as fast "
        f"| {found.load_gain:.1f} times as fast | {100 * launch:.0f} % |"
    )


def page(chip: Chip) -> str:
    """The text of docs/full_load.md."""
    lines = [
        "# Full load beside cut rows",
        "",
        "Written by `python -m benchmarks.full_load --write`; a test keeps it so. Times are modelled optima of the default prices on "
        f"{chip.name},",
        "proven by enumeration. Full load keeps a row whole in UB; the other column is the fastest template that cuts the reduced axis:",
        "general accumulates over it, chunked walks it once per reduce, online once less; r_split, r_split_again and r_split_online share",
        "it among cores.",
        "",
        "| graph | rows x columns | full load, us | cut, us | by | full load is |",
        "|---|---|---|---|---|---|",
        *(row_text(compared(graph, shape, chip)) for graph in GRAPHS for shape in SHAPES),
        "",
        "A row that is needed twice is loaded once by full load, and once per reduce by chunked. What a single reduce needs is loaded once",
        "either way; then cutting costs the merges, and pays where few rows leave cores idle. Rows of which no two fit can only be cut.",
        "",
        f"## A sum of {SUMMED_ELEMS:,} elements",
        "",
        "By the same command: general gives the one row to one core, r_split gives each core a part of it and adds up what they found.",
        "",
        "| dtype | general, us | r_split, us | cores | r_split is | a core's loads are | launch, of r_split |",
        "|---|---|---|---|---|---|---|",
        *(sum_text(shared_sum(dtype, chip)) for dtype in SUMMED_TYPES),
        "",
        "The cores share the bandwidth of GM: for tiles that fill UB one core alone loads up to 25.8 bytes a cycle, each of 48 up to 10.2",
        "(9.9074 + 15.896 / cores, att_facts §3.5), so that loads gain about 20 times and not 48. Launch costs 300 cycles a core (§3.1).",
        "In bfloat16 a tile has half the bytes, with which one core is slower; but VEC holds it up, which gains more from the other cores.",
        "",
    ]
    return "\n".join(lines)


def row_text(found: Compared) -> str:
    """Its line of the table."""
    whole, cut = (f"{us:.2f}" if us is not None else "does not fit" for us in (found.whole_us, found.cut_us))
    gain = "" if found.gain is None else f"{found.gain:.2f} times as fast"
    return f"| {found.graph} | {found.rows} x {found.columns} | {whole} | {cut} | {found.cut} | {gain} |"


def main(argv: Sequence[str] | None = None) -> int:
    """Prints the page, or writes it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.full_load", description=__doc__)
    parser.add_argument("--write", action="store_true", help="rewrite docs/full_load.md")
    options = parser.parse_args(argv)
    text = page(load_chip("ascend910b1"))
    if options.write:
        PAGE.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
