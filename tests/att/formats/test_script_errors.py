"""Whatever goes wrong in a script becomes a sentence with the script's line."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent

import pytest

from att.errors import AttError, GraphError, ParseError, UsageError
from att.formats.script import load_script, run_script

HEAD = """\
from autofuse.pyautofuse import ascir, Autofuser, AutofuserOptions
g = ascir.HintGraph('g')
n = g.create_size('n')
a = g.create_axis('a', n)
x = ascir.ops.Data('x', g)
load = ascir.ops.Load('load', g)
other = ascir.HintGraph('other')
"""
LINE = HEAD.count("\n") + 1
"""Of what a test adds."""


def run(source: str) -> None:
    run_script(source, "s.py", "s")


STATEMENTS: dict[str, tuple[str, str]] = {
    "output-attribute": ("load.y.offset = 3", "an output has no attribute 'offset'; it has: axis, size, strides, dtype"),
    "output-read": ("load.y.shape", "an output has no attribute 'shape'"),
    "operand": ("load.x1 = x.y", "Load 'load' has no attribute 'x1'; it has: x, y, attr"),
    "attr": ("load.attr.loop = 1", "attr has no attribute 'loop'; it has: sched.axis, api.compute_type, ir_attr"),
    "sched": ("load.attr.sched.loop_axis = a", "attr.sched has no attribute 'loop_axis'; it has: axis"),
    "api": ("load.attr.api.tiling = 'x'", "attr.api has no attribute 'tiling'"),
    "api-type": ("load.attr.api.compute_type = 3", "expected a text, got 3"),
    "ir-attr": ("load.attr.ir_attr.index = 0", "ir_attr of Load has no attribute 'index'; it has: offset"),
    "ir-attr-unset": ("load.attr.ir_attr.offset", "ir_attr of Load has no attribute 'offset'"),
    "index-type": ("x.attr.ir_attr.index = '0'", "x: attribute index is '0'; it takes a int"),
    "index-bool": ("x.attr.ir_attr.index = True", "x: attribute index is True"),
    "offset-type": ("load.attr.ir_attr.offset = '3'", "a size is an integer or an expression of sizes, got '3'"),
    "axis-single": ("load.y.axis = a", "expected a list of axes, got <"),
    "axis-entry": ("load.y.axis = ['a']", "load: expected a list of axes, got the entry 'a'"),
    "axis-foreign": ("load.y.axis = [other.create_axis('b', 3)]", "load: axis b belongs to another graph"),
    "size-length": ("load.y.axis = [a]\nload.y.size = [n, 1]", "load: 2 entries for 1 axes; give one for each axis"),
    "size-entry": ("load.y.size = ['n']", "a size is an integer or an expression of sizes, got 'n'"),
    "size-division": ("n // (n - 1)", "division by"),
    "size-text": ("g.create_axis('b', '3')", "a size is an integer or an expression of sizes, got '3'"),
    "size-name": ("g.create_size('a b')", "'a b' cannot name a symbol"),
    "size-domain": ("g.create_size('m', min=5, max=3)", "symbol m has the empty domain"),
    "size-compare": ("n < 3", "the script fails with TypeError: '<' not supported"),
    "dtype": ("x.y.dtype = 0", "x: expected a dtype, got 0; use ascir.dtypes"),
    "dtype-name": ("x.y.dtype = ascir.dtypes.flaot32", "ascir.dtypes has no 'flaot32'; did you mean float32?"),
    "op-name": ("ascir.ops.Abz('abz', g)", "ascir.ops has no op 'Abz'; did you mean Abs?"),
    "op-graph": ("ascir.ops.Data('d')", "d: Data has no inputs, so it needs its graph; ascir.ops.Data(name, graph)"),
    "op-arguments": ("ascir.ops.Abs('b', 'g')", "b: expected a graph after the name, got 'g'"),
    "link": ("load.x = 3", "load: expected an output such as `load.y`, got 3"),
    "link-foreign": ("load.x = ascir.ops.Data('d', other)", "load is linked to a value of another graph"),
    "link-two": ("ascir.ops.Add('add', g).x1 = [x, x]", "add: x1 takes one output, got 2"),
    "module": ("ascir.Foo", "the script fails with AttributeError: module 'ascir' has no attribute 'Foo'"),
    "import": ("import no_such_module_at_all", "the script imports what is not there: No module named 'no_such_module_at_all'"),
    "import-part": ("import autofuse.nothing", "the script imports what is not there: No module named 'autofuse.nothing'"),
    "import-name": ("from autofuse.pyautofuse import Nothing", "the script imports what is not there: cannot import name 'Nothing'"),
    "name": ("foo", "the script fails with NameError: name 'foo' is not defined"),
    "zero": ("1 / 0", "the script fails with ZeroDivisionError: division by zero"),
    "exit": ("import sys; sys.exit(0)", "the script ends the program (sys.exit) instead of building a graph"),
    "exit-builtin": ("exit()", "the script ends the program (sys.exit) instead of building a graph"),
    "infer": (
        "load.y.dtype = x.y.dtype\nascir.ops.Cast('cast', g).x = load\ng.infer_dtypes()",
        "cast: the dtype of Cast does not follow from its inputs (float32)",
    ),
    "infer-unlinked": ("g.infer_dtypes()", "load: its dtype is not set and cannot be inferred from its inputs; set its y.dtype"),
    "backend": ("ascir.ops.AscBackend('b', 3)", "AscBackend takes a HintGraph after its name, got 3"),
    "backend-inputs": ("ascir.ops.AscBackend('b', g, ascir.FusedGraph('f')).x = []", "b: x has 0 entries, its graph has 1 inputs"),
    "fuser": ("Autofuser(3)", "Autofuser takes AutofuserOptions, got 3"),
    "schedule": ("Autofuser(AutofuserOptions()).schedule('g')", "schedule takes a HintGraph or a FusedGraph, got 'g'"),
    "codegen": ("Autofuser(AutofuserOptions()).codegen(g)", "codegen takes what schedule returned"),
}


@pytest.mark.parametrize("case", STATEMENTS)
def test_a_wrong_statement(case: str) -> None:
    statement, says = STATEMENTS[case]
    line = LINE + statement.count("\n")
    with pytest.raises(GraphError, match=re.escape(f"s.py, line {line}: {says}")):
        run(HEAD + statement + "\n")


def test_the_line_is_the_innermost_of_the_script() -> None:
    with pytest.raises(GraphError, match=re.escape(f"s.py, line {LINE + 1}: an output has no attribute 'foo'")):
        run(HEAD + "def bad():\n    load.y.foo = 1\nbad()\n")


def test_recursion_without_end() -> None:
    with pytest.raises(GraphError, match=r"s\.py, line \d+: the script calls itself without end"):
        run("def f():\n    return f()\nf()\n")


def test_hasattr_works() -> None:
    with pytest.raises(GraphError, match="the script builds 2 HintGraphs"):
        run(HEAD + "assert not hasattr(load.y, 'offset') and hasattr(load.y, 'axis') and not hasattr(ascir.ops, 'Abz')\n")


def test_interrupts_are_not_swallowed() -> None:
    with pytest.raises(KeyboardInterrupt):
        run("raise KeyboardInterrupt\n")


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("x = (1,\ny = 2\n", "s.py, line 1: it is not Python: '(' was never closed"),
        ("def f(:\n  pass\n", "s.py, line 1: it is not Python: invalid syntax"),
        ("if True:\nx = 1\n", "s.py, line 2: it is not Python: expected an indented block"),
        ("x = 1\x00", "s.py"),
        ("(" * 300 + ")" * 300, "s.py"),
        ("x = " + "-" * 100_000 + "1", "s.py"),
    ],
)
def test_what_is_not_python(source: str, says: str) -> None:
    with pytest.raises(ParseError, match=re.escape(says)):
        run(source)


def test_a_syntax_error_shows_the_place() -> None:
    with pytest.raises(ParseError) as caught:
        run("a = 1\nb = 2 3\n")
    assert str(caught.value).splitlines()[1:] == ["  b = 2 3", "        ^"]


def test_a_script_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.py: there is no such file"):
        load_script(tmp_path / "none.py")
    (tmp_path / "binary.py").write_bytes(bytes(range(256)))
    with pytest.raises(ParseError, match=r"binary\.py: it is not UTF-8 text"):
        load_script(tmp_path / "binary.py")


ONE = dedent(
    """
    import ascir
    g = ascir.HintGraph('g')
    a = g.create_axis('a', 64)
    def op(kind, name, x=None):
        o = getattr(ascir.ops, kind)(name, g)
        if kind in ('Data', 'Output'):
            o.attr.ir_attr.index = 0
        else:
            o.attr.sched.axis = [a]
            o.y.axis, o.y.size, o.y.strides = [a], [64], [1]
        if x is not None:
            o.x = x
        return o
    y = op('Output', 'y', op('Store', 'store', op('Abs', 'abs', op('Load', 'load', op('Data', 'x')))))
    """
)
FUSED = dedent(
    """
    f = ascir.FusedGraph('f')
    b = ascir.ops.AscBackend('b', g, f)
    d = ascir.ops.Data('d', f)
    d.attr.ir_attr.index = 0
    b.x = [d]
    o = ascir.ops.Output('o', f)
    o.attr.ir_attr.index = 0
    o.x = [b.y[0]]
    """
)

GRAPHS: dict[str, tuple[str, str]] = {
    "none": ("x = 1\n", "s.py: the script builds no HintGraph; build exactly one"),
    "two": (ONE + "ascir.HintGraph('h')\n", "s.py: the script builds 2 HintGraphs (g, h)"),
    "no-backend": (ONE + "ascir.FusedGraph('f')\n", "s.py: the script links 0 AscBackends into its FusedGraph"),
    "two-backends": (
        ONE + FUSED + "ascir.ops.AscBackend('c', g, f)\n",
        "s.py: the script links 2 AscBackends into its FusedGraph; one kernel is one AscBackend",
    ),
    "unlinked-operand": (ONE + "op('Abs', 'abs1')\n", "s.py: operand x of Abs 'abs1' is not linked; set its x"),
    "unlinked-backend": (ONE + FUSED.replace("b.x = [d]", ""), "s.py: the inputs of b are not linked"),
    "unlinked-result": (ONE + FUSED.replace("o.x = [b.y[0]]", ""), "s.py: result 0 of b goes to no Output"),
    "unused-input": (
        ONE + FUSED + "e = ascir.ops.Data('e', f)\ne.attr.ir_attr.index = 1\n",
        "s.py: input e of f is not linked to b; link it, or remove it",
    ),
    "result-twice": (ONE + FUSED + "p = ascir.ops.Output('p', f)\np.x = b\n", "s.py: result 0 of b goes to two outputs"),
    "passed-through": (ONE + FUSED.replace("o.x = [b.y[0]]", "o.x = d"), "s.py: output o takes d, not a result of b"),
    "no-index": (ONE + FUSED.replace("d.attr.ir_attr.index = 0", ""), "s.py: Data 'd' has no index; set its attr.ir_attr.index"),
    "structure": (
        ONE.replace("[a], [64], [1]", "[a], [32], [1]"),
        "s.py: graph g, node load: the repeat along a is neither 1 nor the size of a",
    ),
    "size-twice": (ONE + "g.create_size('n')\ng.create_size('n')\n", "s.py: graph g: 2 declarations of size n"),
    "cycle": (ONE + "c, e = op('Abs', 'c'), op('Abs', 'e')\nc.x, e.x = e, c\n", "s.py: e depends on itself through c; break the cycle"),
    "operands": (
        ONE + "g.operators[2].y.size = [1]\n",
        "s.py: graph g, node abs: axis a of Abs has 64 elements in load and 1 in the result",
    ),
}


@pytest.mark.parametrize("case", GRAPHS)
def test_graphs_that_cannot_be_taken(case: str) -> None:
    source, says = GRAPHS[case]
    with pytest.raises(AttError, match=re.escape(says)):
        run(source)


def test_the_same_graphs_without_a_fault() -> None:
    assert run_script(ONE, "s.py", "s").name == "g"
    assert run_script(ONE + FUSED, "s.py", "s").name == "f"
