"""A value that later walks load from workspace: which one, where, and that it means the same."""

from __future__ import annotations

import numpy as np
import pytest

import att
from att.errors import ScheduleError
from att.formats import dump, graph_json
from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.ir.dtype import DType
from att.ir.loops import loop_nest
from att.ir.verify import verify_structure
from att.ir.walks import loads_back, segments
from att.model.bind import bind
from att.model.buffers import opened
from att.model.build import build_model
from att.model.evaluate import evaluate
from att.model.options import ModelOptions
from att.model.timeline import timeline
from att.ops.call import CostSet
from att.ops.spec import Costs
from att.ops.tiled import run_tiled
from benchmarks.make_graphs import OPERATORS, dynamic_graph
from schedule.generate import schedule_graph
from schedule.kept import WalkAndKeep, worth_keeping
from schedule.trace import KINDS
from schedule.transform import from_text, to_text

M, N = Size(name="M"), Size(name="N")


def softmax(made):
    """Of the value that `made` makes with a builder."""
    g = GraphBuilder("softmax", {"m": M.symbol, "n": N.symbol}, (M, N))
    x = made(g)
    e = g.op("Exp", g.op("Sub", x, g.reduce("Max", x, "n")))
    g.store("y", g.op("TrueDiv", e, g.reduce("Sum", e, "n")))
    return g.build()


def load(g, name="x", axes=("m", "n")):
    return g.load(name, axes)


def of_two(g):
    return g.op("Add", load(g), load(g, "w"))


def of_an_error_function(g):
    return g.op("Mul", g.op("Erf", load(g)), 0.5)


def kept(graph, chip):
    return next(t for t in schedule_graph(graph, chip).templates if ".kept" in t.name)


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (load, ""),
        (lambda g: g.op("Exp", load(g)), ""),
        (of_two, "add"),
        (of_an_error_function, "mul"),
        (lambda g: g.op("Add", load(g), load(g, "w", ("n",))), "add"),
        (lambda g: g.op("Cast", g.load("x", ("m", "n"), DType.FLOAT16), dtype=DType.FLOAT32), ""),
    ],
)
def test_what_has_several_loads_or_a_library_op_is_kept(made, value):
    assert worth_keeping(softmax(made), ("n",)) == value


def test_the_earliest_walk_keeps_for_the_most_others():
    """`exp` is dear to make again, too, but only the last walk needs it."""
    graph = softmax(of_two)
    WalkAndKeep(("n",), "exp").apply(graph)
    assert worth_keeping(graph, ("n",)) == "add"


def test_where_every_row_fits_nothing_is_kept(chip):
    """A weight that some rows share is a reason for short chunks, not for storing what they make."""
    g = GraphBuilder("short", {"b": 7, "m": M.symbol, "n": 64}, (M,))
    x = g.op("Mul", load(g, "x", ("b", "m", "n")), load(g, "w", ("b", "n")))
    g.store("y", g.op("Sub", x, g.reduce("Max", x, "n")))
    candidates = schedule_graph(g.build(), chip)
    assert "chunked.z0.z2" in [t.name for t in candidates.templates]
    assert "every row of the declared range fits in UB" in {d.name: d.reason for d in candidates.dropped}["chunked.z0.z2.kept"]


def test_what_only_some_axes_tell_apart_is_not_kept():
    """Several cores would write the same row."""
    g = GraphBuilder("shared", {"m": 4, "n": 16})
    w = g.op("Erf", load(g, "w", ("n",)))
    g.store("y", g.op("Mul", g.op("Sub", w, g.reduce("Max", w, "n")), load(g)))
    assert not worth_keeping(g.build(), ("n",))
    with pytest.raises(ScheduleError, match="erf cannot be kept"):
        WalkAndKeep(("n",), "erf").apply(g.build())


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_of_one_load_keep_nothing(chip, name):
    assert not [t.name for t in schedule_graph(dynamic_graph(name), chip).templates if ".kept" in t.name]


def test_the_first_walk_stores_and_later_ones_load(chip):
    (phase,) = kept(softmax(of_two), chip).phases
    walks = [part for part in segments(phase, loop_nest(phase)) if part.looped]
    assert [[n.name for n in part.nodes if n.op in ("Load", "Store")] for part in walks] == [
        ["load", "load1", "add_store"],
        ["add_walk2"],
        ["add_walk3", "store"],
    ]
    assert [loads_back(phase, part) for part in walks] == [False, True, True]
    assert phase.node_of["add_walk3"].inputs == ("add_kept",)
    assert phase.node_of["add_kept"].inputs == ("add_store",)


def test_the_workspace_holds_every_row(chip):
    problem = bind(build_model(kept(softmax(of_two), chip), chip, ModelOptions(align_bytes=None)), {"M": 12, "N": 1000})
    assert evaluate(problem, {"z0t_size": 2, "z1t_size": 100, "z0Tb_size": 3}).workspace_bytes == 4 * 12 * 1000


def test_a_walk_begins_when_the_last_one_has_stored(chip):
    """One row in one tile: what is brought back was loaded, made and stored before."""
    template, shape, costs = kept(softmax(of_two), chip), {"M": 1, "N": 4000}, Costs(chip=chip, cost_set=CostSet.MENDED)
    tiling = {"z0t_size": 1, "z1t_size": 4000, "z0Tb_size": 1}
    (phase,) = evaluate(bind(build_model(template, chip, ModelOptions(align_bytes=None)), shape), tiling).phases
    ticks = {node: t for pipe in phase.pipes for node, t in pipe.nodes.items()}
    walk3 = ("add_walk3", "sub_walk3", "exp_walk3", "truediv", "store")
    chain = phase.launch_ticks + sum(ticks[node] for node in ("load", "load1", "add", "add_store", "add_walk2", *walk3))
    buffers = {variable.name: 2 for graph in opened(template).phases for variable in graph.buffer_vars}
    assert timeline(template, shape, {**tiling, **buffers}, costs) >= chain


def test_the_step_is_written_and_read():
    step = WalkAndKeep(("z1",), "add")
    assert to_text(step) == "WalkAndKeep(axes=(z1,), value=add)"
    assert from_text(to_text(step), KINDS) == step


def test_the_template_survives_every_format(chip):
    template = kept(softmax(of_two), chip)
    assert graph_json.loads(graph_json.dumps(template)) == template
    assert dump.from_text(dump.to_text(template)) == template


def test_the_template_says_what_it_does(chip):
    (why,) = [w for w in schedule_graph(softmax(of_two), chip).whys if w.template == "chunked.z0.z1.kept"]
    assert why.purpose.endswith("; add is made by its first walk only, which keeps it in workspace for the later ones")
    assert why.trigger.endswith("; making add takes several loads or a library op, and later walks need it")


@pytest.mark.parametrize("tiling", [(1, 1, 1), (2, 7, 2), (5, 20, 1), (3, 16, 1)])
def test_tile_by_tile_it_computes_the_same_as_without(chip, tiling):
    graph, shape = softmax(of_two), {"M": 5, "N": 20}
    templates = [t for t in schedule_graph(graph, chip).templates if t.name.startswith("chunked") and not t.name.endswith("inline")]
    rng = np.random.default_rng(4)
    inputs = [rng.uniform(-2, 2, 100).astype(np.float32) for _ in graph.data_nodes]
    values = dict(zip(("z0t_size", "z1t_size", "z0Tb_size"), tiling, strict=True))
    one, other = (run_tiled(t, inputs, [np.zeros(100, np.float32)], shape, values)[0] for t in templates)
    np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(("made", "gain"), [(of_two, 1.3), (of_an_error_function, 1.5), (load, 1.0)])
def test_rows_of_a_vocabulary(made, gain):
    """512 rows of 151,936 float32, which do not fit: two walks over two operands, or two error functions, against one."""
    graph = softmax(made)
    plan = att.solve(graph, shape={"M": 512, "N": 151_936}, cache=False)
    others = [t.template for t in plan.templates if ".kept" in t.template]
    again = att.solve(graph, shape={"M": 512, "N": 151_936}, exclude=others, cache=False)
    assert plan.makespan_ticks is not None
    assert again.makespan_ticks is not None
    assert (again.makespan_ticks == plan.makespan_ticks) if gain == 1.0 else (again.makespan_ticks > gain * plan.makespan_ticks)


def test_what_is_loaded_once_per_core_does_not_move_the_workspace(chip):
    """A weight per column stays in UB for all rows; the reduced axis is the one between."""
    k = Size(name="K")
    g = GraphBuilder("middle", {"m": M.symbol, "k": k.symbol, "n": 8}, (M, k))
    x = g.op("Add", load(g, axes=("m", "k", "n")), load(g, "w", ("m", "k", "n")))
    g.store("y", g.op("Mul", g.op("Sub", x, g.reduce("Max", x, "k")), load(g, "v", ("n",))))
    found = [t.phases[0] for t in schedule_graph(g.build(), chip).templates if ".kept" in t.name]
    assert any(phase.node_of["load2"].loop_axis == "z0TB" for phase in found)
    for phase in found:
        verify_structure(phase)
