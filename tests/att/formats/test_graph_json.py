"""Graph JSON: round trips byte for byte, and says what is wrong with a document and where."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from att.errors import AttError, GraphError, ParseError
from att.expr.choice import lookup, where
from att.expr.compare import le
from att.formats.graph_json import dumps, loads, schema
from att.formats.layout import pretty
from att.ir.graph import HintGraph, Template

Edit = Callable[[Any], object]


def changed(graph: HintGraph | Template, edit: Edit) -> str:
    document = json.loads(dumps(graph))
    edit(document)
    return json.dumps(document)


def test_golden_hint(hint: HintGraph, golden: Path) -> None:
    text = (golden / "scaled_sum.json").read_text(encoding="utf-8")
    assert dumps(hint) == text
    assert loads(text) == hint


def test_golden_template(template: Template, golden: Path) -> None:
    text = (golden / "two_phase.json").read_text(encoding="utf-8")
    assert dumps(template) == text
    assert loads(text) == template


def test_what_was_read_is_written_in_the_same_bytes(hint: HintGraph, template: Template) -> None:
    for graph in (hint, template):
        assert dumps(loads(dumps(graph))) == dumps(graph)
        assert loads(dumps(graph).encode()) == graph


def test_layout_does_not_matter_to_the_reader(hint: HintGraph) -> None:
    assert loads(json.dumps(json.loads(dumps(hint)))) == hint


def test_integers_are_read_as_expressions(hint: HintGraph) -> None:
    def numbers(document: Any) -> None:
        document["nodes"][5]["output"]["repeats"][1] = 1
        document["nodes"][6]["attrs"]["offset"] = 0

    assert loads(changed(hint, numbers)) == hint


def test_a_plain_slash_rounds_down_except_along_split_axes(hint: HintGraph, template: Template) -> None:
    assert loads(changed(hint, lambda d: d["axes"][1].update(size="(ks1 + 1) / 2"))) == hint
    assert loads(changed(template, lambda d: d["phases"][0]["axes"][1].update(size="ks0 / z0t_size"))) == template


def test_every_kind_of_expression_survives(hint: HintGraph) -> None:
    rows, columns = (s.symbol for s in hint.sizes)
    exotic = where(le(rows, 4), lookup((3, 5, 7), rows % 3), columns % 5)
    node = replace(hint.nodes[1], attrs={"offset": exotic, "other": exotic, "flag": True, "ratio": 0.1, "count": 3, "note": 'a "b" é\n'})
    graph = replace(hint, nodes=(hint.nodes[0], node, *hint.nodes[2:]))
    document = json.loads(dumps(graph))
    attrs = document["nodes"][1]["attrs"]
    assert attrs["offset"] == attrs["other"]["expr"] == "Where(ks0 <= 4, Lookup([3, 5, 7], ks0 % 3), ks1 % 5)"


DOCUMENTS: dict[str, tuple[Edit, str]] = {
    "format": (lambda d: d.update(format="onnx"), 'F at $.format: format is "onnx", expected "ascgraph"'),
    "version": (lambda d: d.update(version=2), "F at $.version: version 2 is not supported, this program reads version 1"),
    "version-type": (lambda d: d.update(version="1"), "F at $.version: expected `int`, got `str`"),
    "kind": (lambda d: d.update(kind="impl"), 'F at $.kind: kind is "impl", expected hint or template'),
    "no-head": (lambda d: d.pop("format"), "F at $: object missing required field `format`"),
    "unknown-field": (lambda d: d["nodes"][1].update(inptus=["x"]), "F at $.nodes[1]: object contains unknown field `inptus`"),
    "unknown-top": (lambda d: d.update(author="me"), "F at $: object contains unknown field `author`"),
    "missing": (lambda d: d["nodes"][2].pop("output"), "F at $.nodes[2]: object missing required field `output`"),
    "type": (lambda d: d["axes"][0].update(align="8"), "F at $.axes[0].align: expected `int`, got `str`"),
    "bool": (lambda d: d["axes"][0].update(align=True), "F at $.axes[0].align: expected `int`, got `bool`"),
    "dtype": (lambda d: d["nodes"][0]["output"].update(dtype="float8"), "F at $.nodes[0].output.dtype: invalid enum value 'float8'"),
    "op": (lambda d: d["nodes"][4].update(op="Mull"), "F at $.nodes[4].op: unknown op 'Mull'; did you mean Mul?"),
    "op-case": (lambda d: d["nodes"][4].update(op="mul"), "F at $.nodes[4].op: unknown op 'mul'; did you mean Mul?"),
    "symbol": (lambda d: d["axes"][0].update(size="ks7"), "F at $.axes[0].size: unknown symbol ks7"),
    "syntax": (lambda d: d["axes"][0].update(size="3 +"), "F at $.axes[0].size: "),
    "stride": (lambda d: d["nodes"][1]["output"]["strides"].__setitem__(0, "ks1 ks0"), "F at $.nodes[1].output.strides[0]: "),
    "zero-division": (lambda d: d["nodes"][1]["attrs"].update(offset="7 // (ks0 - 1)"), "F at $.nodes[1].attrs.offset: "),
    "offset-type": (lambda d: d["nodes"][1]["attrs"].update(offset=1.5), "F at $.nodes[1].attrs.offset: expected an expression, got 1.5"),
    "size-range": (lambda d: d["sizes"][1].update(min=9000), "F at $.sizes[1]: "),
    "size-name": (lambda d: d["sizes"][0].update(name="a b"), "F at $.sizes[0]: 'a b' cannot name a symbol"),
    "structure": (
        lambda d: d["nodes"][4].update(inputs=["scaled/cast", "scaled/tow"]),
        "F: graph scaled sum, node scaled/mul: its input scaled/tow",
    ),
}


@pytest.mark.parametrize("fault", DOCUMENTS)
def test_a_fault_is_named_with_its_path(hint: HintGraph, fault: str) -> None:
    edit, says = DOCUMENTS[fault]
    with pytest.raises(AttError, match=re.escape(says)):
        loads(changed(hint, edit), "F")


def test_an_expression_error_shows_the_place(hint: HintGraph) -> None:
    with pytest.raises(ParseError) as caught:
        loads(changed(hint, lambda d: d["axes"][0].update(size="ks0 + kz")), "F")
    assert str(caught.value).splitlines()[1:] == ["  ks0 + kz", "        ^^"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "F: it is empty"),
        ("   \n", "F: it is empty"),
        ("[]", "F at $: expected `object`, got `array`"),
        ("{\n  nonsense", "F: JSON is malformed: object keys must be strings in line 2, column 3"),
        ('{"format": "ascgraph",\n "version": 1,\n "kind"', "F: the JSON text ends in line 3 before it is complete"),
        ('{"format": "ascgraph",\n "version": 1,,\n', "F: JSON is malformed: "),
        ('{"format": "x", "version": 1, "kind": "hint"}\n{', "F: JSON is malformed: trailing characters in line 2"),
        ("[" * 100_000, "F"),
    ],
)
def test_texts_that_are_no_documents(text: str, says: str) -> None:
    with pytest.raises(ParseError, match=re.escape(says)):
        loads(text, "F")


def test_bytes_that_are_no_text() -> None:
    with pytest.raises(ParseError, match=re.escape("F: it is a binary file, not JSON")):
        loads(b"\x00\x01\x02", "F")
    with pytest.raises(ParseError, match=re.escape("F: ")):
        loads(b'{"format": "\xff"}', "F")
    with pytest.raises(ParseError, match=re.escape("F: ")):
        loads('{"format": "\ud800"}', "F")


def test_faults_of_a_template(template: Template) -> None:
    def edited(edit: Edit) -> str:
        return changed(template, edit)

    with pytest.raises(ParseError, match=re.escape("F at $.phases[1].nodes[1].output.memory.position: invalid enum value 'L1'")):
        loads(edited(lambda d: d["phases"][1]["nodes"][1]["output"]["memory"].update(position="L1")), "F")
    with pytest.raises(ParseError, match=re.escape("F at $.phases[0].variables[0]: ")):
        loads(edited(lambda d: d["phases"][0]["variables"][0].update(max=0)), "F")
    with pytest.raises(GraphError, match=re.escape("F: template two.z0: tiling_key -1 is negative")):
        loads(edited(lambda d: d.update(tiling_key=-1)), "F")
    with pytest.raises(GraphError, match=re.escape("F: graph kernel.first, node one: its output has no memory")):
        loads(edited(lambda d: d["phases"][0]["nodes"][2]["output"].pop("memory")), "F")


def test_the_shipped_schema_is_the_one_the_reader_follows() -> None:
    shipped = files("att").joinpath("schemas", "graph.schema.json").read_text(encoding="utf-8")
    assert shipped == pretty(schema()) + "\n"


def test_the_schema_names_every_field(hint: HintGraph, template: Template) -> None:
    """Whatever `dumps` writes is a declared property of some definition."""
    declared = {name for definition in schema()["$defs"].values() for name in definition.get("properties", ())}
    free = {"attrs", "axis_names"}

    def fields(value: Any) -> set[str]:
        if isinstance(value, list):
            return set().union(*map(fields, value))
        if not isinstance(value, dict):
            return set()
        return set(value).union(*(fields(v) for k, v in value.items() if k not in free))

    written = fields(json.loads(dumps(hint))) | fields(json.loads(dumps(template)))
    assert written <= declared
    assert {"variables", "memory", "multiple_of", "allow_oversize", "vectorized_strides"} <= written


def test_a_field_that_occurs_twice(hint: HintGraph) -> None:
    text = dumps(hint).replace('"attrs": {"index": 0}', '"attrs": {"index": 0, "index": 1}', 1)
    with pytest.raises(ParseError, match="F: an object has 2 fields 'index'; keep one of them"):
        loads(text, "F")
