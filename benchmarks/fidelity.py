"""How our `published` prices compare with what the running reference recorded: `python -m benchmarks.fidelity [--write]`.

One row for each template that the reference solved: case, template, our and its pipes in cycles, our and its UB, and what they are to each
other. `--write` puts the summary into docs/fidelity.md.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table

from att.chips import load_chip
from att.ir.graph import HintGraph, Template
from att.model.bind import bind
from att.model.build import build_model
from att.model.evaluate import PhaseCost, evaluate
from att.model.options import ModelOptions
from att.model.tiling import TilingModel
from att.ops.call import CostSet
from att.ops.spec import Costs
from benchmarks.recorded import CHIP_OF, DATA, RecordedRow, RecordedTemplate, recorded_rows
from benchmarks.recorded_graphs import BF16, F32, hc_post_kernels, recorded_graph
from benchmarks.recorded_kernels import KERNELS, pipes_of
from schedule.cases import Kind
from schedule.generate import schedule_graph

PAGE: Final = Path(__file__).resolve().parents[1] / "docs" / "fidelity.md"
TICKS: Final = 10**6
WITHIN_CYCLES: Final = 0.01
WITHIN_RELATIVE: Final = 1e-6
"""The reference holds its constants as float32 (att_facts §8)."""
PIPES: Final = ("MTE2", "VEC", "MTE3")
PUBLISHED: Final = ModelOptions(cost_set=CostSet.PUBLISHED, align_bytes=None)
"""The reference's tiles need no alignment (att_facts §2.3)."""
PACKED: Final = frozenset(
    {("addbrc_row", "result0_g0_2"), ("addbrc_col", "result0_g0_2"), ("addbrc_mid", "result0_g0_3"), ("addbrc_mid", "result0_g0_4")}
)
"""Graph and label of recorded templates whose rows lie side by side in UB; their variables are those of a general one."""


class Verdict(StrEnum):
    """What a recorded template is to ours."""

    SAME = "same times, same UB"
    BUFFERS = "same times, other buffers"
    NO_BROADCAST = "reads the broadcast operand in place"
    CALLS = "not scheduled here; same times from its calls"
    LAYOUT = "other layout in UB"
    LACKING = "no such template here"
    DIFFERENT = "different"


REASONS: Final[Mapping[Verdict, str]] = {
    Verdict.SAME: "every pipe within 0.01 cycle or 1e-6 of it, UB to the byte",
    Verdict.BUFFERS: (
        "the pipes agree; the reference keeps one buffer, not two, for what it charges once a core and we load more often, reads a "
        "single element in place, and shares buffers among other values than we do"
    ),
    Verdict.NO_BROADCAST: "its vector op takes the operand with stride 0; our template has the same times when its Broadcast is free",
    Verdict.CALLS: (
        "the second of two phases, where the number of partial results is an input; priced from its calls written out by hand "
        "(`recorded_kernels.py`), every pipe agrees"
    ),
    Verdict.LAYOUT: (
        "single elements of the weights lie 32 bytes apart in its UB, side by side in ours: other rows in their Load and Broadcast"
    ),
    Verdict.LACKING: "Transpose, or a kernel after a cut through a workspace that our one kernel does not need",
    Verdict.DIFFERENT: "not explained",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One recorded template beside ours."""

    case: str
    theirs: RecordedTemplate
    template: str
    """Ours; "" without one."""
    pipes: Mapping[str, float]
    """Cycles of ours."""
    ub_bytes: int | None
    verdict: Verdict


def main(argv: Sequence[str] | None = None) -> int:
    """Prints the table. 1 if a difference is not explained."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fidelity", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the summary to docs/fidelity.md")
    options = parser.parse_args(argv)
    found = tuple(compare_all())
    if options.write:
        PAGE.write_text(page(found), encoding="utf-8")
    console = Console(width=190)
    console.print(_table(found))
    console.print(summary(found))
    return int(any(row.verdict is Verdict.DIFFERENT for row in found))


def compare_all(folder: Path = DATA) -> Iterator[Compared]:
    """Every recorded template, the small graphs first."""
    for name in ("reference_tilings", "reference_real_graphs"):
        rows = [row for row in recorded_rows(name, folder) if row.templates]
        for graph in dict.fromkeys(row.graph for row in rows):
            yield from compare_rows(graph, [row for row in rows if row.graph == graph], folder)


def compare_rows(name: str, rows: Sequence[RecordedRow], folder: Path = DATA) -> Iterator[Compared]:
    """Every recorded template of some rows of one graph."""
    costs = Costs(chip=load_chip(CHIP_OF["2201"]), cost_set=CostSet.PUBLISHED)
    models = _models(name, costs, folder)
    for row in rows:
        for template in row.templates:
            yield _compare(row, template, models, costs)


def _models(name: str, costs: Costs, folder: Path) -> Mapping[str, tuple[TilingModel, ...]]:
    """Our models by the group of kernels in a label: "" for graphs that stay one kernel."""
    if name == "transpose":
        return {}
    if name.startswith("hc_post"):
        first, second = hc_post_kernels(F32 if name == "hc_post" else BF16)
        return {"result0_g0": _templates(first, costs), "result0_g1": _templates(second, costs)}
    return {"": _templates(recorded_graph(name, folder), costs)}


def _templates(graph: HintGraph, costs: Costs) -> tuple[TilingModel, ...]:
    """A model of every template, and of the first phase alone of those with two: the recorded ones are kernels of one phase."""
    found = (template if len(template.phases) == 1 else _first_phase(template) for template in schedule_graph(graph, costs.chip).templates)
    return tuple(build_model(template, costs.chip, PUBLISHED) for template in found)


def _first_phase(template: Template) -> Template:
    return replace(template, name=f"{template.name} phase 0", phases=template.phases[:1])


def _compare(row: RecordedRow, theirs: RecordedTemplate, models: Mapping[str, tuple[TilingModel, ...]], costs: Costs) -> Compared:
    by_hand = KERNELS.get((row.graph, theirs.label))
    if by_hand is not None:
        pipes = pipes_of(by_hand(row.shape, theirs.variables, theirs.block_dim), theirs.block_dim, costs)
        verdict = Verdict.CALLS if _agree(pipes, theirs.pipes) else Verdict.DIFFERENT
        return _compared(row, theirs, "", pipes, None, verdict)
    group = theirs.label.rpartition("_")[0]
    packs = (row.graph, theirs.label) in PACKED
    ours = tuple(m for m in models.get("", models.get(group, ())) if m.template.startswith(Kind.UNALIGNED) is packs)
    model = _matching(ours, theirs, renamed=group == "result0_g1")
    if model is None:
        return _compared(row, theirs, "", {}, None, Verdict.LACKING)
    names = dict(zip((v.name for v in model.variables), _their_names(model, renamed=group == "result0_g1"), strict=True))
    (phase,) = evaluate(bind(model, row.sizes), {ours: theirs.variables[name] for ours, name in names.items()}).phases
    return _compared(row, theirs, model.template, _cycles(phase), phase.ub_bytes, _verdict(row, theirs, phase))


def _compared(
    row: RecordedRow, theirs: RecordedTemplate, template: str, pipes: Mapping[str, float], ub_bytes: int | None, verdict: Verdict
) -> Compared:
    return Compared(case=row.label, theirs=theirs, template=template, pipes=pipes, ub_bytes=ub_bytes, verdict=verdict)


def _matching(models: tuple[TilingModel, ...], theirs: RecordedTemplate, *, renamed: bool) -> TilingModel | None:
    return next((m for m in models if set(_their_names(m, renamed=renamed)) == set(theirs.variables)), None)


def _their_names(model: TilingModel, *, renamed: bool) -> tuple[str, ...]:
    """Names of our variables over there, where the second kernel of a graph keeps the axis numbers of the whole."""
    shift = str.maketrans({"1": "2", "2": "3"}) if renamed else {}
    return tuple(v.name.translate(shift) for v in model.variables)


def _verdict(row: RecordedRow, theirs: RecordedTemplate, phase: PhaseCost) -> Verdict:
    if _agree(_cycles(phase), theirs.pipes):
        return Verdict.SAME if phase.ub_bytes == theirs.ub_bytes else Verdict.BUFFERS
    if _agree(_cycles(phase, free="broadcast"), theirs.pipes):
        return Verdict.NO_BROADCAST
    weights_apart = row.graph.startswith("hc_post") and theirs.label.startswith("result0_g0")
    return Verdict.LAYOUT if weights_apart else Verdict.DIFFERENT


def _cycles(phase: PhaseCost, free: str = "-") -> dict[str, float]:
    return {
        pipe.pipe.value: (pipe.ticks - sum(t for node, t in pipe.nodes.items() if node.startswith(free))) / TICKS for pipe in phase.pipes
    }


def _agree(ours: Mapping[str, float], theirs: Mapping[str, float]) -> bool:
    return set(ours) == set(theirs) and all(abs(ours[p] - t) <= max(WITHIN_CYCLES, WITHIN_RELATIVE * t) for p, t in theirs.items())


def summary(found: Sequence[Compared]) -> str:
    """How many templates have each verdict."""
    counts = Counter(row.verdict for row in found)
    return "\n".join(f"{counts[verdict]:4}  {verdict}" for verdict in Verdict)


def page(found: Sequence[Compared]) -> str:
    """docs/fidelity.md."""
    graphs = list(dict.fromkeys(row.case.partition(" ")[0] for row in found))
    shown = [verdict for verdict in Verdict if any(row.verdict is verdict for row in found)]
    lines = [
        "# The published cost set beside the reference",
        "",
        "Written by `python -m benchmarks.fidelity --write`; without `--write` it prints every row.",
        f"The reference recorded {len(found)} solved templates of {len(graphs)} graphs: variables, UB and the time of each pipe.",
        "Ours are evaluated at its variables.",
        "",
        "| templates | what they are | how |",
        "|---|---|---|",
        *(f"| {sum(row.verdict is v for row in found)} | {v} | {REASONS[v]} |" for v in shown),
        "",
        "| graph | " + " | ".join(shown) + " |",
        "|---|" + "---|" * len(shown),
        *(f"| {graph} | " + " | ".join(_cell(found, graph, v) for v in shown) + " |" for graph in graphs),
        "",
        "The core term is outside: the reference charges 300 cycles times unrounded cores, we charge whole cores.",
    ]
    return "\n".join(lines) + "\n"


def _cell(found: Sequence[Compared], graph: str, verdict: Verdict) -> str:
    count = sum(row.verdict is verdict and row.case.partition(" ")[0] == graph for row in found)
    return str(count) if count else ""


def _table(found: Sequence[Compared]) -> Table:
    table = Table(title="our published prices / the recorded ones, cycles and bytes")
    for column in ("case", "recorded template", "our template", *PIPES, "UB", "verdict"):
        table.add_column(column, justify="left" if column in {"case", "recorded template", "our template", "verdict"} else "right")
    for row in found:
        pipes = (f"{_number(row.pipes.get(p))} / {_number(row.theirs.pipes.get(p))}" for p in PIPES)
        ub = f"{'-' if row.ub_bytes is None else row.ub_bytes} / {row.theirs.ub_bytes}"
        table.add_row(row.case, row.theirs.label, row.template, *pipes, ub, row.verdict)
    return table


def _number(cycles: float | None) -> str:
    return "-" if cycles is None else f"{cycles:.2f}"


if __name__ == "__main__":
    sys.exit(main())
