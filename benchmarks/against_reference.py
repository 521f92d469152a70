"""Our plan beside the reference's, both by the published prices and with whole cores: `python -m benchmarks.against_reference [--write]`.

One row for each recorded graph and shape that the reference accepted. Tiles need no alignment, as there. A plan that is dearer than
the reference's has a reason that is computed, not listed: what its chosen template does that ours cannot. `--write` puts the table into
docs/against_reference.md.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from statistics import median
from typing import Final

from rich.console import Console

from att.api import solve
from att.chips import load_chip
from att.errors import InfeasibleError
from att.ir.graph import HintGraph
from att.model.bind import bind
from att.model.build import build_model
from att.model.check import check
from att.solve.plan import Plan
from benchmarks.fidelity import PACKED, PUBLISHED, Verdict, compare_rows
from benchmarks.recorded import CHIP_OF, DATA, RecordedRow, RecordedTemplate, recorded_rows
from benchmarks.recorded_graphs import recorded_graph
from schedule.cases import Kind
from schedule.generate import schedule_graph

PAGE: Final = Path(__file__).resolve().parents[1] / "docs" / "against_reference.md"
TICKS: Final = 10**6
CYCLES_PER_CORE: Final = {"2201": 300, "3510": 0}
"""Launch cost of the published sets (att_facts §3.1)."""
UB_USABLE_BYTES: Final = {"2201": 196608 - 256, "3510": 245760 - 256}
CORES: Final = 48
"""What the recorded chips had."""
RECORDED_CYCLES: Final = 0.01
"""Whole plans are recorded with two decimals."""
ROUNDING: Final = 1e-6
"""The reference holds its constants as float32 (att_facts §8)."""


class Reason(StrEnum):
    """Why our plan is dearer."""

    NONE = ""
    CALLS = "its template reads the number of partial results as an input"
    NO_BROADCAST = "its template reads the broadcast operand in place"
    BUFFERS = "its tiling does not fit our buffers"
    KERNELS = "it cuts the graph into two kernels through a workspace"
    UNKNOWN = "not explained"


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """One recorded row and our answer."""

    row: RecordedRow
    theirs_cycles: float
    ours_cycles: float | None
    """None without a plan."""
    template: str
    reason: Reason

    @property
    def ratio(self) -> float | None:
        """Ours by theirs."""
        return None if self.ours_cycles is None else self.ours_cycles / self.theirs_cycles


def main(argv: Sequence[str] | None = None) -> int:
    """Prints the table. 1 if our plan is dearer without a reason."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.against_reference", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the table to docs/against_reference.md")
    parser.add_argument("--only", default="", help="graphs whose name contains this")
    options = parser.parse_args(argv)
    found = tuple(matches(options.only))
    text = page(found)
    if options.write and not options.only:
        PAGE.write_text(text, encoding="utf-8")
    Console(width=170).print(text, markup=False, highlight=False)
    return int(any(match.reason is Reason.UNKNOWN for match in found))


def accepted_rows(folder: Path = DATA) -> tuple[RecordedRow, ...]:
    """Every row with a plan of the reference."""
    files = ("reference_tilings", "reference_real_graphs")
    return tuple(row for name in files for row in recorded_rows(name, folder) if row.accepted)


def matches(only: str = "", folder: Path = DATA) -> Iterator[Match]:
    """Our answer to every accepted row, in the order of the files."""
    for row in accepted_rows(folder):
        if only in row.graph:
            yield match(row, folder)


def match(row: RecordedRow, folder: Path = DATA) -> Match:
    """Our answer to one row."""
    theirs = whole_core_cycles(row)
    graph = recorded_graph(row.graph, folder)
    plan = _plan(row, graph)
    ours = plan.makespan_ticks / TICKS if plan and plan.makespan_ticks is not None else None
    dearer = ours is None or ours > theirs + max(RECORDED_CYCLES, ROUNDING * theirs)
    reason = _reason(row, graph, folder) if dearer else Reason.NONE
    return Match(row=row, theirs_cycles=theirs, ours_cycles=ours, template=(plan and plan.template) or "", reason=reason)


def _plan(row: RecordedRow, graph: HintGraph) -> Plan | None:
    """Our best plan; None where no tiling is legal."""
    chip = CHIP_OF[row.arch]
    ub_bytes = UB_USABLE_BYTES[row.arch] + load_chip(chip).ub_reserved_bytes
    try:
        return solve(graph, chip=chip, shape=row.sizes, cost="published", align="none", ub_bytes=ub_bytes, cores=CORES, cache=False)
    except InfeasibleError:
        return None


def whole_core_cycles(row: RecordedRow) -> float:
    """The reference's time with its core term rounded up; as recorded where its templates are not."""
    chosen = chosen_templates(row)
    if not chosen:
        return row.cycles
    return sum(max(t.pipes.values()) + CYCLES_PER_CORE[row.arch] * t.block_dim for t in chosen)


def chosen_templates(row: RecordedRow) -> tuple[RecordedTemplate, ...]:
    """The recorded templates that make up its plan, one for each kernel; () where they are not recorded."""
    if row.chosen:
        return tuple(t for label in row.chosen for t in row.templates if t.label == label)
    found = tuple(_chosen(row, i, values) for i, values in enumerate(row.groups))
    return tuple(t for t in found if t) if all(found) else ()


def _chosen(row: RecordedRow, kernel: int, values: Mapping[str, int]) -> RecordedTemplate | None:
    """Its values are those of the template; a second order of the axes (R) may have the same key."""
    labels = [t for t in row.templates if f"_g{kernel}_" in t.label and t.label.rpartition("_")[2].lstrip("R") == str(values["tiling_key"])]
    return next((t for t in labels if all(values.get(name) == size for name, size in t.variables.items())), None)


def _reason(row: RecordedRow, graph: HintGraph, folder: Path) -> Reason:
    chosen = {t.label for t in chosen_templates(row)}
    verdicts = {c.verdict for c in compare_rows(row.graph, [row], folder) if c.theirs.label in chosen}
    if row.graph.startswith("hc_post"):
        return Reason.KERNELS
    if Verdict.CALLS in verdicts:
        return Reason.CALLS
    if Verdict.NO_BROADCAST in verdicts:
        return Reason.NO_BROADCAST
    return Reason.BUFFERS if _overflows(row, graph) else Reason.UNKNOWN


def _overflows(row: RecordedRow, graph: HintGraph) -> bool:
    """Whether the tiling of the reference needs more UB in our template than there is."""
    chip = load_chip(CHIP_OF[row.arch])
    chip = replace(chip, ub_bytes=UB_USABLE_BYTES[row.arch] + chip.ub_reserved_bytes, vector_cores=CORES)
    tilings = [t.variables for t in chosen_templates(row)] or row.groups
    packs = any((row.graph, t.label) in PACKED for t in chosen_templates(row))
    for template in schedule_graph(graph, chip).templates:
        if template.name.startswith(Kind.UNALIGNED) is not packs:
            continue
        problem = bind(build_model(template, chip, PUBLISHED), row.sizes)
        names = {v.name for v in problem.variables}
        for values in tilings:
            if names <= set(values) <= names | {"tiling_key", "block_dim"}:
                return any(v.family == "ub_capacity" for v in check(problem, {name: values[name] for name in names}))
    return False


def page(found: Sequence[Match]) -> str:
    """docs/against_reference.md."""
    ratios = sorted(m.ratio for m in found if m.ratio is not None)
    dearer = [m for m in found if m.reason is not Reason.NONE]
    lines = [
        "# Our plans beside the reference's",
        "",
        "Written by `python -m benchmarks.against_reference --write`. Both sides by the published prices, whole cores, tiles",
        "without alignment; 48 cores, 192 KiB (arch 2201) or 240 KiB (arch 3510) of UB.",
        "",
        f"{len(found)} rows: {len(found) - len(dearer)} no dearer, {len(dearer)} dearer or without a plan of ours. Ratio ours / theirs:",
        f"median {median(ratios):.3f}, smallest {ratios[0]:.3f}, largest {ratios[-1]:.3f}.",
        "",
        *(f"- {sum(m.reason is reason for m in found)} dearer: {reason}" for reason in Reason if any(m.reason is reason for m in dearer)),
        "",
        "| arch | graph | shape | theirs, cycles | ours, cycles | ratio | our template | why dearer |",
        "|---|---|---|---|---|---|---|---|",
        *(_line(m) for m in found),
    ]
    return "\n".join(lines) + "\n"


def _line(m: Match) -> str:
    shape = ", ".join(str(size) for size in m.row.shape)
    ours, ratio = ("–", "–") if m.ours_cycles is None or m.ratio is None else (f"{m.ours_cycles:.1f}", f"{m.ratio:.4f}")
    return f"| {m.row.arch} | {m.row.graph} | {shape} | {m.theirs_cycles:.1f} | {ours} | {ratio} | {m.template} | {m.reason} |"


if __name__ == "__main__":
    sys.exit(main())
