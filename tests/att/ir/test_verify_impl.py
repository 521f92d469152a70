"""Structural faults of ImplGraphs and templates: splits, tile variables, vectorized axes, storage, phases."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from att.errors import GraphError
from att.expr.core import floor_div, integer
from att.ir.axis import AxisKind, Size
from att.ir.graph import ImplGraph, Template, TileVar
from att.ir.tensor import Alloc, Memory, Position, Queue
from att.ir.verify import verify_structure, verify_template

Change = Callable[[ImplGraph], ImplGraph]


def with_node(graph: ImplGraph, name: str, **fields: Any) -> ImplGraph:
    return replace(graph, nodes=tuple(replace(n, **fields) if n.name == name else n for n in graph.nodes))


def with_view(graph: ImplGraph, name: str, **fields: Any) -> ImplGraph:
    return with_node(graph, name, output=replace(graph.node_of[name].output, **fields))


def with_axis(graph: ImplGraph, name: str, **fields: Any) -> ImplGraph:
    return replace(graph, axes=tuple(replace(a, **fields) if a.name == name else a for a in graph.axes))


def with_memory(graph: ImplGraph, name: str, **fields: Any) -> ImplGraph:
    memory = graph.node_of[name].output.memory
    assert memory is not None
    return with_view(graph, name, memory=replace(memory, **fields))


def without_axis(graph: ImplGraph, name: str) -> ImplGraph:
    return replace(graph, axes=tuple(a for a in graph.axes if a.name != name))


def with_variable(graph: ImplGraph, **fields: Any) -> ImplGraph:
    return replace(graph, variables=(replace(graph.variables[0], **fields), *graph.variables[1:]))


def queue(number: int = 0, depth: int = 2, buf_num: int = 2) -> Queue:
    return Queue(id=number, depth=depth, buf_num=buf_num, reuse_id=0)


FAULTS: dict[str, tuple[Change, str]] = {
    "variable-axis": (lambda g: with_variable(g, axis="a9t"), "tile variable a0t_size: its axis a9t is not declared"),
    "variable-kind": (
        lambda g: with_variable(g, axis="a0"),
        "tile variable a0t_size: its axis a0 is ORIGINAL; it must be TILE_IN or BLOCK_IN",
    ),
    "variable-other": (lambda g: with_variable(g, axis="a0Tb"), "tile variable a0t_size: it is not the size of its axis a0Tb"),
    "variable-empty": (lambda g: with_variable(g, maximum=0), "tile variable a0t_size: its maximum is 0"),
    "variable-twice": (lambda g: replace(g, variables=g.variables * 2), "2 declarations of size a0t_size"),
    "variable-missing": (
        lambda g: replace(g, variables=g.variables[1:]),
        "axis a0T: its size uses the size a0t_size, which is not declared; declare it, or use one of: a0Tb_size, ks0",
    ),
    "variable-is-shape": (
        lambda g: replace(g, variables=g.variables[1:], sizes=(*g.sizes, Size(name="a0t_size", maximum=8192))),
        "axis a0t: its size a0t_size is declared as a shape, not as a tile variable",
    ),
    "no-inner": (lambda g: without_axis(replace(g, variables=()), "a0Tb"), "axis a0T: its size uses the size a0t_size"),
    "split-parent": (lambda g: with_axis(g, "a0t", parents=("a0", "a1")), "axis a0t: TILE_IN comes from exactly one parent, got 2"),
    "parent-twice": (
        lambda g: with_axis(g, "a0T", kind=AxisKind.MERGED, parents=("a0", "a0")),
        "axis a0T: a parent occurs twice: a0, a0",
    ),
    "halves": (lambda g: with_axis(g, "a0t", parents=("a1",)), "axis a0T: no TILE_IN axis of a0 goes with it; declare both halves"),
    "outer-floor": (
        lambda g: with_axis(g, "a0T", size=floor_div(g.sizes[0].symbol, g.variables[0].symbol)),
        "axis a0T: its size is not a0 / a0t rounded up; count the tail tile too",
    ),
    "loop-axis": (lambda g: with_node(g, "abs", loop_axis="a0"), "node abs: loop_axis a0 is not in its loop nest a0TB, a0Tb, a0t, a1"),
    "vectorized-loop": (
        lambda g: with_node(g, "abs", loop_axis="a0t"),
        "node abs: axis a0t is vectorized and also a loop (loop_axis a0t); vectorized axes lie inside loop_axis",
    ),
    "vectorized-strides": (
        lambda g: with_view(g, "abs", vectorized_strides=(integer(1),)),
        "node abs: 2 vectorized axes and 1 vectorized strides",
    ),
    "vectorized-twice": (lambda g: with_view(g, "abs", vectorized_axes=("a1", "a1")), "node abs: a vectorized axis occurs twice: a1, a1"),
    "vectorized-unknown": (
        lambda g: with_view(g, "abs", vectorized_axes=("a0t", "a0")),
        "node abs: vectorized axis a0 is not an axis of the output (a0TB, a0Tb, a0t, a1)",
    ),
    "queue-missing": (lambda g: with_memory(g, "abs", queue=None), "node abs: alloc Queue without a queue"),
    "queue-of-buffer": (
        lambda g: with_memory(g, "abs", alloc=Alloc.BUFFER, position=Position.VECCALC),
        "node abs: alloc Buffer with a queue; Queue, and only Queue, has one",
    ),
    "buffer-missing": (
        lambda g: with_memory(g, "abs", alloc=Alloc.BUFFER, position=Position.VECCALC, queue=None),
        "node abs: alloc Buffer without a buffer_id",
    ),
    "buffer-of-queue": (lambda g: with_memory(g, "abs", buffer_id=1), "node abs: alloc Queue with a buffer_id"),
    "buffer-negative": (
        lambda g: with_memory(g, "abs", alloc=Alloc.BUFFER, position=Position.VECCALC, queue=None, buffer_id=-1),
        "node abs: buffer_id is -1",
    ),
    "position": (lambda g: with_memory(g, "abs", position=Position.GM), "node abs: alloc Queue at position GM; it lies at VECIN or VECOUT"),
    "global-in-ub": (
        lambda g: with_memory(g, "store", position=Position.VECOUT),
        "node store: alloc Global at position VECOUT; it lies at GM",
    ),
    "queue-depth": (lambda g: with_memory(g, "abs", queue=queue(1, depth=0)), "node abs: queue 1 has depth 0 and 2 buffers"),
    "queue-single": (
        lambda g: with_memory(g, "abs", queue=Queue(id=1, depth=2, buf_num=1, reuse_id=1, single_legal=True)),
        "node abs: queue 1 has one buffer and says that one is legal too",
    ),
    "queue-buffers": (lambda g: with_memory(g, "abs", queue=queue(1, buf_num=0)), "node abs: queue 1 has depth 2 and 0 buffers"),
    "queue-negative": (lambda g: with_memory(g, "abs", queue=queue(-1)), "node abs: queue id is -1"),
    "queue-position": (lambda g: with_memory(g, "abs", queue=queue(0)), "node abs: queue 0 is at VECOUT, but for load at VECIN"),
    "tensor-twice": (lambda g: with_memory(g, "abs", tensor_id=0), "node abs: tensor_id 0 is also that of load"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named(impl: ImplGraph, fault: str) -> None:
    change, says = FAULTS[fault]
    with pytest.raises(GraphError, match=re.escape(says)):
        verify_structure(change(impl))


def test_a_sound_loop_nest_passes(impl: ImplGraph) -> None:
    verify_structure(impl)


def test_a_sound_template_passes(template: Template) -> None:
    verify_template(template)


def test_a_template_needs_phases_a_key_and_a_name(template: Template) -> None:
    with pytest.raises(GraphError, match=re.escape("template general.z0: it has no phases")):
        verify_template(replace(template, phases=()))
    with pytest.raises(GraphError, match="tiling_key -1 is negative"):
        verify_template(replace(template, tiling_key=-1))
    with pytest.raises(GraphError, match="the name of a template is one printable line, got ''"):
        verify_template(replace(template, name=""))
    with pytest.raises(GraphError, match="axis_names has 'a 0', which is no name of an axis"):
        verify_template(replace(template, axis_names={"z0": "a 0"}))


def test_a_template_says_where_every_tensor_lives(template: Template) -> None:
    bare = with_view(template.phases[0], "abs", memory=None)
    verify_structure(bare)
    with pytest.raises(GraphError, match="node abs: its output has no memory"):
        verify_template(replace(template, phases=(bare,)))


def test_a_later_phase_may_use_earlier_variables(template: Template) -> None:
    """The second phase loops over what the first one's tile size says, without declaring it again."""
    first = template.phases[0]
    later = replace(first, name="second", variables=(), axes=first.axes)
    later = replace(later, nodes=tuple(replace(n, attrs={"index": 1}) if n.op == "Output" else n for n in later.nodes))
    verify_template(replace(template, phases=(first, later)))
    with pytest.raises(GraphError, match="a0t_size, which is not declared"):
        verify_structure(later)
    with pytest.raises(GraphError, match="2 declarations of size a0t_size"):
        verify_template(replace(template, phases=(first, replace(later, variables=(TileVar(name="a0t_size", axis="a0t", maximum=8192),)))))


def test_phases_number_the_arguments_together(template: Template) -> None:
    first = template.phases[0]
    later = replace(first, variables=(), nodes=tuple(replace(n, attrs={"index": 2}) if n.op == "Output" else n for n in first.nodes))
    with pytest.raises(GraphError, match="the Output nodes of all phases have the indices 0, 2, 1 is missing"):
        verify_template(replace(template, phases=(first, later)))
    verify_structure(later, earlier=first.variables)


def test_two_tensors_of_one_queue(impl: ImplGraph) -> None:
    second = replace(impl.node_of["load"], name="load1")
    memory = Memory(tensor_id=7, alloc=Alloc.QUEUE, position=Position.VECIN, queue=queue(0))
    graph = replace(impl, nodes=(*impl.nodes[:2], replace(second, output=replace(second.output, memory=memory)), *impl.nodes[2:]))
    verify_structure(graph)
