"""Every graph of the public corpus loads, and survives all three formats unchanged.

86 scripts emitted by the PyTorch backend extension, and 11 small graphs that were run through the reference system.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from att.formats.dump import from_text, to_text
from att.formats.graph_json import dumps, loads
from att.formats.load import load, save
from att.formats.script import load_script, run_script, to_script
from att.ir.dtype import DType
from att.ir.graph import HintGraph


@pytest.fixture(scope="module")
def corpus(shared_data: Path) -> dict[str, HintGraph]:
    """All graphs by file stem."""
    paths = sorted((*(shared_data / "hint_graphs").glob("*.py"), *(shared_data / "reference_graphs").glob("*.py")))
    return {path.stem: load_script(path) for path in paths}


def test_all_scripts_load(corpus: dict[str, HintGraph]) -> None:
    assert len(corpus) == 97
    for stem, graph in corpus.items():
        assert graph.nodes, stem
        assert graph.data_nodes, stem
        assert graph.output_nodes, stem


def test_json_round_trip(corpus: dict[str, HintGraph]) -> None:
    for stem, graph in corpus.items():
        text = dumps(graph)
        again = loads(text)
        assert again == graph, stem
        assert dumps(again) == text, stem


def test_text_round_trip(corpus: dict[str, HintGraph]) -> None:
    for stem, graph in corpus.items():
        text = to_text(graph)
        again = from_text(text)
        assert again == graph, stem
        assert to_text(again) == text, stem


def test_script_round_trip(corpus: dict[str, HintGraph]) -> None:
    for stem, graph in corpus.items():
        script = to_script(graph)
        again = run_script(script, "written.py", "written")
        assert again == graph, stem
        assert to_script(again) == script, stem


def test_the_graph_bears_the_name_of_its_kernel(corpus: dict[str, HintGraph]) -> None:
    assert corpus["abs_f32__static__full__k0"].name == "autofused_abs"
    assert corpus["softmax_like"].name == "softmax_like"


def test_a_dynamic_softmax(corpus: dict[str, HintGraph]) -> None:
    graph = corpus["softmax_f32__dyn__full__k0"]
    assert [s.name for s in graph.sizes] == ["ks0", "ks1"]
    assert [n.op for n in graph.nodes if n.op in ("Max", "Sum", "Exp")] == ["Max", "Exp", "Sum"]
    assert {n.output.dtype for n in graph.nodes} == {DType.FLOAT32}


def test_offsets_and_floor_divisions(corpus: dict[str, HintGraph]) -> None:
    """`((ks1 + 1)/2)` floors, `Max(1, ...)` needs no import and is known to be its other argument, the second half starts at its offset."""
    graph = corpus["swiglu_chunk_bf16__dyn__full__k0"]
    text = to_text(graph)
    assert ".offset = (ks1 + 1) // 2\n" in text
    assert graph.node_of["graph_hint/store"].output.strides == graph.node_of["graph_hint/mul"].output.strides
    assert "  a1(1) : (ks1 + 1) // 2, ORIGINAL" in text


def test_argmax_is_stored_by_its_registered_name(corpus: dict[str, HintGraph]) -> None:
    graph = corpus["argmax_f32__dyn__full__k0"]
    assert graph.node_of["graph_hint/argmax"].op == "ArgMax"
    assert graph.node_of["graph_hint/output"].output.dtype is DType.INT64


def test_kernel_arguments_follow_the_fused_graph(corpus: dict[str, HintGraph]) -> None:
    for stem, graph in corpus.items():
        assert [n.attrs["index"] for n in graph.data_nodes] == list(range(len(graph.data_nodes))), stem
        assert [n.attrs["index"] for n in graph.output_nodes] == list(range(len(graph.output_nodes))), stem


def test_files_of_each_suffix_hold_the_same_graph(corpus: dict[str, HintGraph], tmp_path: Path) -> None:
    graph = corpus["hc_post_b4s16_bf16__dyn__full__k0"]
    for suffix in (".json", ".txt", ".py"):
        path = tmp_path / f"graph{suffix}"
        save(graph, path)
        assert load(path) == graph
