"""Cases from public reports that must schedule."""

from __future__ import annotations

from fractions import Fraction
from math import prod

import pytest

import att
from att.expr.evaluate import evaluate
from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.ir.dtype import DType
from att.ir.layout import tensor_bytes


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


@pytest.mark.parametrize(("over", "padded"), [("a", Fraction(64, 64)), ("b", Fraction(32, 11)), ("c", Fraction(32, 11))])
def test_the_axis_that_argmax_over_256_9_11_pads_costs_least(over, padded):
    """Rows of bytes lie 32 bytes apart. Over `a` the 9 x 11 others merge, and tiles of 64 need no padding; else rows of 11 are padded.

    The plan is the fastest of all templates. None has fewer bytes in UB for an element of its tile, padded or in all, and the same
    elements in longer rows, whose axes cannot merge, are no faster.
    """
    graph = arg_max(over, (99, 11, 1))
    plan = att.solve(graph)
    alone = {t.name: (t, att.solve(graph, template=t.name)) for t in att.schedule(graph).templates}
    assert plan.status == "OPTIMAL"
    assert plan.makespan_ticks == min(other.makespan_ticks for _, other in alone.values())
    in_ub = {name: loaded_bytes(*other) / loaded_elems(*other) for name, other in alone.items()}
    assert in_ub[plan.template] == min(in_ub.values()) == padded
    needed = {name: other.ub_bytes / loaded_elems(t, other) for name, (t, other) in alone.items()}
    assert needed[plan.template] == min(needed.values())
    assert plan.makespan_ticks <= att.solve(arg_max(over, (108, 12, 1))).makespan_ticks


def arg_max(over, strides):
    g = GraphBuilder(f"argmax_{over}", {"a": 256, "b": 9, "c": 11})
    g.store("y", g.reduce("ArgMax", g.load("x", ("a", "b", "c"), DType.INT8, strides=strides), over))
    return g.build()


def loaded(template):
    (view,) = (node.output for node in template.phases[0].nodes if node.op == "Load")
    return view


def loaded_bytes(template, plan):
    return Fraction(evaluate(tensor_bytes(loaded(template)), plan.variables))


def loaded_elems(template, plan):
    view = loaded(template)
    return prod(evaluate(view.repeat_of(axis), plan.variables) for axis in view.vectorized_axes)
