"""Builder scripts that load: what the API accepts, names, dtypes, the order of nodes, and how a FusedGraph numbers the arguments."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from textwrap import dedent, indent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from att.errors import EmitError
from att.expr.choice import maximum, minimum, where
from att.expr.compare import le
from att.expr.core import Expr, add, ceil_div, floor_div, integer, mod, mul, symbol
from att.formats.ascir_module import SCRIPT_NAMES
from att.formats.script import load_script, run_script, to_script
from att.formats.size_expr import SizeExpr
from att.ir.axis import Axis, AxisKind, Size
from att.ir.dtype import DType
from att.ir.graph import HintGraph

HEAD = "from autofuse.pyautofuse import ascir, Autofuser, AutofuserOptions\n"
BODY = """
g = ascir.HintGraph('g')
n = g.create_size('n')
a = g.create_axis('a', n)
x = ascir.ops.Data('x', g)
x.attr.ir_attr.index = 0
load = ascir.ops.Load('load', g)
load.attr.sched.axis = [a]
load.attr.ir_attr.offset = 0
load.x = x.y
load.y.axis = [a]
load.y.size = [n]
load.y.strides = [1]
abs = ascir.ops.Abs('abs', g)
abs.attr.sched.axis = [a]
abs.x = load.y
abs.y.axis = [a]
abs.y.size = [n]
abs.y.strides = [1]
store = ascir.ops.Store('store', g)
store.attr.sched.axis = [a]
store.x = abs.y
store.y.axis = [a]
store.y.size = [n]
store.y.strides = [1]
y = ascir.ops.Output('y', g)
y.attr.ir_attr.index = 0
y.x = store.y
g.infer_dtypes()
"""


def run(source: str, stem: str = "file") -> HintGraph:
    return run_script(dedent(source), f"{stem}.py", stem)


def body(*changes: tuple[str, str], head: str = HEAD) -> str:
    text = BODY
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return head + text


def two_inputs(fused: str) -> str:
    """z = x - y with a FusedGraph around it."""
    return (
        HEAD
        + dedent(
            """
        g = ascir.HintGraph('hint')
        a = g.create_axis('a', 64)
        def op(kind, name, **inputs):
            o = getattr(ascir.ops, kind)(name, g)
            o.attr.sched.axis = [a]
            for key, value in inputs.items():
                setattr(o, key, value)
            o.y.axis, o.y.size, o.y.strides = [a], [64], [1]
            return o
        data = [ascir.ops.Data(name, g) for name in ('p', 'q')]
        for i, d in enumerate(data):
            d.attr.ir_attr.index = i
        loads = [op('Load', 'load_' + d.name, x=d) for d in data]
        store = op('Store', 'store', x=op('Sub', 'sub', x1=loads[0], x2=loads[1]))
        out = ascir.ops.Output('z', g)
        out.attr.ir_attr.index = 0
        out.x = [store]
        f = ascir.FusedGraph('kernel')
        backend = ascir.ops.AscBackend('backend', g, f)
        def data_of(name, index):
            d = ascir.ops.Data(name, f)
            d.attr.ir_attr.index = index
            return d
        def output_of(name, index, source):
            o = ascir.ops.Output(name, f)
            o.attr.ir_attr.index = index
            o.x = source
        """
        )
        + dedent(fused)
    )


def test_golden(hint: HintGraph, golden: Path) -> None:
    text = (golden / "scaled_sum.py.txt").read_text(encoding="utf-8")
    assert to_script(hint) == text
    assert run(text) == hint


@pytest.mark.parametrize(
    "head",
    [
        "from autofuse.pyautofuse import *\n",
        "import autofuse.pyautofuse as p\nascir = p.ascir\n",
        "import autofuse\nascir = autofuse.pyautofuse.ascir\n",
        "import ascir\n",
        "from autofuse import pyautofuse, compile_adapter\nascir = pyautofuse.ascir\ncompile_adapter.jit_compile('', '', '', [])\n",
        "from math import prod\nimport os.path\nfrom autofuse.pyautofuse import ascir\n",
    ],
)
def test_ways_to_import(head: str) -> None:
    assert [n.op for n in run(body(head=head)).nodes] == ["Data", "Load", "Abs", "Store", "Output"]


def test_nothing_is_left_in_the_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package of the same name is neither used nor replaced."""
    marker = object()
    for name in ("autofuse", "autofuse.pyautofuse", "ascir"):
        monkeypatch.setitem(sys.modules, name, marker)  # type: ignore[arg-type]
    run(body())
    assert all(sys.modules[name] is marker for name in ("autofuse", "autofuse.pyautofuse", "ascir"))


def test_names() -> None:
    assert run(body(), stem="file").name == "g"
    assert run(body(("HintGraph('g')", "HintGraph()")), stem="file").name == "file"
    assert [n.name for n in run(body()).nodes] == ["x", "load", "abs", "store", "y"]


def test_a_script_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "my graph.py"
    path.write_text(body(("HintGraph('g')", "HintGraph()")) + "\nassert __name__ == '__main__' and __file__.endswith('my graph.py')\n")
    assert load_script(path).name == "my graph"


def test_what_it_prints_goes_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    run(body() + "print('hello', n * 2)\n")
    assert capsys.readouterr() == ("", "hello 2*n\n")


def test_dtypes_are_given_or_inferred() -> None:
    graph = run(body(("load.x = x.y", "load.x = x.y\nx.y.dtype = ascir.dtypes.bf16")))
    assert {n.output.dtype for n in graph.nodes} == {DType.BFLOAT16}
    graph = run(body(("g.infer_dtypes()\n", "")))
    assert {n.output.dtype for n in graph.nodes} == {DType.FLOAT32}
    cast = run(body(("ops.Abs", "ops.Cast"), ("abs.x = load.y", "abs.x = load.y\nabs.y.dtype = ascir.dtypes.float16")))
    assert [n.output.dtype for n in cast.nodes] == [DType.FLOAT32, DType.FLOAT32, DType.FLOAT16, DType.FLOAT16, DType.FLOAT16]


@pytest.mark.parametrize(
    ("name", "dtype"), [("double", DType.FLOAT64), ("float64", DType.FLOAT64), ("bf16", DType.BFLOAT16), ("int8", DType.INT8)]
)
def test_names_of_dtypes(name: str, dtype: DType) -> None:
    graph = run(body(("load.x = x.y", f"load.x = x.y\nx.y.dtype = ascir.dtypes.{name}"), ("ops.Abs", "ops.Relu")))
    assert graph.node_of["load"].output.dtype is dtype


def test_names_shadow_what_the_loader_provides() -> None:
    graph = run(body(("n = g.create_size('n')", "n = Max(1, g.create_size('n'))\nMax = min = print = None")))
    assert graph.axes[0].size == Size(name="n").symbol


def test_max_min_and_ceil_div_in_sizes() -> None:
    source = body(
        ("a = g.create_axis('a', n)", "a = g.create_axis('a', Min(Max(n, 8), 64) + CeilDiv(n, 3) + ascir.Mod(n, 5))"), ("[n]", "[a.size]")
    )
    n = Size(name="n").symbol
    assert run(source).axes[0].size == add(minimum(maximum(n, 8), 64), ceil_div(n, 3), mod(n, 5))


def test_nodes_are_put_in_order() -> None:
    """A script may link an operator to one that it created later."""
    source = body(
        ("load = ascir.ops.Load('load', g)\n", ""),
        ("x = ascir.ops.Data('x', g)", "load = ascir.ops.Load('load', g)\nx = ascir.ops.Data('x', g)"),
    )
    assert [n.name for n in run(source).nodes] == ["x", "load", "abs", "store", "y"]


def test_an_operator_joins_the_graph_it_is_linked_to() -> None:
    source = body(
        ("ops.Abs('abs', g)\nabs.attr.sched.axis = [a]\nabs.x = load.y", "ops.Abs('abs')\nabs.x = load\nabs.attr.sched.axis = [a]")
    )
    assert run(source) == run(body())


def test_indices_are_numbered_where_none_is_given() -> None:
    graph = run(body(("x.attr.ir_attr.index = 0\n", ""), ("y.attr.ir_attr.index = 0\n", "")))
    assert graph.node_of["x"].attrs["index"] == graph.node_of["y"].attrs["index"] == 0


def test_scalars_sit_in_no_loop() -> None:
    scalar = (
        "two = ascir.ops.Scalar('two', g)\ntwo.attr.sched.axis = [a]\ntwo.attr.ir_attr.value = '2.0'\ntwo.y.dtype = ascir.dtypes.float32\n"
    )
    graph = run(
        body(
            ("abs = ascir.ops.Abs('abs', g)", scalar + "abs = ascir.ops.Mul('abs', g)"),
            ("abs.x = load.y", "abs.x1 = load.y\nabs.x2 = two.y"),
        )
    )
    assert graph.node_of["two"].axes == ()
    assert graph.node_of["abs"].inputs == ("load", "two")


def test_the_client_calls_the_compiler_at_the_end() -> None:
    calls = """fuser = Autofuser(AutofuserOptions(graph_type=1))
tiling_def, host_impl, device_impl = fuser.codegen(fuser.schedule(g))
assert tiling_def.strip() and host_impl.strip() and device_impl.strip()
assert len(fuser.autofuse_backend(g)) == 3
"""
    assert run(body() + calls) == run(body())


def test_arguments_are_numbered_by_the_fused_graph() -> None:
    """The kernel's argument 0 is what the FusedGraph calls 0, whatever the HintGraph calls it."""
    source = two_inputs("backend.x = [data_of('first', 1), data_of('second', 0).y]\noutput_of('out', 0, [backend.y[0]])\n")
    graph = run(source)
    assert graph.name == "kernel"
    assert [(n.name, n.attrs["index"]) for n in graph.nodes if n.op == "Data"] == [("p", 1), ("q", 0)]


def test_one_argument_may_be_read_twice() -> None:
    graph = run(two_inputs("one = data_of('one', 0)\nbackend.x = [one, one]\noutput_of('out', 0, backend)\n"))
    assert [n.name for n in graph.data_nodes] == ["p"]
    assert graph.node_of["load_q"].inputs == ("p",)


def test_a_backend_joins_the_fused_graph_it_is_linked_to() -> None:
    source = two_inputs("backend.x = [data_of('a', 0), data_of('b', 1)]\noutput_of('out', 0, backend.y[0])\n")
    assert run(source.replace("AscBackend('backend', g, f)", "AscBackend('backend', g)")) == run(source)


def test_helpers_defined_in_the_script() -> None:
    wrapped = HEAD + "def main():\n" + indent(BODY, "    ") + "if __name__ == '__main__':\n    main()\n"
    assert run(wrapped) == run(body())


N, M = Size(name="n"), Size(name="m", minimum=2, maximum=64)


@pytest.mark.parametrize(
    "expr",
    [
        integer(7),
        mul(3, add(N.symbol, 1), M.symbol),
        add(2**40, mul(-1, add(N.symbol, M.symbol), M.symbol)),
        add(mul(M.symbol, -2), mul(M.symbol, floor_div(N.symbol, 3)), mul(N.symbol, N.symbol), 135),
        floor_div(mul(N.symbol, M.symbol), add(M.symbol, 1)),
        mod(ceil_div(N.symbol, M.symbol), 7),
        mul(2, floor_div(N.symbol, 2), mod(N.symbol, 3)),
        minimum(N.symbol, maximum(M.symbol, floor_div(N.symbol, 5))),
        floor_div(floor_div(N.symbol, 3), M.symbol),
        add(floor_div(-5, M.symbol), N.symbol, 9),
    ],
    ids=str,
)
def test_expressions_survive(expr: Expr) -> None:
    """As an offset, where nothing else is demanded of a size."""
    graph = run(body(("n = g.create_size('n')", "n = g.create_size('n')\nm = g.create_size('m', min=2, max=64)")))
    load = replace(graph.nodes[1], attrs={"offset": expr})
    graph = replace(graph, nodes=(graph.nodes[0], load, *graph.nodes[2:]))
    assert run(to_script(graph)) == graph


EXPRESSIONS = st.recursive(
    st.sampled_from([N.symbol, M.symbol]) | st.integers(-9, 99).map(integer),
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: add(*parts)),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: mul(*parts)),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: minimum(*parts)),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: maximum(*parts)),
        st.tuples(inner, inner).map(lambda p: floor_div(p[0], maximum(p[1], 1))),
        st.tuples(inner, inner).map(lambda p: ceil_div(p[0], maximum(p[1], 1))),
        st.tuples(inner, inner).map(lambda p: mod(p[0], maximum(p[1], 1))),
    ),
    max_leaves=8,
)


@given(EXPRESSIONS)
def test_any_expression_is_written_as_python_that_gives_it_back(expr: Expr) -> None:
    """The axis size of an otherwise minimal graph is read back to the very same expression."""
    graph = HintGraph(name="g", sizes=(N, M), axes=(Axis(name="a", size=expr),))
    names: dict[str, object] = {**SCRIPT_NAMES, "n": SizeExpr(N.symbol), "m": SizeExpr(M.symbol)}
    line = to_script(graph).splitlines()[-1]
    text = line.removeprefix('a = graph.create_axis("a", ').removesuffix(")")
    assert SizeExpr(eval(text, names)).expr == expr


def test_names_that_python_would_not_take(hint: HintGraph) -> None:
    """Keywords, digits, names of the script's own and twins get Python names of their own."""
    renamed = {
        "scaled/x": "class",
        "scaled/load": "7th",
        "scaled/cast": "graph",
        "scaled/two": "a/b",
        "scaled/mul": "c/b",
        "scaled/sum": "ks0",
    }
    nodes = tuple(replace(n, name=renamed.get(n.name, n.name), inputs=tuple(renamed.get(i, i) for i in n.inputs)) for n in hint.nodes)
    graph = replace(hint, name='quotes "and" \\ é', nodes=nodes)
    assert run(to_script(graph)) == graph


def test_what_a_script_cannot_say(hint: HintGraph) -> None:
    rows = hint.sizes[0].symbol
    with pytest.raises(EmitError, match="a builder script cannot say Where; write JSON or text"):
        to_script(replace(hint, axes=(replace(hint.axes[0], size=where(le(rows, 4), 4, rows)), hint.axes[1])))
    merged = Axis(name="m", size=symbol("ks0", 1, 8), kind=AxisKind.MERGED, parents=("rows", "columns"))
    with pytest.raises(EmitError, match="axis m is MERGED, a builder script has original axes only"):
        to_script(replace(hint, axes=(*hint.axes, merged)))
