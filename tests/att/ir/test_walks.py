"""Which calls share a walk through the inner loop, read back from the order of the nodes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from att.chips import load_chip
from att.errors import ModelError
from att.ir.loops import loop_nest
from att.ir.walks import once_per_core, segments, walk_of
from benchmarks.make_graphs import dynamic_graph
from schedule.generate import schedule_graph

CHIP = load_chip("ascend910b1")


def phase_of(operator, template):
    return next(t for t in schedule_graph(dynamic_graph(operator), CHIP).templates if t.name == template).phases[0]


def parts(graph):
    return [(part.looped, [node.name for node in part.nodes]) for part in segments(graph, loop_nest(graph))]


def test_a_nest_without_inner_loop_is_one_part():
    phase = phase_of("add_row", "general.z0")
    ((looped, names),) = parts(phase)
    assert not looped
    assert names == ["load", "broadcast", "add", "store"]
    assert [n.name for n in once_per_core(phase, loop_nest(phase))] == ["load1"]


def test_one_cut_reduce_is_one_walk_with_the_rest_after_it():
    assert parts(phase_of("amax_keep", "general.z0.z1")) == [(True, ["load", "max"]), (False, ["store"])]


def test_each_reduce_that_another_needs_ends_a_walk_and_loads_go_with_their_reader():
    assert parts(phase_of("softmax", "chunked.z0.z1")) == [
        (True, ["load", "max"]),
        (True, ["load_walk2", "broadcast", "sub", "exp", "sum"]),
        (True, ["load_walk3", "broadcast_walk3", "sub_walk3", "exp_walk3", "broadcast1", "truediv", "store"]),
    ]


def test_what_runs_once_stands_between_the_walks():
    found = parts(phase_of("log_softmax", "chunked.z0.z1"))
    assert [looped for looped, _ in found] == [True, True, False, True]
    assert found[2] == (False, ["ln"])


def test_walks_are_numbered_and_calls_outside_have_none():
    phase = phase_of("log_softmax", "chunked.z0.z1")
    walks = walk_of(phase, loop_nest(phase))
    assert (walks["max"], walks["sum"], walks["store"]) == (0, 1, 2)
    assert "ln" not in walks


def test_a_value_that_another_walk_reads_is_refused():
    phase = phase_of("softmax", "chunked.z0.z1")
    nodes = [replace(n, inputs=("load", *n.inputs[1:])) if n.name == "sub" else n for n in phase.nodes]
    wrong = replace(phase, nodes=tuple(nodes))
    with pytest.raises(ModelError, match="load is made anew in every turn of the inner loop, but sub reads it after that loop"):
        segments(wrong, loop_nest(wrong))


def test_what_follows_a_reduce_stays_in_its_walk():
    found = parts(phase_of("softmax", "online.z0.z1"))
    assert [names for looped, names in found if looped] == [
        ["load", "max", "max_running", "broadcast_running", "sub_running", "exp_running", "sum_running"],
        ["load_walk2", "broadcast", "sub", "exp", "broadcast1", "truediv", "store"],
    ]
    assert (False, ["sum_zero", "sum"]) in found


def test_what_reads_the_final_result_of_the_followed_reduce_does_not():
    phase = phase_of("softmax", "online.z0.z1")
    nodes = [replace(n, inputs=("max",)) if n.name == "broadcast_running" else n for n in phase.nodes]
    wrong = replace(phase, nodes=tuple(nodes))
    with pytest.raises(ModelError, match="is made anew in every turn of the inner loop"):
        segments(wrong, loop_nest(wrong))
