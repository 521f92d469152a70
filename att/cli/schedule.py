"""All templates of a graph, with axes, groups, loop order and buffers, and those dropped with the reason."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from att.cli.arguments import Parser, add_common, add_graphs, add_model, add_output, add_target
from att.cli.graphs import read_graph, request_of
from att.cli.output import make_folder, print_table, print_text, write_file

if TYPE_CHECKING:
    from att.ir.graph import Candidates


def configure(parser: Parser) -> None:
    """Options of `att schedule`."""
    add_graphs(parser, many=False)
    parser.add_argument("--trace", action="store_true", help="print the steps that made each template, in a form that can be replayed")
    add_target(parser)
    add_model(parser)
    add_output(parser, "write one graph JSON per template into this folder", metavar="DIR")
    add_common(parser)


def run(args: argparse.Namespace) -> int:
    """Prints the templates, and writes them."""
    from att.report.templates import templates_json, templates_tables, traces_text
    from att.solve.candidates import candidates_of
    from att.solve.shapes import with_ranges

    request = request_of(args)
    candidates = candidates_of(with_ranges(read_graph(args.graph), request.ranges), request)
    if args.output:
        _write(candidates, args.output)
    if args.json:
        print_text(templates_json(candidates))
    elif args.trace:
        print_text(traces_text(candidates))
    else:
        print_table(templates_tables(candidates))
    return 0


def _write(candidates: Candidates, folder: str) -> None:
    from att.formats import graph_json

    target = make_folder(folder)
    for template in candidates.templates:
        write_file(str(target / f"{template.name}.json"), graph_json.dumps(template))
