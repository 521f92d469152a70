"""What a person can get wrong with `att run` and `att emit`: a sentence, the right exit code, nothing left behind."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from att.cli.main import main
from att.errors import AttError
from att.formats.builder import GraphBuilder
from att.formats.graph_json import dumps
from att.ir.axis import Size
from att.ir.dtype import DType
from att.ir.graph import HintGraph
from benchmarks.make_graphs import dynamic_graph
from codegen import cache as cache_module
from codegen.calls import registry
from codegen.driver import make_case
from codegen.runtime import toolchain
from schedule.generate import schedule_graph

GRAPH = "sample:softmax"
SHAPE = ("--shape", "ks0=37")


def _att(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    code = main(list(argv))
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err
    return code, captured.out, captured.err


def test_a_run_is_a_document(capsys: pytest.CaptureFixture[str], kernel_cache: Path) -> None:
    code, out, err = _att(capsys, "run", GRAPH, *SHAPE, "--solver", "axis_sort", "--cache", str(kernel_cache), "--json", "--seed", "3")
    assert (code, err) == (0, "")
    document = json.loads(out)
    assert (document["format"], document["version"], document["ok"], document["seed"]) == ("run", 1, True, 3)
    (entry,) = document["runs"]
    assert entry["template"] == "full_load.z0"
    assert entry["complaints"] == []
    assert entry["outputs"][0]["elems"] == 37 * 1024
    numbers = {a["what"]: (a["predicted"], a["measured"]) for a in entry["agreement"]}
    assert numbers["store bytes"] == (37 * 1024 * 4, 37 * 1024 * 4)
    assert document["skipped"][0]["template"] == "general"


def test_the_tables_of_a_run(capsys: pytest.CaptureFixture[str], kernel_cache: Path) -> None:
    code, out, _ = _att(capsys, "run", GRAPH, *SHAPE, "--tiling", "z0t_size=5,z0Tb_size=1", "--cache", str(kernel_cache))
    assert code == 0
    assert "full_load.z0: right (z0t_size=5 z0Tb_size=1, 8 cores)" in out
    assert "UB bytes" in out


def test_all_templates_and_plans(capsys: pytest.CaptureFixture[str], chip: Any, kernel_cache: Path, tmp_path: Path) -> None:
    graph = tmp_path / "add_row.json"
    graph.write_text(dumps(dynamic_graph("add_row")))
    shape = ("--shape", "ks0=17,ks1=33")
    options = ("--cache", str(kernel_cache), "--solver", "axis_sort", "--json")
    code, out, _ = _att(capsys, "run", str(graph), *shape, "--all-templates", *options)
    assert code == 0
    assert [entry["template"] for entry in json.loads(out)["runs"]] == [
        template.name for template in schedule_graph(dynamic_graph("add_row"), chip).templates
    ]
    plan = tmp_path / "plan.json"
    assert _att(capsys, "solve", str(graph), *shape, "--solver", "axis_sort", "-o", str(plan))[0] == 0
    code, out, _ = _att(capsys, "run", str(graph), *shape, "--plan", str(plan), *options)
    assert code == 0
    assert json.loads(out)["runs"][0]["variables"] == json.loads(plan.read_text())["variables"]
    code, _, err = _att(capsys, "run", GRAPH, *SHAPE, "--plan", str(plan))
    assert code == 2
    assert "the plan is for the graph add_row, this is softmax" in err
    code, _, err = _att(capsys, "run", str(graph), *shape, "--plan", str(plan), "--chip", "ascend910b2")
    assert code == 2
    assert "the plan is for the chip ascend910b1" in err


def test_an_illegal_tiling_names_the_constraint(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = _att(capsys, "run", GRAPH, "--shape", "ks0=1024", "--tiling", "z0t_size=512,z0Tb_size=1")
    assert (code, out) == (1, "")
    assert "the tiling is not legal: ub_capacity" in err
    code, _, err = _att(capsys, "run", GRAPH, *SHAPE, "--tiling", "z0t_size=5")
    assert code == 2
    assert "no template has exactly the variables z0t_size" in err


def _written(graph: HintGraph, folder: Path) -> str:
    path = folder / "graph.json"
    path.write_text(dumps(graph))
    return str(path)


def test_too_many_blocks_for_a_transfer_are_an_illegal_tiling(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    n = Size(name="n", maximum=100_000)
    g = GraphBuilder("apart", {"a": n.symbol}, (n,))
    g.store("y", g.op("Abs", g.load("x", ("a",), DType.FLOAT16, strides=(3,))))
    path = _written(g.build(), tmp_path)
    code, out, err = _att(capsys, "run", path, "--shape", "n=8192", "--tiling", "z0t_size=4096,z0Tb_size=1", "--align", "none")
    assert (code, out) == (1, "")
    assert "the tiling is not legal: dma_limits" in err
    assert "blocks of Load load fit the field of the transfer instruction" in err
    assert "4096" in err
    assert "4095" in err


def test_an_op_without_emission_is_named_with_the_place_to_add_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(registry, "FORMS", {})
    code, _, err = _att(capsys, "emit", GRAPH, "-o", str(tmp_path / "out"))
    assert code == 2
    assert "Max peak: calls of the form 'reduce' have no emission" in err
    assert "codegen/calls/registry.py" in err
    assert not (tmp_path / "out").exists()


def test_no_compiler(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(toolchain.shutil, "which", lambda _: None)
    code, _, err = _att(capsys, "run", GRAPH, *SHAPE, "--tiling", "z0t_size=5,z0Tb_size=1", "--cache", str(tmp_path / "cache"))
    assert code == 2
    assert "g++" in err
    assert "install" in err


def test_a_cache_that_cannot_be_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    code, _, err = _att(capsys, "run", GRAPH, *SHAPE, "--tiling", "z0t_size=5,z0Tb_size=1", "--cache", str(blocked / "cache"))
    assert code == 2
    assert "the cache folder cannot be written" in err
    assert "--cache" in err


def test_the_cache_follows_the_users_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_module.default_cache() == tmp_path / "att-tiling"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_module.default_cache() == Path.home() / ".cache" / "att-tiling"


def test_values_that_cannot_be_compared_are_named() -> None:
    g = GraphBuilder("grows", {"n": 1000})
    x = g.op("Exp", g.op("Exp", g.op("Mul", g.load("x", ("n",)), 100.0)))
    g.store("y", g.op("Sub", x, x))
    with pytest.raises(AttError, match=r"values can be compared: output y is not finite") as caught:
        make_case(g.build(), {}, 1)
    assert "--seed" in str(caught.value)


def test_other_chips_are_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, _, err = _att(capsys, "emit", GRAPH, "-o", str(tmp_path / "out"), "--chip", "ascend950pr")
    assert code == 2
    assert "kernels are emitted for arch 2201, ascend950pr is arch 3510" in err
    assert not (tmp_path / "out").exists()


def test_a_plan_by_published_prices_runs_where_the_kernel_has_room(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, kernel_cache: Path
) -> None:
    """Softmax of long rows, summed online, has room for all it needs. Any asks for more temporary memory than is published."""
    long_rows, tests = tmp_path / "long_rows.json", tmp_path / "tests.json"
    long_rows.write_text(dumps(dynamic_graph("softmax")))
    published, cached = ("--cost", "published"), ("--cache", str(kernel_cache))
    small = ("--shape", "ks0=2,ks1=3000", "--ub-bytes", "40960", "--solver", "axis_sort")
    code, out, _ = _att(capsys, "run", str(long_rows), *small, *published, *cached, "--json")
    document = json.loads(out)
    assert (code, document["ok"], [run["template"] for run in document["runs"]]) == (0, True, ["online.z0.z1"])
    g = GraphBuilder("tests", {"m": 200, "n": 701})
    g.store("y", g.reduce("Any", g.load("x", ("m", "n")), "m"))
    tests.write_text(dumps(g.build()))
    less = ("--ub-bytes", "40960")
    assert _att(capsys, "solve", str(tests), *less, *published, "-o", str(tmp_path / "plan.json"))[0] == 0
    for asked in (published, ("--plan", str(tmp_path / "plan.json"))):
        code, _, err = _att(capsys, "run", str(tests), *less, *asked, *cached)
        assert code == 1
        assert "the cost set published does not count: tests.general.z1.z0 needs 41728 B of UB, allowed 40704 B; use --cost mended" in err
    code, out, _ = _att(capsys, "run", str(tests), *less, *published, *cached, "--all-templates", "--json")
    document = json.loads(out)
    assert (code, [run["template"] for run in document["runs"]]) == (0, ["full_load.z1", "r_split.z1.z0"])
    assert "does not count" in next(s["reason"] for s in document["skipped"] if s["template"] == "general.z1.z0")


def test_the_kernel_is_the_same_whatever_prices_its_plan(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for cost in ("published", "mended"):
        assert _att(capsys, "emit", GRAPH, "-o", str(tmp_path / cost), "--cost", cost)[0] == 0
    texts = [{f.name: f.read_text() for f in (tmp_path / cost).iterdir()} for cost in ("published", "mended")]
    assert texts[0] == texts[1]


def test_a_template_cannot_be_compared(capsys: pytest.CaptureFixture[str], chip: Any, tmp_path: Path) -> None:
    template = schedule_graph(dynamic_graph("abs"), chip).templates[0]
    path = tmp_path / "template.json"
    path.write_text(dumps(template))
    code, _, err = _att(capsys, "run", str(path), "--shape", "ks0=3,ks1=4")
    assert code == 2
    assert "run its HintGraph" in err
    assert _att(capsys, "emit", str(path), "-o", str(tmp_path / "out"))[0] == 0


def test_nothing_to_do_and_missing_sizes(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = _att(capsys, "run", GRAPH, "--shape", "ks0=0")
    assert code == 0
    assert "there is nothing to run" in out
    code, _, err = _att(capsys, "run", GRAPH)
    assert code == 2
    assert "ks0" in err


def test_emitted_files(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, _ = _att(capsys, "emit", GRAPH, "-o", str(tmp_path))
    assert code == 0
    names = ["softmax_kernel.cpp", "softmax_tiling_data.h", "manifest.json", "BUILD.md"]
    assert out.split() == [str(tmp_path / name) for name in names]
    assert sorted(os.listdir(tmp_path)) == sorted(names)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert manifest["entry"] == "softmax_kernel"
    assert [a["dtype"] for a in manifest["inputs"] + manifest["outputs"]] == ["float32", "float32"]
    assert manifest["templates"] == [{"template": "full_load.z0", "tiling_key": 0, "workspace_bytes": "0"}]
    assert manifest["tiling_data"]["bytes"] % 8 == 0
    code, _, err = _att(capsys, "emit", GRAPH, "-o", str(tmp_path / "BUILD.md" / "x"))
    assert code == 2
    assert "cannot write" in err


def test_the_library(kernel_cache: Path) -> None:
    import att

    graph = att.load(GRAPH)
    assert set(att.emit(graph).files) == {"softmax_kernel.cpp", "softmax_tiling_data.h", "manifest.json", "BUILD.md"}
    document = att.run(graph, shape={"ks0": 4}, tiling={"z0t_size": 2, "z0Tb_size": 1}, cache=kernel_cache)
    assert document["ok"]
    assert document["runs"][0]["block_dim"] == 2
