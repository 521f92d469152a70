"""Every solver on every template and shape: cost, gap to the proven optimum, UB use, cores, time.

Shapes are a grid, `--shapes ks0=1:64:1000,ks1=1024`, or a TOML file: `[[shape]]` tables (`ks0 = 64`), a table `[grid]` (`ks0 = [1, 64]`).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from att.cli.arguments import (
    Parser,
    add_common,
    add_graphs,
    add_heuristic,
    add_limits,
    add_model,
    add_output,
    add_shape,
    add_target,
    add_templates,
    solver_names,
)
from att.cli.graphs import for_each, for_each_shape, request_of
from att.cli.output import complain, print_table, print_text, worst, write_file
from att.cli.progress import tracked
from att.errors import UsageError

if TYPE_CHECKING:
    from att.ir.graph import HintGraph, Template
    from att.report.comparison import Comparison
    from att.verify.rows import Answers


def configure(parser: Parser) -> None:
    """Options of `att compare`."""
    add_graphs(parser, many=True)
    add_shape(parser)
    parser.add_argument("--shapes", metavar="FILE.toml|k=v1:v2:v3", help="several shapes")
    parser.add_argument("--solvers", metavar="a,b,...", type=solver_names, default=("cpsat", "axis_sort"), help="default cpsat,axis_sort")
    add_templates(parser)
    add_limits(parser)
    add_heuristic(parser)
    add_target(parser)
    add_model(parser)
    parser.add_argument("--csv", action="store_true", help="the rows as CSV on stdout")
    add_output(parser, "write the JSON (with --csv: the CSV) to this file")
    add_common(parser)


def run(args: argparse.Namespace) -> int:
    """Compares; a graph, shape or solver that fails is reported and the others go on."""
    from att.report.comparison import Comparison

    if args.json and args.csv:
        raise UsageError("--json and --csv exclude each other", where="att compare", hint="choose one")
    if args.shape is not None and args.shapes is not None:
        raise UsageError("--shape and --shapes exclude each other", where="att compare", hint="put every shape into --shapes")
    found, code = for_each(args.graphs, lambda graph: _compare(graph, args), "comparing")
    comparison = Comparison(problems=tuple(_told_apart([(file, problems) for file, (problems, _) in found])))
    if comparison.rows:
        _hand_over(comparison, args)
    for sentence in comparison.disagreements:
        complain(f"a bug of att: exact solvers disagree: {sentence}")
    for sentence in comparison.bugs:
        complain(f"a bug of att: {sentence}")
    return worst((code, *(failed for _, (_, failed) in found), 4 if comparison.disagreements or comparison.bugs else 0))


def _compare(graph: HintGraph | Template, args: argparse.Namespace) -> tuple[list[Answers], int]:
    """The answers at every shape, and the exit code of the shapes that allow none."""
    from att.cli.shapes import shapes_for
    from att.solve.drafts import Drafts
    from att.solve.request import require_heuristic
    from att.verify.crosscheck import compare_shapes

    request = request_of(args)
    require_heuristic(request.limits, args.solvers)
    shapes = [request.shape] if args.shapes is None else shapes_for(graph, args.shapes)
    drafts = Drafts()
    found, code = for_each_shape(
        tracked(shapes, "shapes") if len(args.graphs) == 1 else shapes,
        lambda shape: tuple(compare_shapes(graph, request, (shape,), args.solvers, drafts)),
    )
    return [answers for problems in found for answers in problems], code


def _told_apart(found: Sequence[tuple[str, list[Answers]]]) -> Iterator[Answers]:
    """All problems; graphs from different files that bear one name get their file's name added."""
    from msgspec.structs import replace

    files: dict[str, set[str]] = {}
    for file, problems in found:
        for answers in problems:
            files.setdefault(answers[0].graph, set()).add(file)
    for file, problems in found:
        for answers in problems:
            name = answers[0].graph
            shown = f"{name} ({Path(file).stem})" if len(files[name]) > 1 else name
            yield tuple(replace(row, graph=shown) for row in answers)


def _hand_over(comparison: Comparison, args: argparse.Namespace) -> None:
    text = comparison.to_csv() if args.csv else comparison.to_json()
    if args.output:
        write_file(args.output, text)
    if args.json or args.csv:
        print_text(text)
        return
    from att.report.comparison_tables import comparison_tables

    print_table(comparison_tables(comparison, request_of(args).chip.clock_mhz))
