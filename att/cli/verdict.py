"""How the commands that judge one tiling hand over what they found."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from att.cli.output import print_table, print_text, write_file

if TYPE_CHECKING:
    from att.solve.assemble import Outcome
    from att.solve.plan import Plan


def hand_over(outcome: Outcome, args: argparse.Namespace, clock_mhz: int) -> None:
    """The plan as JSON where it is asked for, else as tables."""
    if args.output:
        write_file(args.output, outcome.plan.to_json())
    if args.json:
        print_text(outcome.plan.to_json())
        return
    from att.report.plan import plan_tables

    print_table(plan_tables(outcome.plan, clock_mhz, outcome.breakdown))


def violated(plan: Plan) -> bool:
    """Whether the plan breaks something."""
    return plan.status == "INFEASIBLE"
