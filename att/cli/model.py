"""Variables, constraints with their origin, and pipe formulas of the templates; with --shape for that shape."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from att.cli.arguments import Parser, add_common, add_graphs, add_model, add_output, add_shape, add_target, add_templates, one_of
from att.cli.graphs import read_graph, request_of
from att.cli.output import print_text, write_file
from att.errors import UsageError

if TYPE_CHECKING:
    from att.model.tiling import TilingModel

FORMATS = ("text", "latex", "json", "cpsat-proto")


def configure(parser: Parser) -> None:
    """Options of `att model`."""
    add_graphs(parser, many=False)
    add_shape(parser)
    add_templates(parser)
    parser.add_argument("--format", metavar="|".join(FORMATS), type=one_of(FORMATS), default="text", help="default text")
    add_target(parser)
    add_model(parser)
    add_output(parser, "write the result to this file")
    add_common(parser)


def run(args: argparse.Namespace) -> int:
    """Prints the model of every template that takes part."""
    from att.solve.pipeline import models_of

    form = "json" if args.json else args.format
    models = models_of(read_graph(args.graph), request_of(args), bound=args.shape is not None or form == "cpsat-proto")
    text = _text(models, form)
    if args.output:
        write_file(args.output, text)
    if args.json or not args.output:
        print_text(text)
    return 0


def _text(models: Sequence[TilingModel], form: str) -> str:
    from att.report.model import model_text, models_json

    match form:
        case "text":
            return "\n".join(map(model_text, models))
        case "latex":
            from att.report.model_latex import model_latex

            return "\n".join(map(model_latex, models))
        case "json":
            return models_json(models)
        case _:
            return "\n".join(map(_proto, models))


def _proto(model: TilingModel) -> str:
    from att.model.tiling import Problem

    if not isinstance(model, Problem):
        raise UsageError("a CP-SAT model needs a shape", where=model.template, hint="give --shape")
    from att.solve.cpsat import Technique
    from att.solve.cpsat_model import state

    stated = state(model, None, None, Technique())
    if stated is None:
        return f"# {model.template}: no tiling exists, so there is nothing to solve\n"
    stated.model.minimize(stated.objective)
    return f"# {model.template}\n{stated.model}"
