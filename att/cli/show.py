"""A graph: sizes, axes, loop nest, nodes, buffers; with a shape or tiling also where everything lies in UB."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from att.cli.arguments import Merge, Parser, add_common, add_graphs, add_output, add_shape, add_target, one_of, pairs
from att.cli.graphs import for_each, request_of
from att.cli.output import print_table, print_text, write_file
from att.errors import UsageError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from att.ir.graph import HintGraph, Template


def configure(parser: Parser) -> None:
    """Options of `att show`."""
    add_graphs(parser, many=True)
    parser.add_argument(
        "--format", metavar="table|text|json", type=one_of(("table", "text", "json")), default="table", help="default table"
    )
    text = "live interval and storage of every tensor; with --shape or --tiling UB addresses of that plan"
    parser.add_argument("--memory", action="store_true", help=text)
    parser.add_argument(
        "--tiling", metavar="z0t_size=64,z0Tb_size=2", type=pairs, action=Merge, help="addresses for it, not for the best plan"
    )
    parser.add_argument("--template", metavar="T", help="addresses for this template")
    add_shape(parser)
    add_target(parser)
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
    if form == "table" and args.memory and (args.shape or args.tiling):
        print_table(_addresses(graph, args))
    elif form == "table":
        print_table(graph_tables(graph, memory=args.memory))
    elif not args.output or args.json:
        print_text(written)


def _written(graph: HintGraph | Template, form: str) -> str:
    from att.formats import dump, graph_json

    return graph_json.dumps(graph) if form == "json" else dump.to_text(graph)


def _addresses(graph: HintGraph | Template, args: argparse.Namespace) -> RenderableType:
    """Addresses under the given tiling, or under the best plan.

    Raises UsageError where a size is 0, so that nothing lies in UB, and InfeasibleError or SolverTimeout if there is no plan.
    """
    from att import late
    from att.ops.spec import Costs
    from att.report.memory import memory_tables
    from att.solve.assemble import plan_graph
    from att.solve.candidates import candidates_of
    from att.solve.judge import evaluate_tiling
    from att.solve.no_tiling import no_tiling
    from att.solve.shapes import is_empty, with_ranges

    request = request_of(args)
    plan = (evaluate_tiling(graph, args.tiling, request) if args.tiling else plan_graph(graph, request)).plan
    if is_empty(graph, plan.shape):
        raise UsageError("a size is 0: the kernel does nothing and keeps nothing in UB", where=plan.graph, hint="give sizes of at least 1")
    if plan.template is None or plan.variables is None:
        raise no_tiling(plan)
    templates = candidates_of(with_ranges(graph, request.ranges), request).templates
    template = next(t for t in templates if t.name == plan.template)
    costs = Costs(chip=request.chip, cost_set=request.model.cost_set)
    plans = [late.resolve("ub_plan")(phase, costs, {**plan.shape, **plan.variables}) for phase in template.phases]
    return memory_tables(template, plans, plan.variables, plan.ub_capacity_bytes)
