"""The reference run bounds what a kernel may differ by, and refuses values of which the hardware leaves open what becomes of them."""

from __future__ import annotations

import numpy as np
import pytest

from att.errors import GraphError
from att.formats.builder import GraphBuilder
from att.ir.dtype import DType
from codegen.bounds import BoundedRun

NARROWED = {DType.INT64: DType.INT32, DType.INT32: DType.INT16}


@pytest.mark.parametrize(("wide", "narrow"), NARROWED.items())
def test_an_integer_too_large_for_its_cast_is_refused(wide: DType, narrow: DType) -> None:
    g = GraphBuilder("narrowed", {"a": 3})
    g.store("y", g.cast(g.load("x", ("a",), wide), narrow))
    graph, largest = g.build(), np.iinfo(narrow).max
    fits = np.array([-largest - 1, 0, largest], wide)
    assert np.array_equal(BoundedRun(graph, {}, (fits,)).outputs[0].values, fits)
    with pytest.raises(GraphError, match=f"Cast cast makes {narrow} of a larger integer"):
        BoundedRun(graph, {}, (fits + 1,))


@pytest.mark.parametrize("op", ["LogicalNot", "Any", "ArgMax", "Cast"])
def test_what_becomes_of_nan_is_open_where_the_result_is_no_float(op: str) -> None:
    g = GraphBuilder("of_nan", {"a": 1, "b": 3})
    x = g.load("x", ("a", "b"))
    reduced = op in ("Any", "ArgMax")
    g.store("y", g.cast(x, DType.INT32) if op == "Cast" else g.reduce(op, x, "b") if reduced else g.op(op, x))
    BoundedRun(g.build(), {}, (np.array([1, -np.inf, 2], np.float32) if reduced else np.ones(3, np.float32),))
    with pytest.raises(GraphError, match=f"{op} .* makes a number of NaN"):
        BoundedRun(g.build(), {}, (np.array([1, np.nan, 2], np.float32),))


@pytest.mark.parametrize(
    ("op", "x"), [("Prod", [1e30, 1e30, 0.0]), ("Prod", [1e-30, 1e-30, 1e30, 1e30]), ("Sum", [3e38, 3e38, -3e38]), ("Mean", [3e38, 3e38])]
)
def test_a_result_that_some_order_of_the_elements_cannot_reach_is_refused(op: str, x: list[float]) -> None:
    g = GraphBuilder("between", {"a": 1, "b": len(x)})
    g.store("y", g.reduce(op, g.load("x", ("a", "b")), "b"))
    with pytest.raises(GraphError, match=f"{op} {op.lower()} leaves the range of float32 in some order"):
        BoundedRun(g.build(), {}, (np.array(x, np.float32),))


@pytest.mark.parametrize("x", [[1e30, 0.0], [1e-30, 1e-30], [1e30, 1e-30, 2.0]])
def test_a_product_that_every_order_reaches_is_not(x: list[float]) -> None:
    g = GraphBuilder("within", {"a": 1, "b": len(x)})
    g.store("y", g.reduce("Prod", g.load("x", ("a", "b")), "b"))
    assert BoundedRun(g.build(), {}, (np.array(x, np.float32),)).outputs[0].values[0] == np.float32(np.prod(x))


def test_a_library_function_may_be_zero_below_the_smallest_normal_number() -> None:
    g = GraphBuilder("flushed", {"a": 2})
    g.store("y", g.op("Sigmoid", g.load("x", ("a",))))
    out = BoundedRun(g.build(), {}, (np.array([-92, -80], np.float32),)).outputs[0]
    assert [abs(float(v)) <= b for v, b in zip(out.values, out.bounds, strict=True)] == [True, False]


@pytest.mark.parametrize(("last", "fades"), [(0.8, True), (0.0, False)])
def test_a_product_that_fades_away_may_stay_above_zero(last: float, fades: bool) -> None:
    g = GraphBuilder("faded", {"a": 1, "b": 600})
    g.store("y", g.reduce("Prod", g.load("x", ("a", "b")), "b"))
    out = BoundedRun(g.build(), {}, (np.array([0.8] * 599 + [last], np.float32),)).outputs[0]
    assert out.values[0] == 0
    assert (out.bounds[0] >= np.finfo(np.float32).tiny) is np.bool_(fades)


def test_errors_of_factors_with_either_sign_add_up() -> None:
    g = GraphBuilder("product", {"a": 1, "b": 6})
    g.store("y", g.reduce("Prod", g.op("Exp", g.load("x", ("a", "b"))), "b"))
    g.store("z", g.reduce("Prod", g.op("Mul", g.op("Exp", g.load("x2", ("a", "b"))), g.load("signs", ("a", "b"))), "b"))
    x, signs = np.full(6, 1.5, np.float32), np.array([1, -1, 1, -1, 1, -1], np.float32)
    positive, mixed = BoundedRun(g.build(), {}, (x, x, signs)).outputs
    assert positive.bounds.max() > 0
    assert mixed.bounds.max() >= positive.bounds.max()


@pytest.mark.parametrize("op", ["Ne", "Eq", "LogicalNot"])
def test_what_an_operand_may_reach_within_its_bounds_decides_equality(op: str) -> None:
    """`tanh(x) < x` is a matter of rounding for a small x: then the other branch may be taken, which is exactly the number compared with."""
    g = GraphBuilder("jump", {"a": 1})
    other = 0.0 if op == "LogicalNot" else 2.0
    x = g.load("x", ("a",))
    y = g.op("Tanh", x)
    picked = g.op("Where", g.op("Lt", y, x), y, other)
    g.store("y", g.op(op, picked) if op == "LogicalNot" else g.op(op, picked, 2.0))
    (out,) = BoundedRun(g.build(), {}, (np.array([3e-4], np.float32),)).outputs
    assert out.bounds[0] >= 1
