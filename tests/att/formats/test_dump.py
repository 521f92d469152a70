"""Graph text: our own round trip, the documents' example as it stands, and errors with line numbers."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from att.errors import AttError, GraphError, ParseError
from att.expr.core import ceil_div, floor_div, integer, mul
from att.formats.dump import from_text, to_text
from att.formats.graph_json import dumps, loads
from att.ir.axis import Axis, AxisKind
from att.ir.graph import HintGraph, ImplGraph, Template, TileVar


@pytest.fixture
def example(shared_data: Path) -> str:
    """The documents' dump."""
    return (shared_data / "abs_test_dump.txt").read_text(encoding="utf-8")


def test_golden_hint(hint: HintGraph, golden: Path) -> None:
    text = (golden / "scaled_sum.txt").read_text(encoding="utf-8")
    assert to_text(hint) == text
    assert from_text(text) == hint


def test_golden_template(template: Template, golden: Path) -> None:
    text = (golden / "two_phase.txt").read_text(encoding="utf-8")
    assert to_text(template) == text
    assert from_text(text) == template


def test_the_documents_example(example: str, golden: Path) -> None:
    graph = from_text(example)
    assert isinstance(graph, Template)
    assert (graph.name, graph.graph_name, graph.tiling_key, len(graph.phases)) == ("abs_test", "abs_test", 0, 1)
    assert to_text(graph) == (golden / "abs_test.txt").read_text(encoding="utf-8")
    assert from_text(to_text(graph)) == graph
    assert loads(dumps(graph)) == graph


def test_what_the_example_leaves_open(example: str) -> None:
    phase = from_text(example).phases[0]  # type: ignore[union-attr]
    tile, block = (v.symbol for v in phase.variables)
    assert [(v.name, v.axis, v.maximum) for v in phase.variables] == [("z0z1t_size", "z0z1t", 40000), ("z0z1Tb_size", "z0z1Tb", 40000)]
    assert not phase.sizes
    assert {axis.align for axis in phase.axes} == {1}
    assert phase.axis_of["z0z1TB"].size == ceil_div(ceil_div(40000, tile), block)
    assert phase.node_of["abs_test/load_0"].output.repeats == (ceil_div(40000, mul(block, tile)), block, tile)
    assert phase.node_of["abs_test/load_0"].loops == ("z0z1TB", "z0z1Tb")


def test_a_lone_loop_nest_comes_back_as_a_template(template: Template) -> None:
    phase = replace(template.phases[0], name="alone")
    again = from_text(to_text(phase))
    assert again == Template(name="alone", tiling_key=0, graph_name="alone", phases=(phase,))
    assert to_text(again) == to_text(phase)


def test_an_unscheduled_phase_is_marked_as_one(hint: HintGraph) -> None:
    """Without tiles, loops and buffers only the `Template:` head tells it from a HintGraph."""
    phase = ImplGraph(name=hint.name, sizes=hint.sizes, axes=hint.axes, nodes=hint.nodes)
    assert to_text(phase).startswith("Template: scaled sum\n")
    assert not to_text(hint).startswith("Template:")


def test_a_variable_names_its_axis_where_two_have_its_size(template: Template) -> None:
    first = template.phases[0]
    tile = first.variables[0]
    twin = (
        Axis(name="w", size=first.axis_of["z0"].size),
        Axis(name="wT", size=first.axis_of["z0T"].size, kind=AxisKind.TILE_OUT, parents=("w",)),
        Axis(name="wt", size=tile.symbol, kind=AxisKind.TILE_IN, parents=("w",)),
    )
    moved = (replace(tile, axis="wt"), *first.variables[1:])
    phase = replace(first, axes=(*first.axes, *twin), variables=moved)
    text = to_text(phase)
    assert "  z0t_size: VAR, max: 1048576, axis: wt\n" in text
    assert from_text(text).phases == (phase,)  # type: ignore[union-attr]


def test_sizes_with_a_value(hint: HintGraph) -> None:
    text = to_text(hint).replace("  ks1: VAR, min: 16, max: 8192, multiple_of: 16\n", "  ks1: 48\n")
    size = from_text(text).sizes[1]  # type: ignore[union-attr]
    assert (size.name, size.minimum, size.maximum, size.multiple_of) == ("ks1", 48, 48, 1)


def test_a_plain_slash(hint: HintGraph) -> None:
    """Down along original axes."""
    text = to_text(hint).replace("(ks1 + 1) // 2, ORIGINAL", "((ks1 + 1) / 2), ORIGINAL")
    graph = from_text(text)
    assert graph == hint
    assert graph.axes[1].size == floor_div(hint.sizes[1].symbol + 1, 2)  # type: ignore[union-attr]


def test_upper_bounds_may_depend_on_each_other(template: Template) -> None:
    text = to_text(template.phases[0])
    for name in ("z0t_size", "z0Tb_size"):
        text = text.replace(f"  {name}: VAR, max: 1048576\n", f"  {name}: VAR\n")
    assert from_text(text).phases == (template.phases[0],)  # type: ignore[union-attr]


def test_blank_lines_comments_tabs_and_line_ends_do_not_matter(hint: HintGraph) -> None:
    text = "# by hand\n\n" + to_text(hint).replace("\n", "  \r\n").replace("Axis:", "\r\n\r\nAxis:")
    assert from_text(text) == hint


def test_attributes_of_every_type_and_name(hint: HintGraph) -> None:
    """A key that means something of its own is told apart from an attribute of that name."""
    attrs = {"axis": 3, "x": 'a "quoted" text\n', "ratio": 0.1, "flag": True, "other": hint.sizes[0].symbol, "offset": integer(7)}
    node = replace(hint.nodes[1], attrs=attrs)
    text = to_text(replace(hint, nodes=(hint.nodes[0], node, *hint.nodes[2:])))
    for line in (
        ".ir_attr.axis = 3",
        r'.ir_attr.x = "a \"quoted\" text\n"',
        ".ratio = 0.1",
        ".flag = true",
        ".other = expr(ks0)",
        ".offset = 7",
    ):
        assert f"    {line}\n" in text


FAULTS: dict[str, tuple[str, str, str]] = {
    "section": ("Nodes:", "Nodse:", "F, line 8: expected `Sizes:`, `Axis:`, `Nodes:` or `Trace:`"),
    "size": ("  ks0: VAR", "  ks0 VAR", "F, line 3: a size is `name: VAR` or `name: 40`"),
    "size-word": ("  ks0: VAR", "  ks0: VARIABLE", "F, line 3: expected an integer, got 'VARIABLE'"),
    "size-name": ("  ks0: VAR", "  k-0: VAR", "F, line 3: 'k-0' cannot name a symbol"),
    "size-range": ("min: 16", "min: 9000", "F, line 4: "),
    "size-key": ("min: 16", "mni: 16", "F, line 4: unknown entry 'mni'; did you mean min?"),
    "size-twice": ("min: 16", "max: 16", "F, line 4: max is given twice"),
    "axis": ("rows(0) : ks0", "rows : ks0", "F, line 6: an axis is `name(0) : size, KIND, from: {…}, align: 1, …`"),
    "axis-kind": ("ks0, ORIGINAL", "ks0, ORGINAL", "F, line 6: unknown kind of axis 'ORGINAL'; did you mean ORIGINAL?"),
    "axis-size": ("rows(0) : ks0", "rows(0) : ks9", "F, line 6: unknown symbol ks9"),
    "axis-flag": ("allow_oversize_axis: 1", "allow_oversize_axis: 2", "F, line 7: allow_oversize_axis is 2, expected 0 or 1"),
    "axis-key": ("align: 8", "alien: 8", "F, line 6: unknown entry 'alien'; did you mean align?"),
    "axis-align": ("align: 8", "align: ks0", "F, line 6: expected an integer, got 'ks0'"),
    "node": ("  scaled/x: Data (0)", "  scaled/x Data", "F, line 9: a node starts with `name: Op (0)`"),
    "op": ("scaled/mul: Mul", "scaled/mul: Mull", "unknown op 'Mull'; did you mean Mul?"),
    "field": (".y.dtype = bfloat16", ".y.dtyp = bfloat16", "F, line 11: unknown field .y.dtyp; did you mean y.dtype?"),
    "no-dtype": ("    .index = 0\n    .y.dtype = bfloat16\n", "    .index = 0\n", "F, line 9: node scaled/x has no .y.dtype"),
    "dtype": ("dtype = bfloat16", "dtype = float8", "F, line 11: unknown dtype 'float8'; did you mean float"),
    "equals": (".index = 0", ".index 0", "F, line 10: expected `.key = value`"),
    "twice": (".y.axis = {rows, columns, }", ".y.dtype = float32", "is given twice"),
    "list": (".axis = {rows, columns, }", ".axis = rows", "F, line 14: expected a list `{a, b, }`"),
    "source": (".x = scaled/x.y", ".x = scaled/x", "expected `node.y`, got 'scaled/x'"),
    "value": (".offset = 3*ks1", ".offset = 3**", "F, line 13: "),
    "attribute": (".index = 0", ".index = {0}", "F, line 10: cannot read the value of attribute index"),
    "text": ('.value = "2.0"', '.value = "2.0', "the quoted text does not end or is malformed"),
    "compute": (".compute_type = load", ".compute_type = store", "F, line 16: api.compute_type of Load is load, got store"),
    "unit": (".unit = Vector", ".unit = MTE2", "api.unit of Cast is Vector, got MTE2"),
    "orphan": ("  scaled/x: Data (0)\n", "", "F, line 9: a field before the first node"),
    "second-part": ("Nodes:", "Axis:", "F, line 8: a second `Axis:` in one graph"),
    "structure": (".x = scaled/x.y", ".x = scaled/cast.y", "F: graph scaled sum, node scaled/load: its input scaled/cast"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named_with_its_line(hint: HintGraph, fault: str) -> None:
    old, new, says = FAULTS[fault]
    text = to_text(hint)
    assert old in text
    with pytest.raises(AttError, match=re.escape(says)):
        from_text(text.replace(old, new, 1), "F")


TEMPLATE_FAULTS: dict[str, tuple[str, str, str]] = {
    "key": ("  tiling_key: 4\n", "", "F, line 1: the template has no `tiling_key`"),
    "key-number": ("tiling_key: 4", "tiling_key: four", "F, line 2: expected an integer, got 'four'"),
    "unknown": ("  graph: kernel", "  grpah: kernel", "F, line 3: unknown entry 'grpah'; did you mean graph?"),
    "queue": ("      .buf_num = 2\n", "", "node load has no .y.que.buf_num"),
    "position": ("TPosition::VECIN", "TPosition::L1", "unknown y.mem.position 'TPosition::L1'"),
    "alloc": (".alloc_type = Queue", ".alloc_type = Pool", "unknown y.mem.alloc_type 'Pool'"),
    "hardware": (".hardware = UB", ".hardware = GM", "alloc_type Queue lies in UB, got GM"),
    "memory": ("      .tensor_id = 0\n", "", "node load has no .y.mem.tensor_id"),
    "bound": ("z0t_size: VAR, max: 1048576", "z0t_size: VAR, max: 0", "F, line 8: "),
    "loop": (".loop_axis = z0Tb", ".loop_axis = z1Tb", "loop_axis z1Tb is not in its loop nest z0TB, z0Tb, z0t"),
    "no-parent": (
        "TILE_IN, from: {z0, }",
        "TILE_IN",
        "F: graph kernel.first, axis z0t: TILE_IN comes from exactly one parent, got 0",
    ),
}


@pytest.mark.parametrize("fault", TEMPLATE_FAULTS)
def test_a_fault_of_a_template_is_named(template: Template, fault: str) -> None:
    old, new, says = TEMPLATE_FAULTS[fault]
    text = to_text(template)
    assert old in text
    with pytest.raises(AttError, match=re.escape(says)):
        from_text(text.replace(old, new, 1), "F")


def test_bounds_that_depend_on_themselves() -> None:
    text = (
        "Graph: g\nSizes:\n  t: VAR\nAxis:\n  a(0) : t, ORIGINAL\n  aT(1) : 1, TILE_OUT, from: {a, }\n  at(2) : t, TILE_IN, from: {a, }\n"
    )
    with pytest.raises(ParseError, match=re.escape("F, line 3: the upper bound of t depends on itself; add `max: N`")):
        from_text(text, "F")
    with pytest.raises(ParseError, match=re.escape("F, line 3: no upper bound is known for t: axis at has no parent; add `max: N`")):
        from_text(text.replace(", from: {a, }", ""), "F")


def test_texts_that_are_no_dumps() -> None:
    with pytest.raises(ParseError, match="F: it is empty"):
        from_text("\n # nothing\n", "F")
    with pytest.raises(ParseError, match="F, line 1: a graph text starts with `Graph: <name>`"):
        from_text("once upon a time", "F")
    with pytest.raises(GraphError, match="F: graph g: it has no nodes"):
        from_text("Graph: g\n", "F")


def test_two_graphs_in_one_text(hint: HintGraph, template: Template) -> None:
    with pytest.raises(ParseError, match="a second HintGraph in one text; put each HintGraph into its own file"):
        from_text(to_text(hint) * 2, "F")
    with pytest.raises(ParseError, match="a text holds one template"):
        from_text(to_text(template) * 2, "F")


def test_an_error_shows_the_line_and_the_part(hint: HintGraph) -> None:
    with pytest.raises(ParseError) as caught:
        from_text(to_text(hint).replace("align: 8", "alien: 8"), "F")
    line, marks = str(caught.value).splitlines()[1:]
    assert line[marks.index("^") : marks.rindex("^") + 1] == "alien"


def test_a_tile_variable_is_no_shape(template: Template) -> None:
    phase = from_text(to_text(template)).phases[0]  # type: ignore[union-attr]
    assert phase.variables == (
        TileVar(name="z0t_size", axis="z0t", maximum=2**20),
        TileVar(name="z0Tb_size", axis="z0Tb", maximum=2**20),
    )
    assert [s.name for s in phase.sizes] == ["ks0"]
