"""The best plan over all templates, with its proof; one plan per shape with --shapes."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from att.cli.arguments import (
    SOLVERS,
    Merge,
    Parser,
    add_common,
    add_graphs,
    add_heuristic,
    add_limits,
    add_model,
    add_output,
    add_shape,
    add_target,
    add_templates,
    one_of,
    pairs,
)
from att.cli.graphs import for_each, for_each_shape, request_of
from att.cli.output import complain, print_table, print_text, worst, write_file
from att.cli.progress import tracked
from att.errors import UsageError

if TYPE_CHECKING:
    from att.ir.graph import HintGraph, Template
    from att.solve.assemble import Outcome
    from att.solve.plan_store import PlanStore


def configure(parser: Parser) -> None:
    """Options of `att solve`."""
    add_graphs(parser, many=True)
    add_shape(parser)
    parser.add_argument("--shapes", metavar="FILE.toml|k=v1:v2", help="several shapes, one plan each (see `att compare --help`)")
    parser.add_argument("--solver", metavar="|".join(SOLVERS), type=one_of(SOLVERS), default="cpsat", help="default cpsat")
    add_templates(parser)
    parser.add_argument("--fix", metavar="z0t_size=64", type=pairs, action=Merge, help="hold variables at a value")
    add_limits(parser)
    add_heuristic(parser)
    parser.add_argument("--no-cache", action="store_true", help="solve anew, and keep nothing for later")
    add_target(parser)
    add_model(parser)
    add_output(parser, "write the plan JSON (a list if there are several) to this file")
    add_common(parser)


def run(args: argparse.Namespace) -> int:
    """Solves, prints, and says by the exit code how far it came."""
    if args.shape is not None and args.shapes is not None:
        raise UsageError("--shape and --shapes exclude each other", where="att solve", hint="put every shape into --shapes")
    from att.solve.plan_cache import default_store

    store = None if args.no_cache else default_store()
    found, code = for_each(args.graphs, lambda graph: _solve(graph, args, store), "solving")
    outcomes = [outcome for _, (plans, _) in found for outcome in plans]
    _hand_over(outcomes, args)
    return worst((code, *(failed for _, (_, failed) in found), *map(_verdict, outcomes)))


def _solve(graph: HintGraph | Template, args: argparse.Namespace, store: PlanStore | None) -> tuple[list[Outcome], int]:
    """A plan for every shape, and the exit code of the shapes that allow none."""
    from att.cli.shapes import shapes_for
    from att.solve.drafts import Drafts
    from att.solve.plan_cache import cached_plan
    from att.solve.request import require_heuristic

    request = request_of(args)
    require_heuristic(request.limits, (request.solver,))
    shapes = [request.shape] if args.shapes is None else shapes_for(graph, args.shapes)
    drafts = Drafts()
    return for_each_shape(
        tracked(shapes, "shapes") if len(args.graphs) == 1 else shapes,
        lambda shape: cached_plan(graph, replace(request, shape=shape), store, drafts),
    )


def _hand_over(outcomes: list[Outcome], args: argparse.Namespace) -> None:
    several = args.shapes is not None or len(args.graphs) > 1
    if outcomes and (args.json or args.output):
        text = _json(outcomes, several=several)
        if args.output:
            write_file(args.output, text)
        if args.json:
            print_text(text)
    if not args.json:
        _print_tables(outcomes, request_of(args).chip.clock_mhz)


def _json(outcomes: list[Outcome], *, several: bool) -> str:
    texts = [outcome.plan.to_json().rstrip("\n") for outcome in outcomes]
    return "[\n" + ",\n".join(texts) + "\n]\n" if several else texts[0] + "\n"


def _print_tables(outcomes: list[Outcome], clock_mhz: int) -> None:
    from att.report.plan import plan_tables

    for outcome in outcomes:
        print_table(plan_tables(outcome.plan, clock_mhz, outcome.breakdown, outcome.why), "")


def _verdict(outcome: Outcome) -> int:
    """The exit code of one plan, with a sentence on stderr where it is not 0."""
    plan = outcome.plan
    from att.solve.no_tiling import NO_TILING, no_tiling, unproven

    if plan.status in NO_TILING:
        error = no_tiling(plan)
        complain(error)
        return error.exit_code
    if plan.status == "FEASIBLE" and outcome.stopped:
        complain(f"{plan.graph}: {unproven(plan)}")
        return 3
    return 0
