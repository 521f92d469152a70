"""Proofs with z3: no tiling of the plan's template beats the plan, and the template fits for every shape in the declared ranges."""

from __future__ import annotations

import argparse
from pathlib import Path

from att.cli.arguments import Merge, Parser, add_common, add_graphs, add_limits, add_model, add_output, add_target, names, pairs
from att.cli.graphs import read_graph, request_of
from att.cli.output import complain, print_table, print_text, write_file

_EXIT_CODE = {"PROVED": 0, "REFUTED": 1, "UNKNOWN": 3}


def configure(parser: Parser) -> None:
    """Options of `att prove`."""
    add_graphs(parser, many=False)
    parser.add_argument("plan", metavar="PLAN.json", help="output of `att solve --json`")
    parser.add_argument(
        "--claims",
        metavar="optimal,fits",
        type=names,
        help="what to prove: no tiling is faster; the template fits every shape. Default both, the exit code then being that of the first",
    )
    parser.add_argument("--all-templates", action="store_true", help="that no tiling of any template beats the plan")
    parser.add_argument("--fix", metavar="z0t_size=64", type=pairs, action=Merge, help="only tilings with these values")
    add_limits(parser)
    add_target(parser)
    add_model(parser)
    parser.set_defaults(cost=None, objective=None)
    add_output(parser, "write the proof as JSON to this file")
    add_common(parser)


def run(args: argparse.Namespace) -> int:
    """Prints the proof; 0 if every claim is proved, 1 if one is refuted, 3 if one is open."""
    from att.formats.files import as_text, read_bytes
    from att.solve.plan import Plan
    from att.verify.proof import prove_plan

    plan = Plan.from_json(as_text(read_bytes(Path(args.plan)), args.plan), args.plan)
    request = request_of(args)
    proof = prove_plan(read_graph(args.graph), plan, request, args.claims, all_templates=args.all_templates)
    if args.output:
        write_file(args.output, proof.to_json())
    if args.json:
        print_text(proof.to_json())
    else:
        from att.report.proof import proof_tables

        print_table(proof_tables(proof, request.chip.clock_mhz))
    for claim in proof.claims:
        if claim.status == proof.status != "PROVED":
            complain(f"{proof.graph}: {claim.claim} is {claim.status}: {claim.text}")
    return _EXIT_CODE[proof.status]
