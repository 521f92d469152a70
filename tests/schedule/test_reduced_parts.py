"""Reduces of joined parts: each part in a nest of its own, results through workspace."""

from __future__ import annotations

import numpy as np
import pytest

from att.errors import ScheduleError
from att.formats.builder import GraphBuilder
from att.formats.graph_json import dumps, loads
from att.ir.verify import verify_template
from att.model.workspace import workspace_bytes
from att.ops.gm import input_elements
from att.ops.reference import run_reference
from schedule.generate import schedule_graph
from schedule.joins import OverAllAxes
from schedule.reduced_parts import KeepNest, ReduceParts, reduce_nests
from tests.moves import joined, joined_reduces


def names(candidates):
    return [t.name for t in candidates.templates]


@pytest.mark.parametrize(
    "graph",
    [joined_reduces((5, 3), "Sum"), joined_reduces((5, 1, 4), "Max", "Sum"), joined_reduces((5, 1), normed=True)],
    ids=lambda g: g.name,
)
def test_reduced_in_parts_it_means_the_same(graph):
    rng = np.random.default_rng(1)
    inputs = [rng.standard_normal(n).astype(np.float32) for n in input_elements(graph, {})]
    parted = ReduceParts().apply(OverAllAxes().apply(graph))
    assert not [n for n in parted.nodes if n.op == "Concat"]
    for a, b in zip(run_reference(parted, inputs, {}), run_reference(graph, inputs, {}), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)


def test_rows_too_long_for_ub_are_summed_part_by_part(chip):
    candidates = schedule_graph(joined_reduces((20_000, 10_000), "Sum"), chip)
    assert names(candidates) == ["concat_reduce.z0.z2"]
    (template,) = candidates.templates
    assert [[n.op for n in p.nodes if n.op not in ("Data", "Output")] for p in template.phases] == [
        ["Load", "Sum", "Store", "Workspace"],
        ["Load", "Abs", "Sum", "Store", "Workspace"],
        ["Workspace", "Load", "Workspace", "Load", "Add", "Store"],
    ]
    assert loads(dumps(template)) == template
    verify_template(template)
    assert workspace_bytes(template).hi >= 2 * 3 * 4
    assert "partial results of Sum sum can be merged" in candidates.whys[0].trigger


def test_partial_results_lie_side_by_side():
    parted = ReduceParts().apply(OverAllAxes().apply(joined_reduces((20_000, 10_000), "Sum", "Max")))
    stores = [n for n in parted.nodes if n.op == "Store" and n.output.axes and ".part" in n.name]
    assert [n.attrs["offset"].lo for n in stores] == [0, 3, 6, 9]


def test_a_reduce_that_needs_another_comes_in_later_nests():
    parted = ReduceParts().apply(OverAllAxes().apply(joined_reduces((20_000, 10_000), normed=True)))
    assert reduce_nests(parted) == (
        ("max.part0_store",),
        ("max.part1_store",),
        ("sum.part0_store",),
        ("sum.part1_store",),
        ("store.part0",),
        ("store.part1",),
    )


def test_reduces_of_one_part_share_a_nest():
    parted = ReduceParts().apply(OverAllAxes().apply(joined_reduces((20_000, 10_000), "Sum", "Max")))
    assert reduce_nests(parted)[0] == ("sum.part0_store", "max.part0_store")


def test_joined_rows_that_fit_are_reduced_together(chip):
    candidates = schedule_graph(joined_reduces((200, 100), normed=True), chip)
    assert names(candidates) == ["concat.z0", "concat.z0.packed"]
    reason = {d.name: d.reason for d in candidates.dropped}["concat_reduce.z0.z2"]
    assert "every row of the declared range fits in UB (concat.z0 needs at most" in reason


def test_what_cannot_be_merged_must_meet_in_ub(chip):
    candidates = schedule_graph(joined_reduces((200, 100), "ArgMax"), chip)
    assert names(candidates) == ["concat.z0"]
    reason = {d.name: d.reason for d in candidates.dropped}["concat_reduce"]
    assert "partial results of ArgMax argmax cannot be merged, so the parts of Concat concat must meet in UB" in reason


def test_two_joins_are_not_reduced_in_parts(chip):
    g = GraphBuilder("two", {"m": 16, "n": 8, "p": 3, "q": 5})
    a, b = g.load("a", ("m", "p")), g.load("b", ("m", "q"))
    joins = [g.concat("n", (a, "p"), (g.op(op, b), "q")) for op in ("Abs", "Neg")]
    g.store("y", g.reduce("Sum", g.op("Mul", *joins), "n"))
    assert (
        "are 2 joins; parts of one can be reduced" in {d.name: d.reason for d in schedule_graph(g.build(), chip).dropped}["concat_reduce"]
    )


def test_only_a_graph_with_one_join_has_parts_and_nests():
    with pytest.raises(ScheduleError, match="partial results of ArgMax argmax cannot be merged"):
        ReduceParts().apply(OverAllAxes().apply(joined_reduces((3, 5), "ArgMax")))
    with pytest.raises(ScheduleError, match="there is no nest 3, there are 3"):
        KeepNest(3).apply(ReduceParts().apply(OverAllAxes().apply(joined_reduces((3, 5), "Sum"))))
    with pytest.raises(ScheduleError, match="there is no nest 1, there are 1"):
        KeepNest(1).apply(joined((3, 5)))
