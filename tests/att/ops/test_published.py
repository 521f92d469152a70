"""The `published` set against numbers of the reference's own unit tests (att_facts §8) and against its formulas worked out by hand."""

from __future__ import annotations

from fractions import Fraction
from math import floor
from typing import Any

import pytest

from att.expr.core import integer, symbol
from att.expr.evaluate import evaluate
from att.ir.dtype import DType
from att.ops import published_broadcast as broadcast
from att.ops import published_composite as composite
from att.ops import published_select as select
from att.ops import published_vector as vectors
from att.ops.call import Pipe, View
from att.ops.registry import spec_of
from att.ops.spec import Costs

F16, F32, U8, I32, I64 = DType.FLOAT16, DType.FLOAT32, DType.UINT8, DType.INT32, DType.INT64
GOLDEN = 1e-6
"""V1 holds its constants as float32, so its numbers agree to about that (att_facts §8)."""


def _value(amount: Any) -> float:
    ticks = amount.ticks
    assert ticks.lo == ticks.hi
    return ticks.lo / 10**6


def test_v1_broadcast_formulas(published: Costs) -> None:
    rows = integer(64)
    assert _value(broadcast.outer(F32, rows, published)) == pytest.approx(67.5690893734, rel=GOLDEN)
    assert _value(broadcast.outer(F16, rows, published)) == pytest.approx(67.1615731632, rel=GOLDEN)
    assert _value(broadcast.last(F16, rows, published, strided=False)) == pytest.approx(78.0291764239, rel=GOLDEN)
    assert _value(broadcast.last(F32, rows, published, strided=False)) == pytest.approx(78.3254064691, rel=GOLDEN)
    assert _value(broadcast.last(F16, rows, published, strided=True)) == pytest.approx(78.1671440434, rel=GOLDEN)
    assert _value(broadcast.middle(F32, integer(32), rows, integer(128), published)) == pytest.approx(7183.13282108, rel=GOLDEN)


def test_v1_broadcast_calls_take_the_matching_formula(make: Any, published: Costs) -> None:
    def cost(source: View, output: View) -> float:
        return make.cycles(make.call("Broadcast", [source], output), published)

    row = View(dtype=F32, dims=(integer(1), integer(128)), ub_strides=(integer(0), integer(1)))
    assert cost(row, make.dense(64, 128)) == pytest.approx(67.5690893734, rel=GOLDEN)
    column = View(dtype=F16, dims=(integer(64), integer(1)), ub_strides=(integer(1), integer(0)))
    assert cost(column, make.dense(64, 128, dtype=F16)) == pytest.approx(78.0291764239, rel=GOLDEN)
    one = View(dtype=F16, dims=(integer(1), integer(1)), ub_strides=(integer(0), integer(0)))
    assert cost(one, make.dense(64, 128, dtype=F16)) == pytest.approx(80.8968982697, rel=GOLDEN)
    middle = View(dtype=F32, dims=(integer(32), integer(1), integer(128)), ub_strides=(integer(128), integer(0), integer(1)))
    assert cost(middle, make.dense(32, 64, 128)) == pytest.approx(7183.13282108, rel=GOLDEN)


def test_v1_broadcast_faults_are_kept(make: Any, published: Costs) -> None:
    def cost(inner: int) -> float:
        row = View(dtype=F32, dims=(integer(1), integer(inner)), ub_strides=(integer(0), integer(1)))
        return make.cycles(make.call("Broadcast", [row], make.dense(64, inner)), published)

    assert cost(128) == cost(1024), "no. 12: the inner size is ignored"
    column = View(dtype=DType.BFLOAT16, dims=(integer(64), integer(1)), ub_strides=(integer(1), integer(0)))
    call = make.call("Broadcast", [column], make.dense(64, 128, dtype=DType.BFLOAT16))
    assert make.cycles(call, published) == 0, "no. 32: bfloat16 has no Brcb repeat count"


def test_v1_logic_formulas(published: Costs) -> None:
    assert _value(vectors.logical_pair_cycles("Mul", F16, integer(16 * 32), published)) == pytest.approx(58.3298370838, rel=GOLDEN)
    assert _value(vectors.logical_pair_cycles("Mul", F32, integer(64 * 128), published)) == pytest.approx(552.477502823, rel=GOLDEN)
    assert _value(vectors.logical_pair_cycles("Max", F32, integer(8 * 16), published)) == pytest.approx(88.1791579127, rel=GOLDEN)
    assert _value(vectors.logical_not_cycles(integer(100), published)) == pytest.approx(105.123966054, rel=GOLDEN)


def test_v1_where_formulas(published: Costs) -> None:
    assert _value(select.where_rows(F16, integer(32), integer(64), published)) == pytest.approx(3707.78800159, rel=GOLDEN)
    assert _value(select.where_flat(F16, integer(2048), published)) == pytest.approx(690200.903288, rel=GOLDEN)
    assert _value(select.where_flat(F32, integer(8192), published)) == pytest.approx(4450.97347861, rel=GOLDEN)


def test_v1_where_of_short_rows_is_free(make: Any, published: Costs) -> None:
    view = make.dense(8, 60, pitch=64)
    assert make.cycles(make.call("Where", [make.dense(8, 60, pitch=64, dtype=U8), view, view], view), published) > 0
    short = make.dense(8, 30, pitch=32)
    assert make.cycles(make.call("Where", [make.dense(8, 30, pitch=32, dtype=U8), short, short], short), published) == 0


def test_v1_packing_of_rows(make: Any, published: Costs) -> None:
    assert make.cycles(make.unary("RemovePad", 64, 32, 120), published) == pytest.approx(7706.30890846, rel=GOLDEN)


def test_v1_composite_reduces(published: Costs) -> None:
    """Formulas only: what is scheduled as these is priced as a whole-repeat instruction."""
    first, last = integer(200), integer(100)
    assert _value(composite.largest_of_rows("Max", F16, last, first, published)) == pytest.approx(612.478002906, rel=GOLDEN)
    assert _value(composite.joined_rows("Sum", F16, first, last, published)) == pytest.approx(504.153908845, rel=GOLDEN)
    assert _value(composite.joined_rows("Mean", F16, first, last, published)) == pytest.approx(527.964508139, rel=GOLDEN)
    smallest = 612.478002906 + 200 / 16 * (20.1104 - 20.12) + 18.0092 - 18.0042
    assert _value(composite.largest_of_rows("Min", F16, last, first, published)) == pytest.approx(smallest, abs=1e-5)
    product = 504.153908845 + 398 * 112 * (0.011 - 0.0103) + 23.1243 - 22.2173
    assert _value(composite.joined_rows("Prod", F16, first, last, published)) == pytest.approx(product, abs=1e-4)


@pytest.mark.parametrize("cores", [1, 48])
def test_v1_gather_reads_its_table_twice(make: Any, published: Costs, cores: int) -> None:
    table, indices = make.dense(64, 128, dtype=F16), make.dense(128, dtype=I64)
    found = spec_of("Gather").cost(make.call("Gather", [table, indices], make.dense(64, 128, dtype=F16), cores), published)
    assert found[Pipe.VEC].lo / 10**6 == pytest.approx(354.892294884, rel=GOLDEN)
    assert found[Pipe.MTE2].lo / 10**6 == pytest.approx(32768 / (7.9052 + 7.31 / cores) + 54.02, rel=GOLDEN)


def test_v2_gather_takes_the_same_formula(make: Any, published_v2: Costs) -> None:
    table, indices = make.dense(64, 128, dtype=F16), make.dense(128, dtype=I64)
    found = spec_of("Gather").cost(make.call("Gather", [table, indices], make.dense(64, 128, dtype=F16), 4), published_v2)
    assert found[Pipe.VEC].lo / 10**6 == pytest.approx(0.0332 * 8192 + 18.869 + 0.018 * 128 + 20.7457 + 0.1873 * 128 + 17.0248, abs=1e-5)
    assert found[Pipe.MTE2].lo / 10**6 == pytest.approx(32768 / (11.8292 + 6.6155 / 4) + 320, abs=1e-4)


@pytest.mark.parametrize("op", ["Ge", "Gt", "Le"])
def test_v1_order_of_64_bit_integers(make: Any, published: Costs, op: str) -> None:
    source = View(dtype=I64, dims=(integer(256), integer(512)), ub_strides=(integer(516), integer(1)))
    padded = make.cycles(make.call(op, [source, source], make.dense(256, 512, dtype=U8)), published)
    exact = _value(select.compare_wide_order(op, integer(256), integer(512), integer(1), published))
    assert exact == pytest.approx(1336224.05372559, rel=GOLDEN)
    assert padded > exact


def test_v1_compare_takes_fewer_calls(published: Costs) -> None:
    def narrow(rows: int, cols: int) -> float:
        return _value(select.compare_narrow("GT", F32, U8, integer(rows), integer(cols), integer(1), published))

    def by_hand(elems: int, calls: int, *, aligned: bool) -> float:
        compare = 0.031 * elems + 21.0319 if aligned else 0.0157 * elems + 21.0319
        others = 0.0156 * elems + 16.9965 + 0.0229 * elems + 43.9906 + 0.0087 * elems + 20.4393
        return 1.245 * calls * (compare + others)

    assert narrow(2, 640) == pytest.approx(by_hand(640, 2, aligned=True), abs=1e-5)
    assert narrow(100, 65) == pytest.approx(by_hand(6400, 2, aligned=True), abs=1e-5)
    assert narrow(1, 129) == pytest.approx(by_hand(129, 1, aligned=False), abs=1e-5)


@pytest.mark.parametrize(
    ("source", "target", "k", "b"),
    [
        (F16, F32, 0.0147, 20.1204),
        (F32, F16, 0.0087, 20.4393),
        (F32, DType.BFLOAT16, 0.0087, 20.4393),
        (I64, I32, 0.0332, 18.869),
        (U8, F16, 0.0102, 46.512),
        (I64, F32, 0, 0),
        (I32, F32, 0, 0),
        (DType.INT8, F16, 0, 0),
        (F32, F32, 0, 0),
    ],
)
def test_v1_casts_fall_back_by_dtype(make: Any, published: Costs, source: DType, target: DType, k: float, b: float) -> None:
    call = make.call("Cast", [make.dense(10, 64, dtype=source)], make.dense(10, 64, dtype=target))
    assert make.cycles(call, published) == pytest.approx(640 * k + b, abs=1e-6)


@pytest.mark.parametrize("op", ["Sigmoid", "TrueDiv", "Ln", "Mean", "Prod", "Any", "All", "Transpose", "ArgMax"])
def test_v1_ops_without_a_formula_cost_one_cycle(make: Any, published: Costs, op: str) -> None:
    operands = len(spec_of(op).inputs)
    assert make.cycles(make.unary(op, 48, 3000, operands=operands), published) == 1


def test_v1_reduces_count_all_elements_of_the_input(make: Any, published: Costs) -> None:
    rows = make.dense(2, 5, pitch=8)
    result = View(dtype=F32, dims=(integer(2), integer(1)), ub_strides=(integer(1), integer(0)))
    assert make.cycles(make.call("Sum", [rows], result), published) == pytest.approx(0.1094 * 16 + 32.0029, abs=1e-6)
    assert make.cycles(make.call("Max", [rows], result), published) == pytest.approx(0.1094 * 16 + 20.0051, abs=1e-6)


LOADS = {
    "dense, below the threshold": ((8, 64), (64, 1), 64, 4 * 512 / (7.9052 + 7.31 / 4) + 27.01),
    "dense, above it": ((100, 64), (64, 1), 64, 4 * 6400 / (9.9074 + 15.896 / 4) + 27.01),
    "slice of rows": ((10, 64), (100, 1), 64, 4 * 640 / (7.9052 + 7.31 / 4) + 27.01 + 0.07 * 10 * 36),
    "stride of 300 elements": ((10, 64), (364, 1), 64, 4 * 640 / (7.9052 + 7.31 / 4) + 27.01 + 0.07 * 10 * 44),
    "short padded rows": ((10, 5), (5, 1), 8, 10 * 512 / (7.9052 + 7.31 / 4) + 27.01),
}


@pytest.mark.parametrize("case", LOADS)
def test_v1_load(make: Any, published: Costs, case: str) -> None:
    dims, gm, pitch, expected = LOADS[case]
    assert make.cycles(make.call("Load", [], make.dense(*dims, gm=gm, pitch=pitch), 4), published) == pytest.approx(expected, abs=1e-3)


def test_v1_store(make: Any, published: Costs) -> None:
    def cost(*dims: int, gm: tuple[int, ...], pitch: int = 1) -> float:
        return make.cycles(make.call("Store", [], make.dense(*dims, gm=gm, pitch=pitch), 4), published)

    rate = 9.96 + 3.79 / 4
    assert cost(640, gm=(1,)) == pytest.approx(2560 / rate + 12.09, abs=1e-3)
    assert cost(10, 64, gm=(100, 1)) == pytest.approx(2560 / rate + 12.09 + 0.02 * 10 * 36, abs=1e-3)
    assert cost(201, gm=(1,)) == pytest.approx(804 / 2 + 1.3, abs=1e-3), "no. 15: 201 elements count as below 512"
    assert cost(601, gm=(1,)) == pytest.approx(2404 / rate + 12.09 + 256 - 12.09 - 512 / rate, abs=1e-3)
    assert cost(10, 5, gm=(9, 1), pitch=8) == pytest.approx(((-0.404 - 2.2) * 20 + 35.56 + 96.24) * 10 + 12.09, abs=1e-3)


def test_v1_store_of_a_reduced_last_axis_is_rows_of_one_element(published: Costs, make: Any) -> None:
    view = View(dtype=F32, dims=(integer(3), integer(1)), ub_strides=(integer(1), integer(0)), gm_strides=(integer(1), integer(0)))
    assert make.cycles(make.call("Store", [], view), published) == pytest.approx(299.868, abs=1e-3), "sum_ar [3,5] of the recorded tilings"


def test_v1_three_dims_keep_the_longer_one_in_the_instruction(make: Any, published: Costs) -> None:
    def cost(outer: int, middle: int) -> float:
        return make.cycles(make.call("Load", [], make.dense(outer, middle, 16, gm=(5000, 100, 1)), 1), published)

    rate = 7.9052 + 7.31
    assert cost(3, 8) == pytest.approx(3 * (8 * 64 / rate + 27.01 + 0.07 * 8 * 84), abs=1e-3)
    assert cost(8, 3) == pytest.approx(3 * (8 * 64 / rate + 27.01 + 0.07 * 8 * ((5000 - 16) % 256)), abs=1e-3)


V2_GOLDEN = {
    "Abs": 25, "Exp": 45, "Ln": 47, "Sqrt": 46, "Div": 46, "Rsqrt": 61, "Reciprocal": 49, "Relu": 25, "Maximum": 26, "Neg": 28, "Add": 27,
    "Mul": 28, "LeakyRelu": 25, "RemovePad": 50, "Gelu": 109, "Erf": 154, "Tanh": 85, "Sigmoid": 76, "Sign": 49, "LogicalNot": 42, "LogicalAnd": 51, "LogicalOr": 51, "TrueDiv": 46,
    "ClipByValue": 35, "FloorDiv": 80, "Pow": 301,
}  # fmt: skip


@pytest.mark.parametrize("op", V2_GOLDEN)
def test_v2_elementwise(make: Any, published_v2: Costs, op: str) -> None:
    assert make.cycles(make.unary(op, 129, operands=len(spec_of(op).inputs)), published_v2) == V2_GOLDEN[op]


def test_v2_elementwise_of_integers(make: Any, published_v2: Costs) -> None:
    assert make.cycles(make.unary("BitwiseAnd", 129, dtype=I32, operands=2), published_v2) == 35


def test_v2_elementwise_sees_the_first_dim_only(make: Any, published_v2: Costs) -> None:
    assert make.cycles(make.unary("Add", 64, 4096), published_v2) == make.cycles(make.unary("Add", 64, 8), published_v2) == 25, "no. 18"


def test_v2_compare_and_cast(make: Any, published_v2: Costs) -> None:
    def cost(op: str, source: DType, target: DType, *dims: int) -> float:
        operand = make.dense(*dims, dtype=source)
        return make.cycles(make.call(op, [operand], make.dense(*dims, dtype=target)), published_v2)

    assert cost("Gt", F16, U8, 129) == 25
    assert (cost("Eq", I64, U8, 129), cost("Ne", I64, U8, 129), cost("Le", I64, U8, 129)) == (36, 36, 39)
    assert cost("Cast", F32, F16, 129) == 30
    assert cost("Cast", DType.INT8, U8, 2, 64) == 52
    assert cost("Cast", U8, I64, 64) == 42
    assert cost("Cast", I64, U8, 64) == 38


def test_v2_load_of_rows(make: Any, published_v2: Costs) -> None:
    z0, z1, cores = symbol("z0", 1, 64), symbol("z1", 1, 64), symbol("cores", 1, 64)
    view = make.dense(z0, z1, 64, gm=(z1 * 512, 512, 1))
    (price,) = spec_of("Load").cost(make.call("Load", [], view, cores), published_v2).values()
    for env in ({"z0": 3, "z1": 5, "cores": 1}, {"z0": 7, "z1": 2, "cores": 48}):
        rows = env["z0"] * env["z1"]
        rate = Fraction("13.1355") + Fraction("6.4088") / env["cores"]
        exact = (256 * rows / rate + 160 + Fraction("8.96") * rows) * 10**6
        assert floor(exact) - 1 <= evaluate(price, env) <= exact, "rates are held to 10^-10 cycle a byte"


def test_v2_short_strided_rows_are_raised_to_a_cache_line(make: Any, published_v2: Costs) -> None:
    call = make.call("Store", [], make.dense(10, 8, gm=(100, 1)), 2)
    expected = 10 * 128 / (11.774 + 10.265 / 2) + 160 + 0.0385 * 10 * 92 * 4
    assert make.cycles(call, published_v2) == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("op", ["Abs", "Add", "Where", "Gt", "LogicalAnd", "LogicalNot"])
def test_symbols_and_numbers_agree_on_padded_rows(make: Any, published: Costs, op: str) -> None:
    rows, cols, spec = symbol("rows", 1, 500), symbol("cols", 2, 500), spec_of(op)
    tile = make.dense(rows, cols, pitch=8)
    (symbolic,) = spec.cost(make.call(op, [tile] * len(spec.inputs), tile), published).values()
    for r, c in ((7, 61), (16, 85), (3, 129), (200, 21)):
        known = make.dense(r, c, pitch=8)
        expected = make.ticks(make.call(op, [known] * len(spec.inputs), known), published)
        assert evaluate(symbolic, {"rows": r, "cols": c}) == expected
