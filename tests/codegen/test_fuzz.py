"""Random graphs, shapes and legal tilings: a run equals the reference, moves what the model says, and breaks no rule.

`python -m benchmarks.kernel_fuzz` does the same for as long as one likes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from att.errors import AttError, BackendBug
from benchmarks.random_graphs import random_graph, random_shape

T = TypeVar("T")


class DrawnChoices:
    """Decisions that hypothesis makes, and shrinks."""

    def __init__(self, data: st.DataObject) -> None:
        self._data = data

    def number(self, low: int, high: int) -> int:
        return self._data.draw(st.integers(low, high))

    def one_of(self, options: Sequence[T]) -> T:
        return self._data.draw(st.sampled_from(options))


@settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.function_scoped_fixture])
@given(st.data())
def test_random_graphs_are_right(bench: Any, data: st.DataObject) -> None:
    choices = DrawnChoices(data)
    graph = random_graph(choices, "fuzzed")
    bench.forget("fuzzed")
    try:
        bench.build(graph)
        shape = random_shape(choices, graph)
        bench.case(graph, shape)
    except BackendBug:
        raise
    except AttError:
        assume(False)
    bench.demand(graph, shape, tilings=2)
