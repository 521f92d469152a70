"""The command `att`: finds the command, reads its options, turns every error into a sentence and an exit code (design §8)."""

from __future__ import annotations

import argparse
import io
import logging
import os
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import Final, TextIO

from att import __version__
from att.cli import config
from att.cli.arguments import Parser
from att.cli.output import complain
from att.errors import AttError, UsageError
from att.late import UNAVAILABLE, unavailable

COMMANDS: Final = {
    "chips": "known chips with cores, unified buffer, clock and sources",
    "show": "a graph: sizes, axes, loop nest, nodes, buffers",
    "convert": "between graph JSON, graph text and builder script",
    "schedule": "all templates of a graph, and those dropped with the reason",
    "model": "variables, constraints and pipe formulas of the templates",
    "solve": "the best plan over all templates, with its proof",
    "compare": "every solver on every template and shape",
    "evaluate": "what a given tiling costs and whether it is legal",
    "check": "independent check of a plan",
    "explain": "why the plan is what it is, or why there is none and what helps",
    "prove": "with z3: no tiling beats a plan, and its template fits every shape",
    "emit": "the kernel as AscendC source, with tiling data and manifest",
    "run": "the kernel on the CPU model of AscendC, compared with numpy and with the model",
}
"""Command to what it does; the module of a command has its name."""

INTERRUPTED = 130
"""Exit code after an interrupt from the keyboard: 128 + SIGINT, as shells report it."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; returns its exit code and never raises."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        _accept_any_character(stream)
    verbose = False
    try:
        parsed = parse(arguments)
        verbose = bool(parsed.verbose)
        logging.basicConfig(stream=sys.stderr, level=_level(parsed.verbose), format="%(name)s: %(message)s")
        code = int(parsed.command_module.run(parsed))
        sys.stdout.flush()
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else 0
    except AttError as error:
        complain(error)
        _trace(verbose and error.exit_code == 4)
        return error.exit_code
    except KeyboardInterrupt:
        complain("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        _close_stdout()
        return 0
    except Exception as error:
        _report_bug(error, verbose=verbose)
        return 4
    return code


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Reads the command line, with the defaults of a configuration file if one is named. Raises UsageError."""
    parser = Parser(prog="att", description="Certified tilings for NPU vector kernels.")
    parser.add_argument("-v", "--verbose", action="count", default=0, help="log to stderr; a traceback for a bug")
    parser.add_argument("--version", action="version", version=f"att {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=Parser)
    parsers = {name: _add_command(commands, name) for name in COMMANDS}
    for name, text in UNAVAILABLE.items():
        _add_unavailable(commands, name, text)
    completed = _with_config(list(arguments), parsers)
    try:
        return parser.parse_args(completed)
    except UsageError as error:
        if len(completed) == len(arguments):
            raise
        hint = f"{error.hint}; options came from the command line and {config.requested(arguments)}"
        raise UsageError(error.message, where=error.where, hint=hint) from None


def _add_command(commands: argparse._SubParsersAction[Parser], name: str) -> Parser:  # pyright: ignore[reportPrivateUsage]
    module: ModuleType = import_module(f"att.cli.{name}")
    parser = commands.add_parser(name, help=COMMANDS[name], description=module.__doc__)
    module.configure(parser)
    parser.set_defaults(command_module=module)
    return parser


def _add_unavailable(commands: argparse._SubParsersAction[Parser], name: str, text: str) -> None:  # pyright: ignore[reportPrivateUsage]
    parser = commands.add_parser(name, help=f"not in this version: {text}", add_help=False, prefix_chars="\0")
    parser.add_argument("ignored", nargs="*")
    parser.set_defaults(command_module=_Refusal(name))


class _Refusal:
    """Stands where the module of a command will be."""

    def __init__(self, name: str) -> None:
        self.name = name

    def run(self, _: argparse.Namespace) -> int:
        """Raises UsageError."""
        raise unavailable(self.name)


def _with_config(arguments: list[str], parsers: dict[str, Parser]) -> list[str]:
    """The arguments with the options of the configuration file put in front of the command's own."""
    position = next((i for i, text in enumerate(arguments) if text in parsers), None)
    path = config.requested(arguments)
    if position is None or path is None:
        return arguments
    known = {name for parser in parsers.values() for name in config.option_names(parser)}
    here = sorted(config.option_names(parsers[arguments[position]]))
    defaults = config.to_arguments(config.read_toml(path), path, here, known)
    return [*arguments[: position + 1], *defaults, *arguments[position + 1 :]]


def _accept_any_character(stream: TextIO) -> None:
    """A stream of a narrow encoding shows `?` for what it lacks; it does not fail."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="replace")


def _level(verbose: int) -> int:
    return (logging.WARNING, logging.INFO, logging.DEBUG)[min(verbose, 2)]


def _report_bug(error: Exception, *, verbose: bool) -> None:
    complain(f"a bug of att: {type(error).__name__}: {error}; run again with -v for the traceback and report it with the graph")
    _trace(verbose)


def _trace(wanted: bool) -> None:
    if wanted:
        traceback.print_exc(file=sys.stderr)


def _close_stdout() -> None:
    """Whoever read stdout is gone: keeps the interpreter from failing again when it flushes at exit."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115


if __name__ == "__main__":
    raise SystemExit(main())
