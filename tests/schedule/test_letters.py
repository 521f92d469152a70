"""The group of every axis as it is printed: X transposed, Y parallel, R reduced, N whole in UB."""

from __future__ import annotations

import json

import pytest

from att.report.templates import templates_json
from benchmarks.library import OPERATORS
from benchmarks.make_graphs import dynamic_graph
from schedule.generate import schedule_graph
from tests.moves import cut, joined, picked, rows_picked, transposed


def groups(graph, chip, template):
    """Letter by axis, phase after phase, as the JSON has them."""
    entries = json.loads(templates_json(schedule_graph(graph, chip)))["templates"]
    (found,) = (entry for entry in entries if entry["template"] == template)
    return [{axis["axis"]: axis["group"] for axis in phase["axes"]} for phase in found["phases"]]


def test_a_reduced_axis_is_r_where_it_may_be_cut_and_n_where_it_stays_whole(chip):
    graph = dynamic_graph("amax_keep")
    (general,) = groups(graph, chip, "general.z0.z1")
    (whole,) = groups(graph, chip, "full_load.z0")
    assert {general[axis] for axis in ("z0", "z0t", "z0TB")} == {"Y"}
    assert {general[axis] for axis in ("z1", "z1T", "z1t")} == {"R"}
    assert (whole["z0"], whole["z1"]) == ("Y", "N")


def test_what_is_fused_has_the_letters_of_all_its_parts(chip):
    first, second = groups(dynamic_graph("amax_keep"), chip, "r_split.z0.z1")
    assert (first["z1TT"], first["z0T"], first["z1TTz0T"], first["z1TTz0TB"]) == ("R", "Y", "YR", "YR")
    assert (second["z0p1"], second["z1Pp1"]) == ("Y", "N")


@pytest.mark.parametrize("template", ["transpose.z1.z0", "transpose.z0.z1"])
def test_the_tail_that_a_transpose_moves_is_x(chip, template):
    (found,) = groups(transposed("ba", ("M", "N")), chip, template)
    assert (found["z0"], found["z0t"], found["z1"], found["z1t"]) == ("X", "X", "Y", "Y")


def test_joined_and_gathered_axes_are_whole(chip):
    (join,) = groups(joined(("P", "Q"), rows=("M",)), chip, "concat.z0")
    assert {join["z0"]} == {"Y"}
    assert {join["z1"], join["z2"], join["z3"]} == {"N"}
    (gather,) = groups(picked(("M", "V"), ("N",)), chip, "gather.z0")
    assert (gather["z0"], gather["z1"], gather["z2"]) == ("Y", "N", "Y")


def test_parts_with_a_nest_of_their_own_share_all_they_have(chip):
    graph = joined(("P", "Q"), rows=("M",))
    names = [t.name for t in schedule_graph(graph, chip).templates if t.name.startswith("concat_parts")]
    assert names
    for name in names:
        assert all(set(phase.values()) <= {"Y", ""} for phase in groups(graph, chip, name))


def test_what_shares_a_load_is_parallel_all_the_same(chip):
    """In `.reuse` the loop inside a core is over rows that nothing reduces."""
    (found,) = groups(dynamic_graph("add_row"), chip, "general.z1.z0.reuse")
    assert set(found.values()) == {"Y"}


GRAPHS = (*map(dynamic_graph, OPERATORS), cut(("P", "Q")), rows_picked("V", ("N",), ("D",)), transposed("dcba", (2, 3, "N", "M")))


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.name)
def test_every_axis_that_is_looped_or_vectorized_has_a_group(chip, graph):
    candidates = schedule_graph(graph, chip)
    for phase in (phase for t in candidates.templates for phase in t.phases):
        used = {axis for node in phase.nodes for axis in (*node.loops, *node.output.vectorized_axes)}
        assert used
        assert all(candidates.groups[phase.name][axis] for axis in used), phase.name
