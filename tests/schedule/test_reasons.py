"""Every template says why it exists and what called for it, every dropped one why it is gone."""

from __future__ import annotations

import json

import pytest

from att.formats.builder import GraphBuilder
from att.ir.dtype import DType
from att.report.console import to_text
from att.report.templates import templates_json, templates_tables
from benchmarks.make_graphs import OPERATORS, dynamic_graph
from schedule import reasons
from schedule.cases import Kind
from schedule.generate import schedule_graph
from tests.moves import cut, joined, picked, rows_picked, transposed


def test_every_kind_has_a_purpose_and_a_trigger():
    assert set(reasons._PURPOSES) == set(reasons._TRIGGERS) == set(Kind)


MOVES = (
    joined(("P", "Q"), rows=("K", "M")),
    joined((3, 5), rows=(), tail=(7,)),
    cut(("P", "Q"), rows=("M",)),
    picked(("M", "V"), ("N",)),
    rows_picked("V", ("N",), ("D",)),
    transposed("ba", ("M", "N")),
)


@pytest.mark.parametrize("graph", [*map(dynamic_graph, OPERATORS), *MOVES], ids=lambda graph: graph.name)
def test_every_template_has_its_own_reason(chip, graph):
    candidates = schedule_graph(graph, chip)
    assert [w.template for w in candidates.whys] == [t.name for t in candidates.templates]
    assert all(w.purpose and w.trigger for w in candidates.whys)
    assert len({(w.purpose, w.trigger) for w in candidates.whys}) == len(candidates.whys)
    assert all(d.reason for d in candidates.dropped)


def test_the_sentences_name_axes_and_nodes(chip):
    g = GraphBuilder("amax", {"m": 64, "n": 1000})
    g.store("y", g.reduce("Max", g.load("x", ("m", "n")), "n"))
    general, full = schedule_graph(g.build(), chip).whys
    assert general.purpose == "tiles of z0 are shared among cores; z1 is cut and accumulates in one core, so that any length fits"
    assert general.trigger == "Max max is the only reduce, its parts merge by Maximum, and nothing after it varies over z1 again"
    assert full.purpose.endswith("z1 stays whole in UB: it is loaded once, and no partial results are merged")
    assert full.trigger == "Max max over z1"


def test_whole_rows_say_whether_they_could_be_cut(chip):
    whys = {w.template: w.trigger for w in schedule_graph(dynamic_graph("softmax"), chip).whys}
    assert "chunked.z0.z1" in whys
    assert whys["full_load.z0"] == "Max max, Sum sum over z1, for which one walk is not enough"
    g = GraphBuilder("different", {"m": 40, "n": 100})
    x = g.load("x", ("m", "n"))
    g.store("y", g.reduce("Sum", g.op("Sub", x, g.reduce("Max", x, "n")), "m", "n"))
    triggers = {w.trigger for w in schedule_graph(g.build(), chip).whys}
    assert triggers == {"Max max, Sum sum over z0 and z1, which cannot be cut"}


def test_numbers_of_queues_and_buffers_are_counted_in_words(chip):
    g = GraphBuilder("exp", {"n": 1000})
    g.store("y", g.op("Exp", g.load("x", ("n",), DType.BFLOAT16)))
    text = to_text(templates_tables(schedule_graph(g.build(), chip)), terminal=False, width=200)
    assert "2 queues, 1 buffer, 1 in GM" in text


def test_a_concat_says_what_is_cut_for_each_part(chip):
    *_, last = schedule_graph(joined((300, 5000), rows=("M",)), chip).whys
    assert last.template == "concat_parts.z2"
    assert last.purpose == (
        "every part has loops of its own, and one runs after another; each part is stored to its place, in tiles of z2 and z3p1"
    )
    assert last.trigger == "Concat concat joins 2 parts along z1, which nothing reduces"


def test_the_document_has_reasons_buffers_and_casts(chip):
    g = GraphBuilder("exp", {"n": 1000})
    g.store("y", g.op("Exp", g.load("x", ("n",), DType.BFLOAT16)))
    document = json.loads(templates_json(schedule_graph(g.build(), chip)))
    (template,) = document["templates"]
    assert template["trigger"] == "nothing is reduced, and z0 is longer than one element"
    (phase,) = template["phases"]
    assert [(b["block"], b["position"], b["buf_num"], b["single_legal"], b["tensors"]) for b in phase["buffers"]] == [
        ("q0", "VECIN", 2, True, ["load"]),
        ("q1", "VECOUT", 2, True, ["exp"]),
        ("b0", "VECCALC", 1, False, ["load_float32", "exp_float32"]),
    ]
    assert [(c["of"], c["from"], c["to"], c["added"]) for c in document["casts"]] == [
        ("load", "bfloat16", "float32", True),
        ("exp_float32", "float32", "bfloat16", True),
    ]
