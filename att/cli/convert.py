"""Between graph JSON, graph text and builder script; the suffix of OUT decides."""

from __future__ import annotations

import argparse

from att.cli.arguments import Parser, add_common, add_graphs
from att.cli.graphs import read_graph
from att.cli.output import complain, print_text


def configure(parser: Parser) -> None:
    """Options of `att convert`."""
    add_graphs(parser, many=False)
    parser.add_argument("-o", "--output", metavar="OUT", required=True, help="file to write: .json, .txt or .py")
    add_common(parser)


def run(args: argparse.Namespace) -> int:
    """Writes the graph in its other form."""
    from att.formats.load import save

    graph = read_graph(args.graph)
    save(graph, args.output)
    if args.json:
        print_text('{"format": "converted", "version": 1}')
    else:
        complain(f"wrote {args.output}")
    return 0
