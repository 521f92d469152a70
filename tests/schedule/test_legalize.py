"""Casts for the chip's op table: every op in every element type means what numpy says, and no more casts than needed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from att.chips import load_chip
from att.errors import ScheduleError
from att.formats.builder import GraphBuilder
from att.ir.dtype import DType
from att.ops.reference import run_reference
from att.ops.registry import OPS
from att.ops.spec import ComputeType, numpy_dtype
from att.ops.verify import check_dtypes, verify_graph
from schedule.casts import DropNeedlessCasts, cast_changes
from schedule.conversions import cast_chain
from schedule.generate import schedule_graph
from schedule.legalize import Legalize

CHIPS = ("ascend910b1", "ascend950pr")
TYPES = [d for d in DType if d is not DType.FLOAT64]
SHAPE = (5, 33)
COMPUTED = (ComputeType.ELEMENTWISE, ComputeType.REDUCE, ComputeType.BROADCAST)
OPERATIONS = [op for op, spec in OPS.items() if spec.compute in COMPUTED and op != "ScaledSum"]
F32, BF16, F16, I8, U8, I16, U16, BOOL = (DType(d) for d in ("float32", "bfloat16", "float16", "int8", "uint8", "int16", "uint16", "bool"))


def legal(graph, chip):
    return DropNeedlessCasts(chip.cost_table).apply(Legalize(chip.cost_table).apply(graph))


def is_legal(graph, chip):
    try:
        check_dtypes(graph, chip)
    except ScheduleError:
        return False
    return True


def graph_of(op, dtype, scalar=None):
    """`y = op(x …)`, with a Scalar as the last operand if one is given."""
    spec = OPS[op]
    g = GraphBuilder(op.lower(), {"m": SHAPE[0], "n": SHAPE[1]})
    if spec.compute is ComputeType.REDUCE:
        value = g.reduce(op, g.load("x", ("m", "n"), dtype), "n")
    elif spec.compute is ComputeType.BROADCAST:
        value = g.broadcast(g.load("x", ("m",), dtype), ("m", "n"))
    else:
        operands = [
            g.load(f"x{i}", ("m", "n"), U8 if i == spec.mask_operand else dtype) for i in range(len(spec.inputs) - (scalar is not None))
        ]
        value = g.op(op, *operands, *([] if scalar is None else [scalar]), **dict.fromkeys(spec.attrs, 0.5))
    g.store("y", value)
    return g.build()


def numbers(dtype, size, seed):
    """Values of a type, its extremes among them."""
    rng = np.random.default_rng(seed)
    target = numpy_dtype(dtype)
    if dtype is BOOL:
        return rng.integers(0, 2, size).astype(bool)
    if dtype.is_float:
        found = rng.normal(0, 3, size).astype(target)
        found[:4] = np.array([0.0, -0.0, 60000.0, -60000.0]).astype(target)
        return found
    info = np.iinfo(target)
    found = rng.integers(info.min, info.max, size, dtype=target, endpoint=True)
    found[:3] = [info.min, info.max, 0]
    return found


def inputs_of(graph):
    return [numbers(n.output.dtype, SHAPE[0] * SHAPE[1], seed) for seed, n in enumerate(graph.data_nodes, start=1)]


def results(graph, inputs):
    arrays = [a.view(np.uint8) if a.dtype == bool and n.output.dtype is U8 else a for a, n in zip(inputs, graph.data_nodes, strict=True)]
    return run_reference(graph, arrays, {})


def assert_same_meaning(before, after):
    inputs = inputs_of(before)
    for a, b in zip(results(before, inputs), results(after, inputs), strict=True):
        exact = all(n.op not in ("Sum", "Mean", "Prod") for n in before.nodes)
        wide = np.asarray(a).astype(np.float64), np.asarray(b).astype(np.float64)
        if exact:
            np.testing.assert_array_equal(*wide)
        else:  # rounded to float32 on the way to 16 bits: at most one step of the narrow type
            np.testing.assert_allclose(*wide, rtol=2**-8)


@pytest.mark.parametrize("name", CHIPS)
@pytest.mark.parametrize("op", OPERATIONS)
def test_every_type_means_the_same_or_is_refused(name, op):
    chip = load_chip(name)
    for dtype in TYPES:
        for scalar in (None, 3) if len(OPS[op].inputs) - 1 in OPS[op].scalar_operands else (None,):
            if (
                op == "Cast"
                or chip.cost_table not in OPS[op].dtypes
                or (dtype is BOOL and op in ("Sub", "Neg", "Sign"))
                or (op == "Div" and not dtype.is_float)
            ):
                continue
            before = graph_of(op, dtype, scalar)
            after = legal(before, chip)
            verify_graph(after)
            if is_legal(after, chip):
                assert_same_meaning(before, after)
            else:
                assert not dtype.is_float or op == "BitwiseAnd"


@pytest.mark.parametrize("name", CHIPS)
@pytest.mark.parametrize("source", TYPES)
def test_a_chain_of_casts_means_one_conversion(name, source):
    chip = load_chip(name)
    for target in TYPES:
        if target is not BOOL and source is not BOOL and cast_chain(chip.cost_table, source, target) is None:
            continue
        g = GraphBuilder("cast", {"m": SHAPE[0], "n": SHAPE[1]})
        g.store("y", g.cast(g.load("x", ("m", "n"), source), target))
        before = g.build()
        assert_same_meaning(before, legal(before, chip))


def test_floats_of_16_bits_and_small_integers_are_never_refused_where_results_are_among_the_operands(chip):
    for op in ("Maximum", "Where", "Max", "Gt", "LogicalAnd", "Broadcast"):
        for dtype in (BF16, F16, I8, U8, BOOL):
            assert schedule_graph(graph_of(op, dtype), chip).templates


@pytest.mark.parametrize(
    ("op", "dtype"), [("Exp", I8), ("Add", DType.INT64), ("Sum", U16), ("Max", DType.INT32), ("Maximum", U16), ("Pow", U16)]
)
def test_what_would_mean_something_else_is_refused(chip, op, dtype):
    with pytest.raises(ScheduleError, match=f"{op} takes"):
        schedule_graph(graph_of(op, dtype), chip)


@pytest.mark.parametrize(
    ("op", "dtype", "path"),
    [
        ("Maximum", I8, "Maximum float16, int8"),
        ("Sign", I16, "Sign float32, int16"),
        ("Abs", I8, "Abs float16, uint8, int8"),
        ("Mul", I8, "Mul int16, Mul int16, float16, Mul float16, int8"),
        ("Add", I8, "Add float16, int16, Mul int16, float16, Mul float16, int8"),
        ("Sub", U8, "Sub float16, int16, Mul int16, float16, Mul float16, int8, uint8"),
        ("Sum", I16, "Sum int32, Mul int32, float32, Mul float32, int16"),
        ("Remainder", I8, "Remainder int32, float16, int8"),
        ("BitwiseAnd", I8, "BitwiseAnd uint8, int8"),
        ("Any", DType.INT32, "Any float32, int32"),
    ],
)
def test_integers_go_the_shortest_way_back_that_is_exact(chip, op, dtype, path):
    """The op, what else is computed, and the casts behind it."""
    after = legal(graph_of(op, dtype), chip)
    names = [n.op for n in after.nodes]
    behind = after.nodes[names.index(op) : names.index("Store")]
    assert ", ".join(f"{n.op} {n.output.dtype}".removeprefix("Cast ") for n in behind if n.op != "Scalar") == path


@pytest.mark.parametrize("op", ["Add", "Sub", "Mul", "Neg", "Abs", "Remainder", "Pow"])
def test_bytes_mean_the_same_in_every_pair(chip, op):
    """All 65,536 pairs, so that every sum and product wraps around as numpy's does."""
    for dtype in (I8, U8):
        every = np.arange(256, dtype=np.uint8).view(numpy_dtype(dtype))
        pairs = np.repeat(every, 256), np.tile(every, 256)
        g = GraphBuilder("pairs", {"n": 65_536})
        g.store("y", g.op(op, *(g.load(f"x{i}", ("n",), dtype) for i in range(len(OPS[op].inputs)))))
        before = g.build()
        inputs = pairs[: len(before.data_nodes)]
        (expected,), (got,) = (run_reference(graph, inputs, {}) for graph in (before, legal(before, chip)))
        np.testing.assert_array_equal(got, expected)


def test_masked_fill_is_select_where_only_that_takes_the_type(chip):
    assert "MaskedFill" in {n.op for n in legal(graph_of("MaskedFill", F32), chip).nodes}
    after = legal(graph_of("MaskedFill", DType.INT64), chip)
    assert casts(after) == []
    assert "Select" in {n.op for n in after.nodes}


def test_unsigned_arithmetic_wraps_around_in_signed_bits(chip):
    after = legal(graph_of("Add", U16), chip)
    assert after.node_of["add_int16"].output.dtype is I16


def test_a_number_keeps_the_rounding_of_its_type(chip):
    g = GraphBuilder("add", {"n": 8})
    g.store("y", g.op("Add", g.load("x", ("n",), BF16), 0.1))
    after = legal(g.build(), chip)
    (scalar,) = (n for n in after.nodes if n.op == "Scalar")
    assert (scalar.output.dtype, float(scalar.attrs["value"])) == (F32, 0.10009765625)


def test_a_cast_number_is_rounded_as_the_cast_rounds(chip):
    from dataclasses import replace

    from att.ir.node import Node
    from att.ir.tensor import TensorView
    from schedule.cleanup import FoldScalarCasts

    graph = graph_of("Add", F32, 2.7)
    (scalar,) = (n for n in graph.nodes if n.op == "Scalar")
    cast = Node(name="number", op="Cast", inputs=(scalar.name,), output=TensorView(dtype=DType.INT32))
    folded = FoldScalarCasts().apply(replace(graph, nodes=(scalar, cast)))
    assert folded.node_of["number"].attrs["value"] == "2"


def casts(graph):
    return [(n.inputs[0], n.output.dtype) for n in graph.nodes if n.op == "Cast"]


def test_a_value_is_cast_once_for_all_its_readers(chip):
    g = GraphBuilder("two", {"n": 64})
    x = g.load("x", ("n",), BF16)
    g.store("a", g.op("Exp", x))
    g.store("b", g.op("Abs", x))
    after = legal(g.build(), chip)
    assert casts(after).count(("load", F32)) == 1
    assert len(casts(after)) == 3


def test_rounding_between_two_ops_stays(chip):
    g = GraphBuilder("chain", {"n": 64})
    g.store("y", g.op("Exp", g.op("Abs", g.op("Exp", g.load("x", ("n",), BF16)))))
    before = g.build()
    after = legal(before, chip)
    # exp rounds to bfloat16; what Abs gives is bfloat16 anyway
    assert len(casts(after)) == 4
    assert_same_meaning(before, after)


def test_up_and_down_again_disappears(chip):
    g = GraphBuilder("copy", {"n": 64})
    g.store("y", g.cast(g.cast(g.load("x", ("n",), BF16), F32), BF16))
    assert casts(legal(g.build(), chip)) == []


def test_down_and_up_again_rounds_and_stays(chip):
    g = GraphBuilder("round", {"n": 64})
    g.store("y", g.cast(g.cast(g.load("x", ("n",)), BF16), F32))
    assert len(casts(legal(g.build(), chip))) == 2


def test_a_choice_among_narrow_values_is_made_on_them(chip):
    g = GraphBuilder("relu", {"m": SHAPE[0], "n": SHAPE[1]})
    x, y = (g.cast(g.load(name, ("m", "n"), F16), F32) for name in "xy")
    g.store("z", g.cast(g.op("Maximum", g.op("Maximum", x, 0.0), y), F16))
    after = legal(g.build(), chip)
    assert casts(after) == []
    assert_same_meaning(g.build(), after)
    g = GraphBuilder("sum", {"n": 64})
    x, y = (g.cast(g.load(name, ("n",), F16), F32) for name in "xy")
    g.store("z", g.cast(g.op("Add", x, y), F16))
    assert len(casts(legal(g.build(), chip))) == 3  # an addition is more exact in float32


def test_what_was_added_and_removed_is_told(chip):
    g = GraphBuilder("tell", {"n": 64})
    x = g.load("x", ("n",), BF16)
    g.store("y", g.op("Exp", g.cast(g.cast(x, F32), BF16)))
    told = schedule_graph(g.build(), chip).casts
    assert [(c.node, c.value, c.source, c.target) for c in told if c.added] == [("exp", "exp_float32", F32, BF16)]
    assert [(c.node, c.value, c.source, c.target) for c in told if not c.added] == [("cast1", "cast", F32, BF16)]


def test_a_graph_of_truth_values_is_bytes(chip):
    g = GraphBuilder("truth", {"n": 64})
    mask = g.cast(g.load("x", ("n",)), BOOL)
    g.store("y", g.op("LogicalAnd", mask, g.load("m", ("n",), BOOL), dtype=BOOL))
    before = g.build()
    after = legal(before, chip)
    assert all(n.output.dtype is not BOOL for n in after.nodes)
    assert after.node_of["cast"].op == "Ne"
    assert_same_meaning(before, after)


def test_what_is_legal_is_left_alone(chip):
    graph = graph_of("Add", F32)
    assert legal(graph, chip) == graph
    assert cast_changes(graph, legal(graph, chip)) == ()


def test_wide_numbers_are_not_chosen_from_two_scalars(chip):
    g = GraphBuilder("wide_choice", {"n": 100})
    g.store("y", g.op("Where", g.load("mask", ("n",), DType.UINT8), 2, 3))
    graph = g.build()
    wide = {n.name for n in graph.nodes if n.output.dtype is DType.FLOAT32}
    texts = {n.name: {**n.attrs, "value": str(n.attrs["value"]).partition(".")[0]} for n in graph.nodes if n.op == "Scalar"}
    nodes = (
        replace(n, attrs=texts.get(n.name, n.attrs), output=replace(n.output, dtype=DType.INT64)) if n.name in wide else n
        for n in graph.nodes
    )
    with pytest.raises(ScheduleError, match="Where chooses int64 from two Scalars"):
        schedule_graph(replace(graph, nodes=tuple(nodes)), chip)
