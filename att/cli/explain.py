"""Why the best plan is what it is; for a graph without a plan the rules that contradict each other, the UB it needs, and what helps."""

from __future__ import annotations

import argparse

from att.cli.arguments import (
    Merge,
    Parser,
    add_common,
    add_graphs,
    add_limits,
    add_model,
    add_output,
    add_shape,
    add_target,
    add_templates,
    pairs,
)
from att.cli.graphs import read_graph, request_of
from att.cli.output import complain, print_table, print_text, write_file

_EXIT_CODE = {"OPTIMAL": 0, "FEASIBLE": 3, "INFEASIBLE": 1, "TIMEOUT": 3, "UNSUPPORTED": 2}


def configure(parser: Parser) -> None:
    """Options of `att explain`."""
    add_graphs(parser, many=False)
    add_shape(parser)
    add_templates(parser)
    parser.add_argument("--fix", metavar="z0t_size=64", type=pairs, action=Merge, help="hold variables at a value")
    add_limits(parser)
    add_target(parser)
    add_model(parser)
    add_output(parser, "write the explanation as JSON to this file")
    add_common(parser)


def run(args: argparse.Namespace) -> int:
    """Prints the explanation; 1 if there is no plan to explain but only why, 3 if a limit left the plan without a proof."""
    from att.reasons.explain import explain

    request = request_of(args)
    found = explain(read_graph(args.graph), request)
    if args.output:
        write_file(args.output, found.to_json())
    if args.json:
        print_text(found.to_json())
    else:
        from att.report.explanation import explanation_tables

        print_table(explanation_tables(found, request.chip.clock_mhz))
    if found.status == "INFEASIBLE":
        complain(f"{found.graph}: no tiling is legal, {len(found.levers)} change(s) that help were found")
    elif found.status != "OPTIMAL":
        complain(f"{found.graph}: {found.summary[0]}")
    return _EXIT_CODE[found.status]
