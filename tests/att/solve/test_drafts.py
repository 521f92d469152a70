"""Drafts: what questions share is made once, and never taken for another chip, graph or template."""

from __future__ import annotations

from dataclasses import replace

from att.solve.candidates import candidates_of, model_all
from att.solve.drafts import Drafts
from att.solve.request import make_request
from benchmarks.make_graphs import dynamic_graph

GRAPH = dynamic_graph("softmax")
REQUEST = make_request()


def test_shapes_and_solvers_share_models():
    drafts = Drafts()
    first = drafts.models(GRAPH, REQUEST)
    other = replace(REQUEST, shape={"ks0": 5}, solver="axis_sort")
    assert drafts.models(dynamic_graph("softmax"), other) is first
    assert first == model_all(candidates_of(GRAPH, REQUEST), REQUEST)


def test_another_chip_graph_template_or_alignment_is_made_anew():
    drafts = Drafts()
    drafts.models(GRAPH, REQUEST)
    smaller = make_request(ub_bytes=100_000)
    assert drafts.models(GRAPH, smaller) == model_all(candidates_of(GRAPH, smaller), smaller)
    free = make_request(align="none")
    assert drafts.models(GRAPH, free) == model_all(candidates_of(GRAPH, free), free)
    template = drafts.candidates(GRAPH, REQUEST).templates[0]
    one = make_request(template=template.name)
    assert [t.name for t, _ in drafts.models(GRAPH, one).models] == [template.name]
    assert drafts.candidates(template, REQUEST).templates == (template,)
    assert drafts.candidates(dynamic_graph("abs"), REQUEST).graph.name != GRAPH.name
