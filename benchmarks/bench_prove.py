"""How many optima z3 certifies, and how fast: `python -m benchmarks.bench_prove [--only NAME] [--chips a,b] [--every N] [--seconds S]`.

Every template of every benchmark graph at every shape on every chip: CP-SAT solves it, then z3 has to show from the waist alone that no
tiling is faster (`att.verify.optimality`), or, where CP-SAT finds none, that none is legal. Prints the share per chip, times, and every
template that stays open. Seconds are those of the processor, since the machine may be shared; a proof that takes longer does not count.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from att.chips import load_chip
from att.model.bind import bind
from att.model.build import build_model
from att.model.options import ModelOptions
from att.model.tiling import Problem
from att.solve.base import SolveOptions, SolveStatus
from att.solve.candidates import candidates_of
from att.solve.request import make_request
from att.solve.run import run
from att.verify.optimality import search_faster
from att.verify.prove import Limits
from benchmarks.cases import CHIPS, graph_cases

UNITS = 60_000_000
"""z3 resource units for one template."""

PATIENCE = 30
"""How much longer than the processor the wall clock may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Certified:
    """What z3 said of one optimum."""

    label: str
    chip: str
    status: str
    """`proved`, `open`, or `REFUTED`, which would be a bug of CP-SAT or of the prover."""
    seconds: float
    intervals: int
    by_z3: int
    left: int
    """Cases left open."""


def problems(only: str, chip_name: str) -> Iterator[tuple[str, Problem]]:
    """Every template at every shape, bound."""
    chip = load_chip(chip_name)
    for case in graph_cases(only):
        for template in candidates_of(case.graph, make_request(chip=chip)).templates:
            yield f"{case.label} {template.name}", bind(build_model(template, chip, ModelOptions()), case.shape)


def certify(label: str, problem: Problem, seconds: float) -> Certified:
    """Asks z3 about the optimum that CP-SAT found."""
    found = run(problem, "cpsat", SolveOptions())
    assert found.status in (SolveStatus.OPTIMAL, SolveStatus.INFEASIBLE), label
    started_s = time.process_time()
    search = search_faster(problem, found.objective_ticks, Limits(units=UNITS, seconds=PATIENCE * seconds))
    used_s = time.process_time() - started_s
    return Certified(
        label=label,
        chip=problem.chip,
        status="REFUTED" if search.faster is not None else "open" if search.open or used_s > seconds else "proved",
        seconds=used_s,
        intervals=search.effort["cases_by_intervals"],
        by_z3=search.effort["cases_by_z3"],
        left=len(search.open),
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Prints the shares. 1 if fewer than 95 % are proved or anything is refuted."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench_prove", description=__doc__)
    parser.add_argument("--only", default="", help="graphs whose name contains this")
    parser.add_argument("--chips", default=",".join(CHIPS))
    parser.add_argument("--every", type=int, default=1, help="only every N-th template")
    parser.add_argument("--seconds", type=float, default=20.0, help="processor time for one template")
    parser.add_argument("-v", "--verbose", action="store_true", help="one line for each template")
    options = parser.parse_args(argv)
    found: list[Certified] = []
    for chip in options.chips.split(","):
        for index, (label, problem) in enumerate(problems(options.only, chip)):
            if index % options.every == 0:
                found.append(certify(label, problem, options.seconds))
                if options.verbose or found[-1].status != "proved":
                    print(_line(found[-1]), flush=True)
        _summarise(chip, [c for c in found if c.chip == chip])
    _summarise("all", found)
    proved = sum(c.status == "proved" for c in found)
    return 0 if proved >= 0.95 * len(found) and not any(c.status == "REFUTED" for c in found) else 1


def _line(c: Certified) -> str:
    return f"{c.status:8} {c.seconds:7.2f} s  {c.intervals:7} by intervals {c.by_z3:7} by z3 {c.left:6} left  {c.chip} {c.label}"


def _summarise(title: str, found: Sequence[Certified]) -> None:
    times = [c.seconds for c in found]
    if not times:
        return
    proved = sum(c.status == "proved" for c in found)
    p95 = sorted(times)[min(len(times) - 1, int(0.95 * len(times)))]
    share = f"{proved} of {len(found)} proved ({100 * proved / len(found):.1f} %)"
    print(f"{title}: {share}; median {statistics.median(times):.2f} s, p95 {p95:.2f} s, longest {max(times):.2f} s", flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
