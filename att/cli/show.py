"""A graph: sizes, axes, loop nest, nodes, buffers."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from att.cli.arguments import Parser, add_common, add_graphs, add_output, one_of
from att.cli.graphs import for_each
from att.cli.output import print_table, print_text, write_file
from att.errors import UsageError

if TYPE_CHECKING:
    from att.ir.graph import HintGraph, Template


def configure(parser: Parser) -> None:
    """Options of `att show`."""
    add_graphs(parser, many=True)
    parser.add_argument(
        "--format", metavar="table|text|json", type=one_of(("table", "text", "json")), default="table", help="default table"
    )
    parser.add_argument("--memory", action="store_true", help="live interval and storage of every tensor")
    add_output(parser, "write the text or JSON form of the one graph to this file")
    add_common(parser)


def run(args: argparse.Namespace) -> int:
    """Prints each graph."""
    if args.output and len(args.graphs) > 1:
        raise UsageError("-o takes one graph", where="att show", hint="write each graph with its own command")
    if args.json and len(args.graphs) > 1:
        raise UsageError("--json prints one document, so it takes one graph", where="att show", hint="run it once per graph")
    _, code = for_each(args.graphs, lambda graph: _show(graph, args), "reading")
    return code


def _show(graph: HintGraph | Template, args: argparse.Namespace) -> None:
    from att.report.graph import graph_tables

    form = "json" if args.json else args.format
    written = _written(graph, "text" if form == "table" else form)
    if args.output:
        write_file(args.output, written)
    if form == "table":
        print_table(graph_tables(graph, memory=args.memory))
    elif not args.output or args.json:
        print_text(written)


def _written(graph: HintGraph | Template, form: str) -> str:
    from att.formats import dump, graph_json

    return graph_json.dumps(graph) if form == "json" else dump.to_text(graph)
