"""The kernel of a graph as AscendC source: every template, tiling data, manifest and a build note."""

from __future__ import annotations

import argparse
from pathlib import Path

from att import late
from att.cli.arguments import Parser, add_common, add_graphs, add_model, add_target, add_templates
from att.cli.graphs import read_graph, request_of
from att.cli.output import print_text


def configure(parser: Parser) -> None:
    """Options of `att emit`."""
    add_graphs(parser, many=False)
    parser.add_argument("-o", "--output", metavar="DIR", required=True, help="write the files into this folder")
    add_templates(parser)
    add_target(parser)
    add_model(parser)
    add_common(parser)


def run(args: argparse.Namespace) -> int:
    """Writes the files, all or none of each, and names them."""
    written: tuple[Path, ...] = late.resolve("write_bundle")(read_graph(args.graph), request_of(args), Path(args.output))
    if args.json:
        import json

        print_text(json.dumps({"format": "emitted", "version": 1, "files": [str(path) for path in written]}, indent=2))
    else:
        print_text("\n".join(map(str, written)))
    return 0
