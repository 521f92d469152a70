"""Whole graphs against direct numpy: layouts in GM, broadcasts, reduces, transposes, gaps, tiles, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from att.errors import GraphError
from att.expr.core import Expr, integer, symbol
from att.ir.axis import Axis, Size
from att.ir.dtype import DType
from att.ir.graph import HintGraph
from att.ir.node import Node
from att.ir.tensor import TensorView
from att.ops.gm import input_elements, output_elements
from att.ops.reference import apply, run_reference
from att.ops.verify import verify_graph

F32, BF16, I64 = DType.FLOAT32, DType.BFLOAT16, DType.INT64
ONE = integer(1)
Sizes = Sequence[Expr | int]


class Sketch:
    """Writes a graph down line by line; every value has all axes, 1 where it does not vary."""

    def __init__(self, **axes: Expr | int) -> None:
        self.axes = {name: integer(size) if isinstance(size, int) else size for name, size in axes.items()}
        self.nodes: list[Node] = []
        self.ends: list[Node] = []

    def load(self, name: str, over: str = "", *, dtype: DType = F32, strides: Sizes = (), offset: int = 0, order: str = "") -> str:
        over, order = over or " ".join(self.axes), order or " ".join(self.axes)
        index = sum(n.op == "Data" for n in self.nodes)
        self.nodes.append(Node(name=f"{name}_gm", op="Data", attrs={"index": index}, output=TensorView(dtype=dtype)))
        self._add(name, "Load", (f"{name}_gm",), over, dtype, strides, offset, order.split())
        return name

    def scalar(self, value: str, dtype: DType = F32) -> str:
        name = f"scalar{len(self.nodes)}"
        self.nodes.append(Node(name=name, op="Scalar", attrs={"value": value}, output=TensorView(dtype=dtype)))
        return name

    def op(self, name: str, op: str, *inputs: str, over: str | None = None, dtype: DType = F32) -> str:
        self._add(name, op, inputs, " ".join(self.axes) if over is None else over, dtype, (), None, list(self.axes))
        return name

    def store(self, name: str, source: str, over: str | None = None, *, dtype: DType = F32, strides: Sizes = (), offset: int = 0) -> None:
        kept = " ".join(self.axes) if over is None else over
        self._add(f"{name}_store", "Store", (source,), kept, dtype, strides, offset, list(self.axes))
        end = TensorView(dtype=dtype)
        self.ends.append(Node(name=name, op="Output", inputs=(f"{name}_store",), attrs={"index": len(self.ends)}, output=end))

    def graph(self, *sizes: str) -> HintGraph:
        axes = tuple(Axis(name=name, size=size) for name, size in self.axes.items())
        graph = HintGraph(
            name="g", sizes=tuple(Size(name=n, minimum=0, maximum=4096) for n in sizes), axes=axes, nodes=(*self.nodes, *self.ends)
        )
        verify_graph(graph)
        return graph

    def _add(
        self,
        name: str,
        op: str,
        inputs: tuple[str, ...],
        over: str,
        dtype: DType,
        strides: Sizes,
        offset: int | None,
        order: list[str],
    ) -> None:
        kept = over.split()
        repeats = tuple(self.axes[a] if a in kept else ONE for a in order)
        view = TensorView(dtype=dtype, axes=tuple(order), repeats=repeats, strides=self._strides(order, kept, strides))
        attrs = {} if offset is None else {"offset": integer(offset)}
        self.nodes.append(Node(name=name, op=op, inputs=inputs, attrs=attrs, axes=tuple(self.axes), output=view))

    def _strides(self, order: list[str], kept: list[str], given: Sizes) -> tuple[Expr, ...]:
        if given:
            steps = iter(given)
            return tuple((integer(0) + next(steps)) if a in kept else integer(0) for a in order)
        running: Expr = ONE
        strides: list[Expr] = []
        for axis in reversed(order):
            strides.insert(0, running if axis in kept else integer(0))
            running = running * self.axes[axis] if axis in kept else running
        return tuple(strides)


def _softmax(rows: Expr | int, cols: Expr | int) -> Sketch:
    s = Sketch(a=rows, b=cols)
    s.load("x")
    s.op("m", "Max", "x", over="a")
    s.op("mb", "Broadcast", "m")
    s.op("e", "Exp", s.op("d", "Sub", "x", "mb"))
    s.op("t", "Sum", "e", over="a")
    s.op("tb", "Broadcast", "t")
    s.op("q", "TrueDiv", "e", "tb")
    s.store("y", "q")
    return s


@given(st.integers(1, 7), st.integers(1, 33))
def test_softmax(rows: int, cols: int) -> None:
    graph = _softmax(symbol("n", 0, 4096), symbol("m", 0, 4096)).graph("n", "m")
    x = np.random.default_rng(rows * 100 + cols).standard_normal((rows, cols)).astype(np.float32)
    (y,) = run_reference(graph, [x], {"n": rows, "m": cols})
    e = np.exp((x - x.max(axis=1, keepdims=True)).astype(np.float64))
    assert np.allclose(y.reshape(rows, cols), e / e.sum(axis=1, keepdims=True), rtol=1e-6)


def test_rms_norm_in_bfloat16() -> None:
    s = Sketch(row=5, col=64)
    s.load("x", dtype=BF16)
    s.load("w", "col", dtype=BF16)
    s.op("xf", "Cast", "x")
    s.op("sq", "Mul", "xf", "xf")
    s.op("ss", "Sum", "sq", over="row")
    s.op("ms", "TrueDiv", "ss", s.scalar("64.0"), over="row")
    s.op("me", "Add", "ms", s.scalar("1e-06"), over="row")
    s.op("r", "Rsqrt", "me", over="row")
    s.op("rb", "Broadcast", "r")
    s.op("n", "Mul", "xf", "rb")
    s.op("wf", "Cast", "w", over="col")
    s.op("wb", "Broadcast", "wf")
    s.op("o", "Mul", "n", "wb")
    s.op("ob", "Cast", "o", dtype=BF16)
    s.store("y", "ob", dtype=BF16)
    rng = np.random.default_rng(3)
    x, w = rng.standard_normal((5, 64)).astype(ml_dtypes.bfloat16), rng.standard_normal(64).astype(ml_dtypes.bfloat16)
    (y,) = run_reference(s.graph(), [x, w], {})
    xf, wf = x.astype(np.float64), w.astype(np.float64)
    expected = xf / np.sqrt((xf**2).mean(axis=1, keepdims=True) + 1e-6) * wf
    assert y.dtype == ml_dtypes.bfloat16
    assert np.allclose(y.astype(np.float64).reshape(5, 64), expected, rtol=2**-8)


def test_weighted_mix_of_streams() -> None:
    """y[t,i,c] = post[t,i]*h[t,c] + sum over j of mix[t,i,j]*x[t,j,c], as in a hyper-connection."""
    s = Sketch(t=3, i=4, j=4, c=10)
    s.load("x", "t j c")
    s.load("mix", "t i j")
    s.load("post", "t i")
    s.load("h", "t c")
    s.op("xb", "Broadcast", "x")
    s.op("mb", "Broadcast", "mix")
    s.op("p", "Mul", "xb", "mb")
    s.op("sum", "Sum", "p", over="t i c")
    s.op("pb", "Broadcast", "post", over="t i c")
    s.op("hb", "Broadcast", "h", over="t i c")
    s.op("g", "Mul", "pb", "hb", over="t i c")
    s.op("o", "Add", "sum", "g", over="t i c")
    s.store("y", "o", over="t i c")
    rng = np.random.default_rng(5)
    x, mix, post, h = (rng.standard_normal(shape).astype(np.float32) for shape in ((3, 4, 10), (3, 4, 4), (3, 4), (3, 10)))
    (y,) = run_reference(s.graph(), [x, mix, post, h], {})
    expected = post[:, :, None] * h[:, None, :] + np.einsum("tij,tjc->tic", mix.astype(np.float64), x.astype(np.float64))
    assert np.allclose(y.reshape(3, 4, 10), expected, rtol=1e-5, atol=1e-6)


def test_loads_and_stores_follow_strides_and_offsets() -> None:
    s = Sketch(a=3, b=4)
    s.load("x", strides=(10, 2), offset=5)
    s.op("e", "Neg", "x")
    s.store("y", "e", strides=(9, 1), offset=2)
    graph = s.graph()
    assert input_elements(graph, {}) == (5 + 1 + 2 * 10 + 3 * 2,)
    assert output_elements(graph, {}) == (2 + 1 + 2 * 9 + 3,)
    x = np.arange(40, dtype=np.float32)
    (y,) = run_reference(graph, [x], {}, [np.full(30, 7, np.float32)])
    expected = np.full(30, 7, np.float32)
    for a in range(3):
        for b in range(4):
            expected[2 + 9 * a + b] = -x[5 + 10 * a + 2 * b]
    assert np.array_equal(y, expected), "gaps keep what the buffer held"
    (zeros,) = run_reference(graph, [x], {})
    assert zeros.size == 24
    assert zeros[1] == zeros[6] == 0


def test_given_outputs_are_not_changed() -> None:
    s = Sketch(a=4)
    s.load("x")
    s.store("y", s.op("e", "Exp", "x"))
    before = np.full(6, 3, np.float32)
    (y,) = run_reference(s.graph(), [np.zeros(4, np.float32)], {}, [before])
    assert y.tolist() == [1, 1, 1, 1, 3, 3]
    assert before.tolist() == [3] * 6


def test_transposes_by_axis_names() -> None:
    s = Sketch(a=2, b=3, c=4)
    s.load("x", order="b a c")
    s.op("t", "Transpose", "x")
    s.store("y", "t")
    x = np.arange(24, dtype=np.float32).reshape(3, 2, 4)
    (y,) = run_reference(s.graph(), [x], {})
    assert np.array_equal(y.reshape(2, 3, 4), x.transpose(1, 0, 2))


def test_a_concat_lays_its_parts_side_by_side() -> None:
    from tests.moves import joined

    x0, x1, row = (np.random.default_rng(0).standard_normal(n).astype(np.float32) for n in (16 * 3, 16 * 5, 8))
    (y,) = run_reference(joined((3, 5), rows=(16,)), [x0, x1], {})
    assert np.array_equal(y.reshape(16, 8), np.concatenate([x0.reshape(16, 3), x1.reshape(16, 5)], axis=1))
    (y,) = run_reference(joined((3, 5), rows=(16,), behind=True), [x0, x1, row], {})
    both = np.concatenate([np.abs(x0).reshape(16, 3), np.abs(x1).reshape(16, 5)], axis=1)
    np.testing.assert_allclose(y.reshape(16, 8), np.exp(both) + row, rtol=1e-6)


def test_a_concat_in_front_of_other_axes() -> None:
    from tests.moves import joined

    x0, x1 = np.arange(2 * 3 * 4, dtype=np.float32), -np.arange(2 * 5 * 4, dtype=np.float32)
    (y,) = run_reference(joined((3, 5), rows=(2,), tail=(4,)), [x0, x1], {})
    assert np.array_equal(y.reshape(2, 8, 4), np.concatenate([x0.reshape(2, 3, 4), x1.reshape(2, 5, 4)], axis=1))


def test_a_gather_picks_by_index() -> None:
    from tests.moves import picked

    x, i = np.arange(2 * 9, dtype=np.float32), np.array([[8, 0, 3], [3, 3, 1]], np.int64)
    graph = picked((2, 9), (2, 3), index=I64)
    (y,) = run_reference(graph, [x, i], {})
    assert np.array_equal(y.reshape(2, 2, 3), x.reshape(2, 9)[:, i])
    with pytest.raises(GraphError, match="indices are 0 to 9, the table has 0 to 8"):
        run_reference(graph, [x, i + (i == 8)], {})
    with pytest.raises(GraphError, match="indices are -1 to 8"):
        run_reference(graph, [x, i - (i == 0)], {})


@pytest.mark.parametrize("lengths", [(3, 5), (4, 1, 2), (6,)])
def test_a_split_is_numpys(lengths: tuple[int, ...]) -> None:
    from tests.moves import cut

    graph = cut(lengths, rows=(4,), tail=(3,))
    x = np.arange(4 * sum(lengths) * 3, dtype=np.float32)
    expected = np.split(x.reshape(4, sum(lengths), 3), np.cumsum(lengths)[:-1], axis=1)
    for a, b in zip(run_reference(graph, [x], {}), expected, strict=True):
        assert a.tolist() == b.ravel().tolist()


def test_argmax_stores_indices() -> None:
    s = Sketch(a=3, b=5)
    s.load("x")
    s.op("i", "ArgMax", "x", over="a", dtype=I64)
    s.store("y", "i", over="a", dtype=I64)
    x = np.random.default_rng(0).standard_normal((3, 5)).astype(np.float32)
    (y,) = run_reference(s.graph(), [x], {})
    assert y.tolist() == x.argmax(axis=1).tolist()


def test_reads_beyond_a_buffer_name_node_and_sizes() -> None:
    graph = _softmax(4, 8).graph()
    with pytest.raises(GraphError, match="needs 32 elements of its buffer in GM, 31 are available") as caught:
        run_reference(graph, [np.zeros(31, np.float32)], {})
    assert caught.value.where == "graph g, node x"


def test_writes_beyond_a_buffer_are_refused() -> None:
    graph = _softmax(4, 8).graph()
    with pytest.raises(GraphError, match="needs 32 elements of its buffer in GM, 30 are available") as caught:
        run_reference(graph, [np.zeros(32, np.float32)], {}, [np.zeros(30, np.float32)])
    assert caught.value.where == "graph g, node y_store"


def test_inputs_must_fit_their_declarations() -> None:
    graph = _softmax(symbol("n", 0, 4096), 8).graph("n")
    x = np.zeros((4, 8), np.float32)
    with pytest.raises(GraphError, match="2 inputs for 1 Data nodes"):
        run_reference(graph, [x, x], {"n": 4})
    with pytest.raises(GraphError, match="array for it is float64, it is declared float32"):
        run_reference(graph, [x.astype(np.float64)], {"n": 4})
    with pytest.raises(GraphError, match="no value for the size n"):
        run_reference(graph, [x], {})
    with pytest.raises(GraphError, match="2 outputs for 1 Output nodes"):
        run_reference(graph, [x], {"n": 4}, [x.ravel(), x.ravel()])


def test_sizes_of_zero() -> None:
    graph = _softmax(symbol("n", 0, 4096), symbol("m", 0, 4096)).graph("n", "m")
    (y,) = run_reference(graph, [np.empty(0, np.float32)], {"n": 0, "m": 8})
    assert y.size == 0
    with pytest.raises(GraphError, match="Max over no elements has no result") as caught:
        run_reference(graph, [np.empty(0, np.float32)], {"n": 3, "m": 0})
    assert caught.value.where == "graph g, node m"
    s = Sketch(a=3, b=symbol("m", 0, 4096))
    s.load("x")
    s.op("t", "Sum", "x", over="a")
    s.store("y", "t", over="a")
    (sums,) = run_reference(s.graph("m"), [np.empty(0, np.float32)], {"m": 0})
    assert sums.tolist() == [0, 0, 0]


@given(st.integers(1, 9), st.integers(1, 20), st.integers(1, 6))
def test_tiles_give_what_the_whole_gives(rows: int, cols: int, tile: int) -> None:
    rng = np.random.default_rng(rows * 1000 + cols * 10 + tile)
    x, y = (rng.standard_normal((rows, cols)).astype(np.float32) for _ in range(2))

    def pair(a: Any, b: Any) -> Any:
        sums = apply("Mul", [a, b], {}, out_dtype=F32, out_shape=a.shape)
        return apply("Max", [sums], {}, axes_reduced=(1,), out_dtype=F32, out_shape=(a.shape[0], 1))

    parts = [pair(x[i : i + tile], y[i : i + tile]) for i in range(0, rows, tile)]
    assert np.array_equal(np.concatenate(parts), pair(x, y))
