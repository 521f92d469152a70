"""How option texts are read."""

from __future__ import annotations

import argparse
from collections.abc import Callable

import pytest

from att.cli import arguments
from att.cli.arguments import Parser
from att.errors import UsageError


def _parser() -> Parser:
    parser = Parser(prog="att solve", allow_abbrev=False)
    arguments.add_shape(parser)
    arguments.add_target(parser)
    arguments.add_model(parser)
    arguments.add_templates(parser)
    arguments.add_limits(parser)
    return parser


@pytest.mark.parametrize(
    ("read", "text", "value"),
    [
        (arguments.pairs, "ks0=64,ks1=1024", {"ks0": 64, "ks1": 1024}),
        (arguments.pairs, " ks0 = 64 ", {"ks0": 64}),
        (arguments.pairs, "ks0=-3", {"ks0": -3}),
        (arguments.ranges, "ks0=1:8192:16,ks1=2:4", {"ks0": (1, 8192, 16), "ks1": (2, 4, 1)}),
        (arguments.names, "a,b,a", ("a", "b")),
        (arguments.alignment, "none", "none"),
        (arguments.alignment, "64", "64"),
        (arguments.limit, "0.5", 0.5),
        (arguments.solver_names, "cpsat,axis_sort", ("cpsat", "axis_sort")),
    ],
)
def test_what_is_read(read: Callable[[str], object], text: str, value: object) -> None:
    assert read(text) == value


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (arguments.pairs, "ks0"),
        (arguments.pairs, "ks0="),
        (arguments.pairs, "=4"),
        (arguments.pairs, "ks0=1,ks0=2"),
        (arguments.pairs, "ks0=1.5"),
        (arguments.pairs, "ks0=1,"),
        (arguments.pairs, "ks0=٣"),
        (arguments.pairs, "ks0=" + "9" * 5000),
        (arguments.ranges, "ks0=1"),
        (arguments.ranges, "ks0=1:2:3:4"),
        (arguments.names, "a,,b"),
        (arguments.alignment, "0"),
        (arguments.alignment, "some"),
        (arguments.limit, "0"),
        (arguments.limit, "inf"),
        (arguments.limit, "nan"),
        (arguments.positive, "0"),
        (arguments.solver_names, "cpsat,simplex"),
    ],
)
def test_what_is_refused(read: Callable[[str], object], text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError):
        read(text)


def test_repeated_shapes_are_merged_and_the_later_value_wins() -> None:
    parsed = _parser().parse_args(["--shape", "ks0=1,ks1=2", "--shape", "ks1=3"])
    assert parsed.shape == {"ks0": 1, "ks1": 3}


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (["--cost", "calibrated"], "calibrated is not available in this version"),
        (["--objective", "fastest"], "'fastest' is unknown; choose from bottleneck, pipeline"),
        (["--cost", "cheap"], "'cheap' is unknown; choose from published, mended"),
        (["--ub-bytes", "-5"], "-5 is below 1"),
        (["--cores", "0"], "0 is below 1"),
        (["--nonsense"], "unrecognized arguments: --nonsense"),
        (["--shap", "ks0=1"], "unrecognized arguments: --shap ks0=1"),
    ],
)
def test_usage_errors_are_sentences_with_a_hint(argv: list[str], says: str) -> None:
    with pytest.raises(UsageError, match="see `att solve --help`") as caught:
        _parser().parse_args(argv)
    assert says in str(caught.value)
    assert caught.value.exit_code == 2


def test_a_later_value_is_refused_as_not_available() -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="calibrated is not available in this version"):
        arguments.one_of(arguments.COST_SETS, arguments.LATER_COST_SETS)("calibrated")
