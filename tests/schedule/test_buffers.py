"""Where values live: queues at the borders, buffers inside, no two live values in one buffer, never more queues than the chip has."""

from __future__ import annotations

from itertools import pairwise

import pytest

from att.chips import load_chip
from att.formats.builder import GraphBuilder
from att.ir.layout import blocks, is_guest, queues_at
from att.ir.loops import loop_nest
from att.ir.tensor import Position
from att.ir.walks import walk_of
from att.ops.registry import spec_of
from att.ops.spec import ComputeType
from benchmarks.make_graphs import OPERATORS, dynamic_graph
from schedule.generate import schedule_graph
from schedule.lifetimes import lifetimes


@pytest.mark.parametrize("name", OPERATORS)
def test_values_of_one_buffer_are_never_alive_together(chip, name):
    for template in schedule_graph(dynamic_graph(name), chip).templates:
        for phase in template.phases:
            live = lifetimes(phase)
            for names in shared_places(phase):
                for a, b in pairwise(sorted(names, key=lambda t: live[t])):
                    assert live[a].stop < live[b].start or takes_the_place(phase, a, b, live), names


def shared_places(phase):
    """Values that lie in one place: those of a TBuf, and guests with their host."""
    yield from (b.tensors for b in blocks(phase) if b.position is Position.VECCALC)
    yield from (b.tensors for b in blocks(phase) if any(is_guest(phase, t) for t in b.tensors))


def takes_the_place(phase, operand, result, live):
    """Whether a result may lie where its operand dies."""
    node, source = phase.node_of[result], phase.node_of[operand]
    return (
        operand in node.inputs
        and spec_of(node.op).in_place
        and live[operand].stop == live[result].start
        and (source.loop_axis == node.loop_axis or spec_of(source.op).compute is ComputeType.REDUCE)
        and source.output.dtype == node.output.dtype
        and source.output.vectorized_strides == node.output.vectorized_strides
    )


def places_of(graph, chip):
    """The TBuf or output queue of every calculated value."""
    phase = schedule_graph(graph, chip).templates[0].phases[0]
    return {t: b.name for b in blocks(phase) for t in b.tensors if b.position is not Position.VECIN}


def chain(*ops):
    g = GraphBuilder("chain", {"n": 1000})
    value = g.load("x", ("n",))
    for op in ops:
        value = g.op(op, value)
    g.store("y", value)
    return g.build()


def test_a_chain_of_ops_works_where_its_result_is_stored_from(chip):
    assert places_of(chain("Abs", "Exp", "Sqrt", "Relu"), chip) == dict.fromkeys(("abs", "exp", "sqrt", "relu"), "q1")


def test_a_library_function_does_not_work_in_place(chip):
    assert places_of(chain("Abs", "Tanh", "Relu"), chip) == {"abs": "q1", "tanh": "b0", "relu": "q1"}


def test_a_guest_is_not_longer_than_its_host(chip):
    g = GraphBuilder("rows", {"m": 64, "n": 1000})
    g.store("y", g.op("Abs", g.reduce("Sum", g.op("Exp", g.load("x", ("m", "n"))), "n")))
    assert places_of(g.build(), chip)["exp"] == "b0"


def test_a_guest_is_made_in_the_walk_of_its_host(chip):
    for name in ("log_softmax", "layer_norm"):
        for template in schedule_graph(dynamic_graph(name), chip).templates:
            for phase in template.phases:
                walks = walk_of(phase, loop_nest(phase))
                for names in shared_places(phase):
                    lodged = [walks.get(t) for t in names if is_guest(phase, t)]
                    assert not lodged or {walks.get(t) for t in names} == {lodged[0]}, names


def test_values_that_share_an_output_buffer_have_no_guests(chip):
    g = GraphBuilder("five", {"n": 1000})
    for i in range(5):
        g.store(f"y{i}", g.op("Relu", g.op("Exp", g.load(f"x{i}", ("n",)))))
    (template,) = schedule_graph(g.build(), chip).templates
    phase = template.phases[0]
    hosts = {n.name: n.output.memory.queue for n in phase.nodes if n.op == "Relu"}
    packed = {q.reuse_id for q in hosts.values() if [h.reuse_id for h in hosts.values()].count(q.reuse_id) > 1}
    assert packed
    assert all(n.output.memory.queue is None or n.output.memory.queue.reuse_id not in packed for n in phase.nodes if n.op == "Exp")


def test_an_operand_that_lives_on_is_not_overwritten(chip):
    g = GraphBuilder("diamond", {"n": 1000})
    a = g.op("Abs", g.load("x", ("n",)))
    g.store("y", g.op("Relu", g.op("Add", g.op("Exp", a), a)))
    found = places_of(g.build(), chip)
    assert found["exp"] != found["abs"]
    assert found["add"] in (found["exp"], found["abs"])


def test_what_a_loop_accumulated_is_overwritten_after_it(chip):
    g = GraphBuilder("tail", {"m": 64, "n": 1000})
    g.store("y", g.op("Abs", g.op("Relu", g.reduce("Sum", g.load("x", ("m", "n")), "n"))))
    found = places_of(g.build(), chip)
    assert found["sum"] == found["relu"]


def test_an_operand_from_outside_the_loop_is_not_overwritten(chip):
    """`scale` is computed once and read in every turn of the reduce loop, by the last op of the turn that could overwrite it."""
    g = GraphBuilder("scaled", {"m": 64, "n": 1000})
    scale = g.op("Abs", g.load("s", ("m",)))
    g.store("y", g.op("Abs", g.reduce("Sum", g.op("Mul", g.load("x", ("m", "n")), g.broadcast(scale, ("m", "n"))), "n")))
    phase = schedule_graph(g.build(), chip).templates[0].phases[0]
    live = lifetimes(phase)
    inside = {n.name for n in phase.nodes if n.loop_axis == phase.node_of["mul"].loop_axis}
    shared = {b.name: set(b.tensors) for b in blocks(phase) if "abs" in b.tensors and b.position is Position.VECCALC}
    assert all(not names & inside for names in shared.values())
    assert live["abs"].stop >= max(live[n].start for n in inside)


@pytest.mark.parametrize("name", OPERATORS)
def test_queue_limits_hold(chip, name):
    for template in schedule_graph(dynamic_graph(name), chip).templates:
        used = queues_at(template.phases[0])
        assert used[Position.VECIN] <= chip.vecin_queues
        assert used[Position.VECOUT] <= chip.vecout_queues


def many_inputs(count):
    g = GraphBuilder("many", {"n": 1000})
    total = g.load("x0", ("n",))
    for i in range(1, count):
        total = g.op("Add", total, g.load(f"x{i}", ("n",)))
    g.store("y", total)
    return g.build()


def test_loads_above_the_limit_share_queue_blocks(chip):
    (template,) = schedule_graph(many_inputs(9), chip).templates
    phase = template.phases[0]
    assert queues_at(phase)[Position.VECIN] == chip.vecin_queues
    packed = [b for b in blocks(phase) if b.position is Position.VECIN]
    assert sum(len(b.tensors) for b in packed) == 9
    # side by side: a packed block is as large as its tensors together
    assert all(b.slot_bytes == len(b.tensors) * packed_size(phase, b) for b in packed)


@pytest.mark.parametrize("name", ["ascend910b1", "ascend950pr", "toy"])
def test_ten_inputs_and_ten_outputs_never_exceed_the_queues(name):
    target = load_chip(name)
    g = GraphBuilder("ten", {"n": 1000})
    for i in range(10):
        g.store(f"y{i}", g.op("Exp", g.load(f"x{i}", ("n",))))
    (template,) = schedule_graph(g.build(), target).templates
    used = queues_at(template.phases[0])
    assert used == {Position.VECIN: min(10, target.vecin_queues), Position.VECOUT: min(10, target.vecout_queues)}


def test_one_load_for_a_store_and_a_vector_op_has_one_queue(chip):
    g = GraphBuilder("both", {"n": 1000})
    x = g.load("x", ("n",))
    g.store("copy", x)
    g.store("y", g.op("Exp", x))
    (template,) = schedule_graph(g.build(), chip).templates
    assert queues_at(template.phases[0]) == {Position.VECIN: 1, Position.VECOUT: 1}


def test_two_buffers_where_a_loop_turns_one_where_nothing_does(chip):
    g = GraphBuilder("total", {"n": 1024})
    g.store("y", g.reduce("Sum", g.load("x", ("n",)), "n"))
    looped, whole, _ = (t.phases[0] for t in schedule_graph(g.build(), chip).templates)
    numbers = {name: [(q.buf_num, q.single_legal) for n in ("load", "sum") if (q := p.node_of[n].output.memory.queue)]
               for name, p in (("looped", looped), ("whole", whole))}  # fmt: skip
    assert numbers == {"looped": [(2, True), (1, False)], "whole": [(1, False), (1, False)]}


def packed_size(phase, block):
    from att.ir.layout import tensor_bytes

    return tensor_bytes(phase.node_of[block.tensors[0]].output)


def test_loads_are_double_buffered_and_values_between_vector_calls_are_not(chip):
    g = GraphBuilder("exp", {"n": 1000})
    x = g.op("Abs", g.load("x", ("n",)))
    g.store("y", g.op("Exp", g.op("Add", g.op("Tanh", x), x)))
    (template,) = schedule_graph(g.build(), chip).templates
    by_tensor = {t: b for b in blocks(template.phases[0]) for t in b.tensors}
    assert (by_tensor["load"].position, by_tensor["load"].buf_num) == (Position.VECIN, 2)
    assert (by_tensor["tanh"].position, by_tensor["tanh"].buf_num) == (Position.VECCALC, 1)
    assert (by_tensor["exp"].position, by_tensor["exp"].buf_num) == (Position.VECOUT, 2)


def test_rows_are_padded_to_one_pitch_in_every_type(chip):
    from att.ir.dtype import DType

    g = GraphBuilder("half", {"m": 8, "n": 20})
    x = g.cast(g.load("x", ("m", "n"), DType.FLOAT16, strides=(32, 1)), DType.FLOAT32)
    g.store("y", g.op("Abs", x))
    template = schedule_graph(g.build(), chip).templates[0].phases[0]
    pitches = {n.output.vectorized_strides[0] for n in template.nodes if n.output.vectorized_axes}
    assert len(pitches) == 1
    assert next(iter(pitches)).lo == 32
