"""Cases from public reports that must schedule."""

from __future__ import annotations

import pytest

import att
from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.ir.dtype import DType


def test_a_bfloat16_sum_of_ten_million_elements_is_one_kernel_of_at_most_40_blocks():
    g = GraphBuilder("bf16_sum", {"n": 10_000_000})
    g.store("y", g.reduce("Sum", g.load("x", ("n",), DType.BFLOAT16), "n"))
    graph = g.build()
    candidates = att.schedule(graph, cores=40)
    assert any(t.name.startswith("general") for t in candidates.templates)
    assert "full_load" in {d.name for d in candidates.dropped}
    plan = att.solve(graph, cores=40)
    assert plan.status == "OPTIMAL"
    assert plan.block_dim is not None
    assert 1 <= plan.block_dim <= 40


def test_one_dimension_of_float32_has_one_axis_and_one_template():
    g = GraphBuilder("one_dimension", {"n": 1_000_003})
    g.store("y", g.op("Abs", g.load("x", ("n",))))
    plan = att.solve(g.build())
    assert (plan.status, plan.template) == ("OPTIMAL", "general.z0")
    assert plan.variables is not None
    assert plan.variables["z0t_size"] * 4 % 32 == 0


@pytest.mark.parametrize("stride", ["n", "s", "s * n"])
def test_axes_whose_contiguity_only_the_shape_decides_stay_apart(stride):
    """Rows lie `stride` elements apart. Where that is the length of a row for every shape, the axes are one, else they are two."""
    sizes = {name: Size(name=name, maximum=4096) for name in "mns"}
    m, n, s = (sizes[name].symbol for name in "mns")
    g = GraphBuilder("strided", {"m": m, "n": n}, tuple(sizes.values()))
    g.store("y", g.op("Abs", g.load("x", ("m", "n"), strides=({"n": n, "s": s, "s * n": s * n}[stride], 1))))
    names = [t.name for t in att.schedule(g.build()).templates]
    assert names == (["general.z0z1"] if stride == "n" else ["general.z0", "general.z1"])
