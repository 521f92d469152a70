"""Independent check of a plan: legality and cost, without any solver. Refuses a plan of another graph, template or chip."""

from __future__ import annotations

import argparse
from pathlib import Path

from att.cli.arguments import Parser, add_common, add_graphs, add_model, add_output, add_target
from att.cli.graphs import read_graph, request_of
from att.cli.output import complain
from att.cli.verdict import hand_over, violated


def configure(parser: Parser) -> None:
    """Options of `att check`."""
    add_graphs(parser, many=False)
    parser.add_argument("plan", metavar="PLAN.json", help="output of `att solve --json`")
    add_target(parser)
    add_model(parser)
    parser.set_defaults(cost=None, objective=None)
    add_output(parser, "write the checked plan as JSON to this file")
    add_common(parser)


def run(args: argparse.Namespace) -> int:
    """Prints the plan as checked; 1 if it breaks a constraint or its numbers are wrong."""
    from att.api import check_request
    from att.formats.files import as_text, read_bytes
    from att.solve.judge import check_plan
    from att.solve.plan import Plan

    plan = Plan.from_json(as_text(read_bytes(Path(args.plan)), args.plan), args.plan)
    request = request_of(args) if args.cost else check_request(plan, request_of(args))
    outcome = check_plan(read_graph(args.graph), plan, request)
    hand_over(outcome, args, request.chip.clock_mhz)
    if violated(outcome.plan):
        complain(f"{outcome.plan.graph}: the plan does not hold: {len(outcome.plan.violations)} violation(s)")
        return 1
    return 0
