"""What differs between the cost sets, and by how much: `python -m benchmarks.cost_sets [--write]`.

Examples of each fault, and whole kernels: every benchmark graph at one shape, the tiling that is best by the mended prices, priced by both.
`--write` puts the page into docs/cost_sets.md.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from att.chips import load_chip
from att.ir.graph import Template
from att.model.bind import bind
from att.model.build import build_model
from att.model.evaluate import evaluate
from att.model.options import ModelOptions
from att.ops.call import CostSet
from att.ops.estimated import estimated_ops
from att.ops.registry import OPS
from att.solve.base import SolveOptions
from att.solve.run import run
from benchmarks.cases import GraphCase, graph_cases
from benchmarks.cost_examples import FAULTS
from benchmarks.cost_faults import V1, V2, Fault
from schedule.generate import schedule_graph

PAGE: Final = Path(__file__).resolve().parents[1] / "docs" / "cost_sets.md"
NAMES: Final = {V1: "V1", V2: "V2"}

HEAD: Final = """# Cost sets

Written by `python -m benchmarks.cost_sets --write`. Times are modelled, in cycles; nothing here was measured on a device.

- `published` is the reference's table with its formulas as it evaluates them for symbolic shapes, faults and all. It equals the
  running reference on its recorded kernels ([fidelity.md](fidelity.md)). It serves comparisons.
- `mended` has the same constants with the faults corrected. An exact solver dives into every hole of a cost function, so `mended`
  has none that is known: every call costs something, more rows or longer vectors never cost less, and the model never promises
  less than a literal walk of the slowest core (`python -m benchmarks.walked`).

V1 is the table of arch 2201 (`ascend910b1` …), V2 that of arch 3510 (`ascend950pr`). Numbers are those of att_facts §5.1; rows
without one were found here.

"""

NOT_COVERED: Final = """
No. 31 and the costs of fused register kernels (VectorFunc) concern a form of kernel that is not made here, no. 23 concerns Nddma,
which is not made either. No. 9 is a fault of Gather: `published` loads its table twice and its indices never, and
casts as many indices as the table has elements; `mended` loads both once and casts each index once. No. 21 is a difference between
static and dynamic shapes: `mended` has none. No. 35 remains: both sets charge a V1 reduce by its elements. No. 1 to 8 were corrected
in the reference itself before its constants were taken.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kernel:
    """One tiling of one graph, priced by both sets."""

    case: str
    template: str
    published_cycles: float
    mended_cycles: float


def main(argv: Sequence[str] | None = None) -> int:
    """Prints or writes the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cost_sets", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write docs/cost_sets.md")
    options = parser.parse_args(argv)
    text = page()
    if options.write:
        PAGE.write_text(text, encoding="utf-8")
    sys.stdout.write(text)
    return 0


def page() -> str:
    """docs/cost_sets.md."""
    return HEAD + _faults() + NOT_COVERED + _estimates() + _kernels()


def _faults() -> str:
    lines = ["## Faults corrected", "", "| no. | table | example | published | mended | published, cycles | mended, cycles |"]
    lines += ["|---|---|---|---|---|---|---|", *(_fault_line(fault) for fault in FAULTS)]
    return "\n".join(lines) + "\n"


def _fault_line(fault: Fault) -> str:
    published, mended = (f"{fault.cycles(cost_set):,.1f}" for cost_set in (CostSet.PUBLISHED, CostSet.MENDED))
    number = fault.numbers or "–"
    return f"| {number} | {NAMES[fault.chip]} | {fault.example} | {fault.published} | {fault.mended} | {published} | {mended} |"


def _estimates() -> str:
    lines = [
        "",
        "## Estimates",
        "",
        "Ops that `mended` prices by numbers nobody published; plans list those they use as `estimated_ops`.",
        "",
    ]
    for name, table in NAMES.items():
        lines.append(f"- {table}: {', '.join(estimated_ops(OPS, load_chip(name), CostSet.MENDED))}")
    return "\n".join(lines) + "\n"


def _kernels() -> str:
    found = [kernel for case in _one_shape_each() if (kernel := best_kernel(case)) is not None]
    lines = ["", "## Whole kernels", "", f"The best tiling by `mended` on `{V1}`, priced by both sets.", ""]
    lines += ["| graph and shape | template | published, cycles | mended, cycles | mended / published |", "|---|---|---|---|---|"]
    lines += [
        f"| {k.case} | {k.template} | {k.published_cycles:,.0f} | {k.mended_cycles:,.0f} | {k.mended_cycles / k.published_cycles:.3f} |"
        for k in found
    ]
    return "\n".join(lines) + "\n"


def _one_shape_each() -> Iterator[GraphCase]:
    yield from graph_cases(".static")


def best_kernel(case: GraphCase) -> Kernel | None:
    """The best plan by the mended prices; None where nothing fits."""
    found = [kernel for template in schedule_graph(case.graph, load_chip(V1)).templates if (kernel := _optimum(template, case))]
    return min(found, key=lambda k: (k.mended_cycles, k.template), default=None)


def _optimum(template: Template, case: GraphCase) -> Kernel | None:
    chip = load_chip(V1)
    mended, published = (
        bind(build_model(template, chip, ModelOptions(cost_set=cost_set)), case.shape) for cost_set in (CostSet.MENDED, CostSet.PUBLISHED)
    )
    tiling = run(mended, "enumerate", SolveOptions()).tiling
    if tiling is None:
        return None
    cycles = [evaluate(problem, tiling).objective_ticks / 10**6 for problem in (published, mended)]
    return Kernel(case=case.label, template=template.name, published_cycles=cycles[0], mended_cycles=cycles[1])


if __name__ == "__main__":
    sys.exit(main())
