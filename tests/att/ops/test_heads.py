"""Heads of pipes and launch of cores (att_facts §3.1, §3.2)."""

from __future__ import annotations

from fractions import Fraction

import pytest

from att.expr.core import integer, symbol
from att.expr.evaluate import evaluate
from att.ops.call import Pipe
from att.ops.heads import launch_ticks, pipe_head
from att.ops.spec import Costs

CORES = symbol("cores", 1, 48)
BYTES = symbol("bytes", 0, 2**18)


def _head(pipe: Pipe, costs: Costs, cores: int, nbytes: int) -> Fraction:
    return Fraction(evaluate(pipe_head(pipe, CORES, BYTES, costs), {"cores": cores, "bytes": nbytes}), 10**6)


@pytest.mark.parametrize("nbytes", [0, 24999, 25000, 100000])
def test_v1_published_always_starts_small(published: Costs, nbytes: int) -> None:
    assert _head(Pipe.MTE2, published, 13, nbytes) == Fraction("15.89") * 13 + Fraction("882.09")


def test_v1_mended_starts_by_bytes(mended: Costs) -> None:
    assert _head(Pipe.MTE2, mended, 13, 24999) == Fraction("15.89") * 13 + Fraction("882.09")
    assert _head(Pipe.MTE2, mended, 13, 25000) == Fraction("32.72") * 13 + Fraction("1575.03")


def test_v1_other_pipes(published: Costs, mended: Costs) -> None:
    for costs in (published, mended):
        assert _head(Pipe.MTE3, costs, 5, 0) == Fraction("497.36")
        assert _head(Pipe.VEC, costs, 5, 0) == Fraction("37.37")


def test_v2_published_charges_vec_the_mte2_head(published_v2: Costs, mended_v2: Costs) -> None:
    assert _head(Pipe.VEC, published_v2, 5, 512) == _head(Pipe.MTE2, published_v2, 5, 512) == 775
    assert _head(Pipe.VEC, mended_v2, 5, 512) < 100, "no. 19"
    assert (_head(Pipe.MTE2, mended_v2, 5, 255), _head(Pipe.MTE2, mended_v2, 5, 256)) == (775, Fraction("1174.3"))
    assert _head(Pipe.MTE3, published_v2, 5, 0) == 571


def test_launch(published: Costs, published_v2: Costs) -> None:
    assert launch_ticks(CORES, published) == CORES * 300 * 10**6
    assert launch_ticks(CORES, published_v2) == integer(0)
