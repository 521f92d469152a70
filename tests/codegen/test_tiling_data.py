"""Tiling data: one layout for the C++ struct and for the packed bytes; sizes of buffers are the model's."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from att.errors import EmitError
from att.expr.evaluate import evaluate
from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.ir.loops import loop_nest
from att.model.ub_capacity import ub_bytes
from att.ops.call import CostSet
from att.ops.spec import Costs
from benchmarks.library import OPERATORS
from benchmarks.make_graphs import dynamic_graph
from codegen.tiling_data import phase_fields, phase_prefix, tiling_layout, tiling_values
from schedule.generate import schedule_graph


def _layout(chip: Any, costs: Any, name: str) -> Any:
    graph = dynamic_graph(name)
    templates = schedule_graph(graph, chip).templates
    return templates, tiling_layout(graph.name, templates, [phase_fields(t, costs) for t in templates])


def test_values_are_found_at_their_offsets(chip: Any, costs: Any) -> None:
    templates, layout = _layout(chip, costs, "softmax")
    values = tiling_values(templates[0], costs, {"ks0": 37, "ks1": 257}, {"z0t_size": 8, "z0Tb_size": 2})
    data = layout.pack(values)
    assert len(data) == layout.size_bytes
    for field in layout.fields:
        code = {"int64_t": "<q", "uint32_t": "<I"}[field.cxx_type]
        assert struct.unpack_from(code, data, field.offset_bytes) == (values.get(field.name, 0),), "0: of another template"
    assert (values["block_dim"], values["tiling_key"]) == (3, 0)
    assert values["q0_bytes"] == 8 * 264 * 4


@pytest.mark.parametrize("name", OPERATORS)
def test_buffers_add_up_to_the_plans_ub(chip: Any, costs: Any, name: str) -> None:
    templates, layout = _layout(chip, costs, name)
    shape = {"ks0": 12, "ks1": 40}
    for template in templates:
        tiling = {v.name: min(2, v.maximum) for phase in template.phases for v in phase.variables}
        values = tiling_values(template, costs, shape, tiling)
        assert set(values) <= layout.names
        for number, graph in enumerate(template.phases):
            prefix = phase_prefix(template, number)
            queues = {m.queue.id: m.queue.buf_num for n in graph.nodes if (m := n.output.memory) and m.queue}
            total = sum(values[f"{prefix}q{i}_bytes"] * buffers for i, buffers in queues.items())
            total += sum(
                v for k, v in values.items() if k.endswith("_bytes") and k.startswith((f"{prefix}b", f"{prefix}tmp", f"{prefix}kept"))
            )
            assert total == evaluate(ub_bytes(graph, loop_nest(graph), costs), {**shape, **tiling})


def _places(chip: Any, over: str) -> Any:
    g = GraphBuilder(f"places_{over}", {"a": 300, "b": 40_000})
    g.store("y", g.reduce("ArgMax", g.load("x", ("a", "b")), over))
    return schedule_graph(g.build(), chip).templates[0]


@pytest.mark.parametrize(("over", "kept_bytes"), [("b", 5 * 4 + 12), ("a", 128 * 2 * 4)])
def test_what_is_kept_from_tile_to_tile_has_a_buffer(chip: Any, costs: Any, over: str, kept_bytes: int) -> None:
    """One element for each row, or an element and a place for whole repeats of lanes."""
    template = _places(chip, over)
    lengths = {"z0t_size": 5, "z1t_size": 70} if over == "b" else {"z0t_size": 7, "z1t_size": 70}
    tiling = {v.name: lengths.get(v.name, 1) for v in template.phases[0].variables}
    values = tiling_values(template, costs, {}, tiling)
    assert values["kept0_bytes"] == kept_bytes
    (graph,) = template.phases
    buffers = 2 * (values["q0_bytes"] + values["q1_bytes"]) + values["tmp_bytes"] + values["kept0_bytes"]
    assert buffers + 8192 == evaluate(ub_bytes(graph, loop_nest(graph), costs), tiling), "with what Select overwrites"


def test_what_the_published_set_keeps_is_no_buffer(chip: Any) -> None:
    with pytest.raises(EmitError, match="what the published cost set counts across a loop is not what kernels keep"):
        phase_fields(_places(chip, "b"), Costs(chip=chip, cost_set=CostSet.PUBLISHED))


def test_what_does_not_fit_is_refused(chip: Any, costs: Any) -> None:
    _, layout = _layout(chip, costs, "softmax")
    with pytest.raises(EmitError, match="has no field z9"):
        layout.pack({"z9": 1})
    with pytest.raises(EmitError, match="q0_bytes = 4294967296 does not fit uint32_t"):
        layout.pack({"q0_bytes": 2**32})


def test_a_size_named_like_a_word_of_cxx_is_refused(chip: Any, costs: Any) -> None:
    size = Size(name="float", maximum=100)
    g = GraphBuilder("named", {"a": size.symbol}, (size,))
    g.store("y", g.op("Abs", g.load("x", ("a",))))
    graph = g.build()
    templates = schedule_graph(graph, chip).templates
    with pytest.raises(EmitError, match="float bears a name that C\\+\\+"):
        tiling_layout(graph.name, templates, [phase_fields(t, costs) for t in templates])
