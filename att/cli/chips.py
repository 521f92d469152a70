"""Known chips with cores, unified buffer, clock and sources."""

from __future__ import annotations

import argparse

from att.cli.arguments import add_common
from att.cli.output import print_table, print_text


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of `att chips`."""
    parser.add_argument("chips", metavar="CHIP", nargs="*", help="names or chip files; all known chips if none is given")
    add_common(parser)


def run(args: argparse.Namespace) -> int:
    """Prints a row per chip."""
    from att.chips import chip_names, load_chip
    from att.report.chips import chips_json, chips_tables

    chips = [load_chip(name) for name in args.chips or chip_names()]
    if args.json:
        print_text(chips_json(chips))
    else:
        print_table(chips_tables(chips))
    return 0
