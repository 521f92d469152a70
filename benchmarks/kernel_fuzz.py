"""Random graphs, shapes and legal tilings on the CPU model: `python -m benchmarks.kernel_fuzz --minutes 60`.

Every graph is emitted and compiled once and run with every template at two shapes with random tilings. A wrong run is printed with the seed
that makes it again (`--seed N --graphs 1`). Exits with 1 if there was any.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from pathlib import Path

from att.chips import load_chip
from att.errors import AttError, BackendBug, GraphError, ScheduleError
from att.model.bind import bind
from att.model.build import build_model
from att.model.options import ModelOptions
from att.ops.call import CostSet
from att.ops.spec import Costs
from benchmarks.random_graphs import ELEMENTS_MAX, RandomChoices, random_graph, random_shape
from benchmarks.tilings import elements, random_tilings
from codegen.driver import build, check_run, make_case
from hwmodels.model import Chip
from schedule.generate import schedule_graph


def fuzz(seed: int, chip: Chip, cache: Path | None, counts: Counter[str]) -> list[str]:
    """Everything that is wrong with the graph of one seed."""
    choices = RandomChoices(seed)
    costs = Costs(chip=chip, cost_set=CostSet.MENDED)
    try:
        graph = random_graph(choices, f"g{seed}")
        templates = schedule_graph(graph, chip).templates
    except (GraphError, ScheduleError):
        counts["not scheduled"] += 1
        return []
    except AttError as error:
        return [f"not scheduled: {error}"]
    try:
        built = build(graph.name, templates, costs, cache)
    except BackendBug as bug:
        return [f"does not compile: {bug}"]
    except AttError as error:
        counts[f"not emitted: {error.message.partition(':')[2][:60] or error.message[:60]}"] += 1
        return []
    wrong: list[str] = []
    counts["graphs"] += 1
    for _ in range(2):
        shape = random_shape(choices, graph)
        if elements(graph, shape) > ELEMENTS_MAX:
            counts["too large"] += 1
            continue
        try:
            case = make_case(graph, shape, seed)
        except AttError:
            counts["not finite"] += 1
            continue
        for template in templates:
            problem = bind(build_model(template, chip, ModelOptions(align_bytes=None, few_rows=False)), shape)
            for tiling in random_tilings(problem, 3, random.Random(seed), tries=40):
                done = check_run(built, case, template, tiling)
                counts["runs"] += 1
                if not done.ok:
                    wrong.append(f"{template.name} {shape} {tiling}: {done.complaints()[0]}")
    return wrong


def main() -> int:
    """Runs until the time or the number of graphs is reached."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--graphs", type=int, default=10**9)
    parser.add_argument("--seed", type=int, default=0, help="of the first graph")
    parser.add_argument("--chip", default="ascend910b1")
    parser.add_argument("--cache", type=Path)
    args = parser.parse_args()
    chip, counts, end = load_chip(args.chip), Counter[str](), time.monotonic() + 60 * args.minutes
    wrong = 0
    for seed in range(args.seed, args.seed + args.graphs):
        if time.monotonic() > end:
            break
        found = fuzz(seed, chip, args.cache, counts)
        wrong += len(found)
        for line in found[:2]:
            print(f"seed {seed}: {line}", flush=True)
    print(", ".join(f"{count} {what}" for what, count in counts.most_common()) + f", {wrong} wrong", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
