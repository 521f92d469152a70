"""Compiles the emitted kernel against the CPU model of AscendC, runs it with the plan, compares it with numpy and with the model."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from att import late
from att.cli.arguments import (
    SOLVERS,
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
    integer,
    one_of,
    pairs,
)
from att.cli.graphs import read_graph, request_of
from att.cli.output import complain, print_table, print_text, write_file
from att.errors import UsageError


def configure(parser: Parser) -> None:
    """Options of `att run`."""
    add_graphs(parser, many=False)
    add_shape(parser)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--all-templates", action="store_true", help="run every template with its own best tiling")
    which.add_argument("--tiling", metavar="z0t_size=64,z0Tb_size=2", type=pairs, action=Merge, help="run this tiling; nothing is solved")
    which.add_argument("--plan", metavar="PLAN.json", help="run this plan; nothing is solved")
    parser.add_argument("--seed", metavar="N", type=integer, default=0, help="of the random inputs, default 0")
    parser.add_argument("--cache", metavar="DIR", help="folder of compiled kernels, default the user's cache")
    parser.add_argument("--solver", metavar="|".join(SOLVERS), type=one_of(SOLVERS), default="cpsat", help="default cpsat")
    add_templates(parser)
    add_limits(parser)
    add_target(parser)
    add_model(parser)
    add_output(parser, "write the JSON document to this file")
    add_common(parser)


def run(args: argparse.Namespace) -> int:
    """Prints what was found; 4 if a kernel is wrong, because then a template or its emission is."""
    if args.seed < 0:
        raise UsageError(f"--seed {args.seed} is negative", where="att run", hint="use 0 or more")
    options = late.resolve("run_options")(
        seed=args.seed,
        all_templates=args.all_templates,
        tiling=args.tiling or {},
        plan=_plan(args.plan),
        cache=Path(args.cache) if args.cache else None,
    )
    document: Mapping[str, Any] = late.resolve("run")(read_graph(args.graph), request_of(args), options)
    text = json.dumps(document, indent=2)
    if args.output:
        write_file(args.output, text + "\n")
    if args.json:
        print_text(text)
    else:
        from att.report.run import run_tables

        print_table(run_tables(document))
    return 0 if document["ok"] else _complaint(document)


def _plan(path: str | None) -> object:
    if path is None:
        return None
    from att.formats.files import as_text, read_bytes
    from att.solve.plan import Plan

    return Plan.from_json(as_text(read_bytes(Path(path)), path), path)


def _complaint(document: Mapping[str, Any]) -> int:
    for entry in document["runs"]:
        for sentence in entry["complaints"][:3]:
            complain(f"{document['graph']}, template {entry['template']}: {sentence}")
    return 4
