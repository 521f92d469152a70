"""How many optima z3 certifies, and how fast: `python -m benchmarks.bench_prove [--only NAME] [--chips a,b] [--part I/N] [--log FILE]`.

Every template of every benchmark graph at every shape on every chip: CP-SAT solves it, then z3 has to show from the waist alone that no
tiling is faster (`att.verify.optimality`), or, where CP-SAT finds none, that none is legal. Prints the share per chip, times, and every
template that stays open. Seconds are those of the processor, since the machine may be shared; a proof that takes longer does not count.
The whole set takes five minutes of it: `--log` keeps what is done, and a run that finds its line there does not ask again.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """What earlier runs certified, one JSON object a line; nothing without a path."""

    path: Path | None
    done: Mapping[tuple[str, str], Certified]
    """By chip and label."""

    def write(self, found: Certified) -> None:
        """Adds a line."""
        if self.path is not None:
            with self.path.open("a") as lines:
                lines.write(json.dumps(asdict(found)) + "\n")


def read_log(path: Path | None) -> Log:
    """The log of earlier runs; empty if there is none."""
    lines = path.read_text().splitlines() if path is not None and path.exists() else []
    found = [Certified(**json.loads(line)) for line in lines]
    return Log(path=path, done={(c.chip, c.label): c for c in found})


def main(argv: Sequence[str] | None = None) -> int:
    """Prints the shares. 1 if fewer than 95 % are proved or anything is refuted."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench_prove", description=__doc__)
    parser.add_argument("--only", default="", help="graphs whose name contains this")
    parser.add_argument("--chips", default=",".join(CHIPS))
    parser.add_argument("--part", type=_part, default=(1, 1), metavar="I/N", help="of every N templates the I-th")
    parser.add_argument("--log", type=Path, help="keep what is done here, and go on from it")
    parser.add_argument("--seconds", type=float, default=20.0, help="processor time for one template")
    parser.add_argument("-v", "--verbose", action="store_true", help="one line for each template")
    options = parser.parse_args(argv)
    log = read_log(options.log)
    found: list[Certified] = []
    for chip in options.chips.split(","):
        for certified in _certify_all(chip, options.only, options.part, options.seconds, log):
            found.append(certified)
            if options.verbose or certified.status != "proved":
                print(_line(certified), flush=True)
        _summarise(chip, [c for c in found if c.chip == chip])
    _summarise("all", found)
    proved = sum(c.status == "proved" for c in found)
    return 0 if proved >= 0.95 * len(found) and not any(c.status == "REFUTED" for c in found) else 1


def _part(text: str) -> tuple[int, int]:
    number, of = (int(n) for n in text.split("/"))
    if not 1 <= number <= of:
        raise ValueError
    return number, of


def _certify_all(chip: str, only: str, part: tuple[int, int], seconds: float, log: Log) -> Iterator[Certified]:
    """Every template of a part, from the log where it is there."""
    for index, (label, problem) in enumerate(problems(only, chip)):
        if index % part[1] == part[0] - 1:
            done = log.done.get((chip, label))
            if done is None:
                done = certify(label, problem, seconds)
                log.write(done)
            yield done


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
