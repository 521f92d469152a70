"""Every graph that the PyTorch backend extension emitted has templates."""

from __future__ import annotations

from att.formats.load import load
from att.ir.verify import verify_template
from schedule.generate import schedule_graph


def test_every_captured_graph_has_templates(shared_data, chip):
    paths = sorted((shared_data / "hint_graphs").glob("*.py"))
    assert paths
    for path in paths:
        candidates = schedule_graph(load(path), chip)
        assert candidates.templates, path.name
        for template in candidates.templates:
            verify_template(template)
        assert all(d.reason for d in candidates.dropped), path.name


def test_a_captured_transpose_of_outer_axes_is_a_load_with_strides(shared_data, chip):
    graph = load(shared_data / "hint_graphs" / "transpose_add_f32__static__full__k0.py")
    candidates = schedule_graph(graph, chip)
    assert [t.name for t in candidates.templates] == ["general.z0", "general.z1", "general.z2"]
    assert "leaves the innermost axis where it is" in candidates.dropped[0].reason
