"""What a given tiling costs and whether it is legal."""

from __future__ import annotations

import argparse

from att.cli.arguments import Merge, Parser, add_common, add_graphs, add_model, add_output, add_shape, add_target, pairs
from att.cli.graphs import read_graph, request_of
from att.cli.output import complain
from att.cli.verdict import hand_over, violated


def configure(parser: Parser) -> None:
    """Options of `att evaluate`."""
    add_graphs(parser, many=False)
    parser.add_argument("--tiling", metavar="z0t_size=64,z0Tb_size=2", type=pairs, action=Merge, required=True, help="every variable")
    parser.add_argument("--template", metavar="T", help="the template, where the variables do not decide it")
    add_shape(parser)
    add_target(parser)
    add_model(parser)
    add_output(parser, "write the plan JSON to this file")
    add_common(parser)


def run(args: argparse.Namespace) -> int:
    """Prints the plan of the tiling; 1 if it breaks a constraint."""
    from att.solve.judge import evaluate_tiling

    request = request_of(args)
    outcome = evaluate_tiling(read_graph(args.graph), args.tiling, request)
    hand_over(outcome, args, request.chip.clock_mhz)
    if violated(outcome.plan):
        complain(f"{outcome.plan.graph}: the tiling breaks {len(outcome.plan.violations)} constraint(s)")
        return 1
    return 0
