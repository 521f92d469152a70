"""The `mended` set: nothing is free, nothing gets cheaper by being larger, and the published faults are gone."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from att.expr.core import integer, symbol
from att.expr.evaluate import evaluate
from att.ir.dtype import DType
from att.ops.call import Call, CostSet, View
from att.ops.registry import OPS, spec_of
from att.ops.spec import ComputeType, Costs

F16, F32, U8, I64 = DType.FLOAT16, DType.FLOAT32, DType.UINT8, DType.INT64
VECTOR_OPS = sorted(op for op, spec in OPS.items() if spec.compute in {ComputeType.ELEMENTWISE, ComputeType.REDUCE, ComputeType.BROADCAST})

dims = st.integers(1, 300)
steps = st.integers(0, 40)
cores = st.integers(1, 48)


def _vector_call(make: Any, op: str, rows: int, cols: int, pitch: int = 512) -> Call:
    """Rows of a fixed pitch, so that only the dims vary."""
    spec = spec_of(op)
    full = _rows(rows, cols, pitch)
    match spec.compute:
        case ComputeType.REDUCE:
            return make.call(op, [full], View(dtype=F32, dims=(integer(rows), integer(1)), ub_strides=(integer(1), integer(0))))
        case ComputeType.BROADCAST:
            return make.call(op, [View(dtype=F32, dims=(integer(rows), integer(1)), ub_strides=(integer(1), integer(0)))], full)
        case _:
            return make.call(op, [full] * len(spec.inputs), full)


def _rows(rows: int, cols: int, pitch: int, dtype: DType = F32) -> View:
    return View(dtype=dtype, dims=(integer(rows), integer(cols)), ub_strides=(integer(pitch), integer(1)))


@pytest.mark.parametrize("op", VECTOR_OPS)
@given(rows=dims, cols=dims, more_rows=steps, more_cols=steps)
def test_vector_calls_grow_with_every_dim(
    make: Any, mended: Costs, mended_v2: Costs, op: str, rows: int, cols: int, more_rows: int, more_cols: int
) -> None:
    for costs in (mended, mended_v2):
        if costs.chip.cost_table not in OPS[op].dtypes or F32 not in OPS[op].dtypes[costs.chip.cost_table]:
            continue
        small = make.ticks(_vector_call(make, op, rows, cols), costs)
        large = make.ticks(_vector_call(make, op, rows + more_rows, cols + more_cols), costs)
        assert 0 < small <= large


def _transfer(make: Any, op: str, rows: int, cols: int, cores: int, *, gm: int, dtype: DType = F32, pitch: int = 1024) -> Call:
    view = View(
        dtype=dtype,
        dims=(integer(rows), integer(cols)),
        ub_strides=(integer(pitch), integer(1)),
        gm_strides=(integer(gm), integer(1)),
    )
    return make.call(op, [], view, cores)


@given(st.sampled_from(["Load", "Store"]), dims, st.integers(1, 1000), steps, cores, st.sampled_from([F32, F16, U8, I64]))
def test_transfers_grow_with_the_number_of_rows(
    make: Any, mended: Costs, mended_v2: Costs, op: str, rows: int, cols: int, more: int, cores: int, dtype: DType
) -> None:
    for costs in (mended, mended_v2):
        few = make.ticks(_transfer(make, op, rows, cols, cores, gm=1007, dtype=dtype), costs)
        many = make.ticks(_transfer(make, op, rows + more, cols, cores, gm=1007, dtype=dtype), costs)
        assert 0 < few <= many


@given(st.sampled_from(["Load", "Store"]), dims, st.integers(1, 1000), cores, cores)
def test_transfers_grow_with_the_cores_that_share_the_bandwidth(
    make: Any, mended: Costs, mended_v2: Costs, op: str, rows: int, cols: int, fewer: int, more: int
) -> None:
    fewer, more = min(fewer, more), max(fewer, more)
    for costs in (mended, mended_v2):
        few = make.ticks(_transfer(make, op, rows, cols, fewer, gm=2000), costs)
        assert few <= make.ticks(_transfer(make, op, rows, cols, more, gm=2000), costs)


@given(dims, st.integers(8, 1000), steps, cores, st.sampled_from([F32, F16, U8, I64]))
def test_loads_grow_with_the_length_of_a_row_from_32_bytes_on(
    make: Any, mended: Costs, mended_v2: Costs, rows: int, cols: int, more: int, cores: int, dtype: DType
) -> None:
    longer = cols + more
    for costs in (mended, mended_v2):
        if cols * dtype.bytes < 32:
            continue
        short = make.ticks(_transfer(make, "Load", rows, cols, cores, gm=cols + 7, dtype=dtype), costs)
        assert short <= make.ticks(_transfer(make, "Load", rows, longer, cores, gm=longer + 7, dtype=dtype), costs)


@given(dims, st.integers(1, 1000), steps, cores, st.sampled_from([F32, F16, U8]))
def test_unaligned_stores_grow_with_the_length_of_a_row(
    make: Any, mended: Costs, rows: int, cols: int, more: int, cores: int, dtype: DType
) -> None:
    lengths = [n for n in (cols, cols + more) if n * dtype.bytes % 32]
    prices = [make.ticks(_transfer(make, "Store", rows, n, cores, gm=n, dtype=dtype), mended) for n in lengths]
    assert prices == sorted(prices)


@given(dims, st.integers(1, 125), steps, cores)
def test_aligned_stores_grow_with_the_length_of_a_row(make: Any, mended: Costs, rows: int, blocks: int, more: int, cores: int) -> None:
    short, long = (make.ticks(_transfer(make, "Store", rows, n * 8, cores, gm=2000), mended) for n in (blocks, blocks + more))
    assert short <= long


@given(dims, st.integers(1, 900), cores)
def test_unaligned_stores_are_never_cheaper_than_the_aligned_row_before(make: Any, mended: Costs, rows: int, cols: int, cores: int) -> None:
    aligned = cols // 8 * 8
    if aligned and cols % 8:
        below = make.ticks(_transfer(make, "Store", rows, aligned, cores, gm=aligned), mended)
        assert below <= make.ticks(_transfer(make, "Store", rows, cols, cores, gm=cols), mended)


@pytest.mark.parametrize("op", ["Load", "Store"])
@given(sizes=st.tuples(*[st.integers(1, 60)] * 3), gaps=st.tuples(*[st.integers(-20, 300)] * 2), used=cores, pad=st.booleans())
def test_no_transfer_beats_the_bandwidth_of_the_table(
    make: Any, mended: Costs, mended_v2: Costs, op: str, sizes: tuple[int, ...], gaps: tuple[int, int], used: int, pad: bool
) -> None:
    """Whatever the strides: all bytes at the best rate, and at least one head."""
    outer, rows, cols = sizes
    pitch = (cols + 7) // 8 * 8 if pad else cols
    middle = max(0, cols + gaps[0])
    strides = (max(0, rows * middle + gaps[1]), middle, 1)
    view = View(
        dtype=F32,
        dims=tuple(integer(n) for n in sizes),
        ub_strides=tuple(integer(n) for n in (rows * pitch, pitch, 1)),
        gm_strides=tuple(integer(n) for n in strides),
    )
    for costs in (mended, mended_v2):
        table = costs.chip.rows[op, "float32"].params
        best = 4 * outer * rows * cols / (table["a"] + table["b"] / used) + table["h"]
        assert make.cycles(make.call(op, [], view, used), costs) >= float(best) * (1 - 1e-7)


def test_growing_past_the_load_threshold_is_no_gain(make: Any, mended: Costs, published: Costs) -> None:
    def load(elems: int, costs: Costs) -> int:
        return make.ticks(make.call("Load", [], make.dense(elems, gm=(1,)), 4), costs)

    assert load(6250, published) < load(6249, published), "the published step down at 25000 bytes"
    prices = [load(n, mended) for n in range(6200, 12000, 50)]
    assert prices == sorted(prices)
    assert load(6000, mended) == load(6000, published)
    assert load(40000, mended) == load(40000, published)


def test_constants_are_the_published_ones_where_nothing_is_mended(make: Any, mended: Costs, published: Costs) -> None:
    for op in ("Abs", "Add", "Exp", "Mul", "Sub", "Rsqrt", "Erf", "Tanh"):
        call = make.unary(op, 4, 64, operands=len(spec_of(op).inputs))
        assert make.ticks(call, mended) == make.ticks(call, published)
    rows = make.dense(48, 64)
    result = View(dtype=F32, dims=(integer(48), integer(1)), ub_strides=(integer(1), integer(0)))
    for op in ("Sum", "Max", "Min"):
        assert make.ticks(make.call(op, [rows], result), mended) == make.ticks(make.call(op, [rows], result), published)


def test_negative_strides_cost_nothing_less(make: Any, mended: Costs) -> None:
    overlapping = make.ticks(_transfer(make, "Load", 16, 100, 4, gm=60), mended)
    assert overlapping == make.ticks(_transfer(make, "Load", 16, 100, 4, gm=140), mended), "no. 1: the magnitude of the gap"
    assert overlapping > make.ticks(_transfer(make, "Load", 16, 100, 4, gm=100), mended)


def test_long_strides_are_clamped(make: Any, mended: Costs, mended_v2: Costs) -> None:
    for costs in (mended, mended_v2):
        prices = [make.ticks(_transfer(make, "Load", 16, 64, 4, gm=64 + gap), costs) for gap in (0, 100, 1024, 10**6)]
        assert prices == sorted(prices)
        assert prices[2] == prices[3], "no. 22"


def test_further_instructions_pay_their_head(make: Any, mended: Costs) -> None:
    def load(outer: int) -> float:
        view = View(
            dtype=F32,
            dims=(integer(outer), integer(2), integer(64)),
            ub_strides=(integer(128), integer(64), integer(1)),
            gm_strides=(integer(10000), integer(128), integer(1)),
        )
        return make.cycles(make.call("Load", [], view), mended)

    assert load(10) == pytest.approx(5 * load(2), abs=1e-4)
    assert load(2) == pytest.approx(2 * (27.01 + 512 / (7.9052 + 7.31) + 0.07 * 2 * 64), abs=1e-4)


def test_casts_are_not_free(make: Any, mended: Costs) -> None:
    for source, target in ((I64, F32), (DType.INT32, F32), (DType.INT8, F16), (F32, F32)):
        assert make.cycles(make.call("Cast", [make.dense(64, dtype=source)], make.dense(64, dtype=target)), mended) > 10, "no. 14"


def test_broadcast_pays_for_its_output(make: Any, mended: Costs) -> None:
    def cost(rows: int, cols: int, *, column: bool) -> float:
        ub = (1, 0) if column else (0, 1)
        size = (rows, 1) if column else (1, cols)
        source = View(dtype=F32, dims=tuple(integer(d) for d in size), ub_strides=tuple(integer(s) for s in ub))
        return make.cycles(make.call("Broadcast", [source], make.dense(rows, cols)), mended)

    for column in (True, False):
        assert cost(64, 1024, column=column) > 4 * cost(64, 128, column=column) > 0, "no. 12"
        assert all(a < b for a, b in pairwise(cost(64, n, column=column) for n in (64, 128, 256, 512)))
    assert cost(1, 128, column=False) > 13, "no. 13: a started instruction counts whole"


def test_spreading_a_number_is_a_fill(make: Any, mended: Costs, published: Costs) -> None:
    for costs in (mended, published):
        cost = make.cycles(make.call("Broadcast", [make.scalar()], make.dense(8, 100)), costs)
        assert cost == pytest.approx(0.0156 * 800 + 16.9965, abs=1e-6)


def test_rates_are_rounded_down_by_at_most_one_unit(make: Any, mended: Costs) -> None:
    for cores in (1, 7, 48):
        ticks = make.ticks(make.call("Load", [], make.dense(6000, gm=(1,)), cores), mended)
        exact = (Fraction(24000) / (Fraction("7.9052") + Fraction("7.31") / cores) + Fraction("27.01")) * 10**6
        assert 0 <= exact - ticks <= Fraction(24000, 10**4) + 1


def test_bfloat16_and_deep_broadcasts_have_a_price(make: Any, mended: Costs) -> None:
    column = View(dtype=DType.BFLOAT16, dims=(integer(64), integer(1)), ub_strides=(integer(1), integer(0)))
    assert make.cycles(make.call("Broadcast", [column], make.dense(64, 128, dtype=DType.BFLOAT16)), mended) > 60, "no. 32"
    deep = View(dtype=F32, dims=tuple(integer(n) for n in (1, 4, 1, 4, 1)), ub_strides=tuple(integer(n) for n in (0, 4, 0, 1, 0)))
    assert make.cycles(make.call("Broadcast", [deep], make.dense(2, 4, 2, 4, 2)), mended) > 10, "no. 33"


def test_where_and_compare_take_at_least_one_repeat(make: Any, mended: Costs) -> None:
    one, full = make.dense(1, 2), make.dense(1, 128)
    for op in ("Where", "Gt", "Eq"):
        operands = len(spec_of(op).inputs)
        assert make.ticks(make.call(op, [one] * operands, one), mended) > 0, "no. 11"
    for op in ("Where",):
        assert make.ticks(make.call(op, [one] * 3, one), mended) == make.ticks(make.call(op, [full] * 3, full), mended)


def test_where_is_linear(make: Any, mended: Costs, published: Costs) -> None:
    view = make.dense(2048, dtype=F16)
    call = make.call("Where", [make.dense(2048, dtype=U8), view, view], view)
    assert make.cycles(call, mended) < 200, "no. 10: the published price is 690,200 cycles"
    assert make.cycles(call, published) > 600_000


def test_scalar_operands_take_the_cheaper_instruction(make: Any, mended: Costs) -> None:
    tile = make.dense(1000)
    for op, api in (("Add", "Adds"), ("Mul", "Muls"), ("Maximum", "Maxs"), ("Minimum", "Mins")):
        row = mended.chip.rows[api, "float32"].params
        cost = make.cycles(make.call(op, [tile, make.scalar()], tile), mended)
        assert cost == pytest.approx(float(row["k"] * 1000 + row["b"]), abs=1e-6)
    minus, reverse = (make.ticks(make.call("Sub", ops, tile), mended) for ops in ([tile, make.scalar()], [make.scalar(), tile]))
    assert minus < reverse, "s - x negates first"
    whole = make.ticks(make.call("TrueDiv", [tile, tile], tile), mended)
    assert make.ticks(make.call("TrueDiv", [tile, make.scalar()], tile), mended) > whole, "the scalar is spread first"


def test_integers_pay_for_their_missing_instructions(make: Any, mended: Costs) -> None:
    ints, floats = (make.unary("Abs", 1000, dtype=dtype) for dtype in (DType.INT32, F32))
    assert make.ticks(ints, mended) > 2 * make.ticks(floats, mended)


def test_v2_counts_all_elements(make: Any, mended_v2: Costs) -> None:
    assert make.cycles(make.unary("Add", 64, 4096), mended_v2) == 20 + 4 + 64 * 4096 // 64, "no. 18"
    assert make.cycles(make.unary("Add", 64, 8), mended_v2) == 20 + 4 + 8


@pytest.mark.parametrize("dtype", [F16, DType.INT8, DType.INT16, I64, DType.BFLOAT16])
def test_v2_sums_of_all_dtypes_have_a_price(make: Any, mended_v2: Costs, dtype: DType) -> None:
    result = View(dtype=dtype, dims=(integer(16), integer(1)), ub_strides=(integer(1), integer(0)))
    assert make.cycles(make.call("Sum", [make.dense(16, 1917, dtype=dtype)], result), mended_v2) > 500, "no. 26"


def test_v2_reduce_is_not_below_the_published_fold(make: Any, mended_v2: Costs) -> None:
    result = View(dtype=F32, dims=(integer(16), integer(1)), ub_strides=(integer(1), integer(0)))
    assert make.cycles(make.call("Sum", [make.dense(16, 1917)], result), mended_v2) >= 944, "att_facts §8: AR f32 16x1917"


def test_symbolic_transfers_never_undercut_known_ones(make: Any, mended: Costs) -> None:
    rows, cols, pitch = symbol("rows", 1, 400), symbol("cols", 1, 400), symbol("pitch", 1, 1000)
    for op in ("Load", "Store"):
        view = View(dtype=F32, dims=(rows, cols), ub_strides=(integer(400), integer(1)), gm_strides=(pitch, integer(1)))
        (price,) = spec_of(op).cost(make.call(op, [], view, 7), mended).values()
        for r, c, p in ((1, 5, 5), (9, 24, 24), (16, 24, 100), (300, 399, 500), (64, 8, 8)):
            known = make.ticks(_transfer(make, op, r, c, 7, gm=p, pitch=400), mended)
            assert evaluate(price, {"rows": r, "cols": c, "pitch": p}) >= known


def test_prices_stay_small_for_tiles_that_fit_the_buffer(v1: Any, v2: Any, make: Any) -> None:
    elems = symbol("elems", 1, 2**16)
    for chip in (v1, v2):
        for cost_set in CostSet:
            costs, used = Costs(chip=chip, cost_set=cost_set), symbol("cores", 1, chip.vector_cores)
            for op in ("Load", "Store", "Exp", "Sum", "Broadcast"):
                tile = make.dense(elems, gm=(1,))
                (price,) = spec_of(op).cost(make.call(op, [tile], tile, used), costs).values()
                assert _largest(price) < 2**62


def _largest(price: Any) -> int:
    from att.expr.core import Expr
    from att.expr.node import topological

    return max(abs(bound) for node in topological(price) if isinstance(node, Expr) for bound in (node.lo, node.hi))
