"""Every bad input is a sentence on stderr, nothing on stdout, and exit code 2 (1 where the graph cannot fit)."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from att.late import UNAVAILABLE

Run = Callable[..., Any]
Edit = Callable[[Callable[[dict[str, Any]], object]], Path]


def _refused(result: Any, *says: str, code: int = 2) -> None:
    assert result.code == code, result
    assert result.out == ""
    assert result.err.startswith("att: ")
    for text in says:
        assert text in result.err


COMMANDS = (("show",), ("schedule",), ("model",), ("solve", "--shape", "ks0=64"), ("compare", "--shape", "ks0=64"))


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: c[0])
@pytest.mark.parametrize(
    "content",
    [b'{"format": "ascgraph", "version"', b"", b"\x89PNG\r\n\x1a\n\0\0", b"[]"],
    ids=["truncated", "empty", "binary", "list"],
)
def test_files_that_hold_no_graph(run_att: Run, tmp_path: Path, command: tuple[str, ...], content: bytes) -> None:
    path = tmp_path / "graph.json"
    path.write_bytes(content)
    _refused(run_att(command[0], path, *command[1:]), "graph.json")


@pytest.mark.parametrize("suffix", [".txt", ".py", ".json", ""])
def test_binary_whatever_its_suffix(run_att: Run, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"graph{suffix}"
    path.write_bytes(bytes(range(256)))
    _refused(run_att("solve", path), "graph")


def test_no_file_a_folder_an_unreadable_file(run_att: Run, tmp_path: Path) -> None:
    _refused(run_att("solve", tmp_path / "none.json"), "none.json")
    _refused(run_att("solve", tmp_path), str(tmp_path))
    if os.geteuid() != 0:
        locked = tmp_path / "locked.json"
        locked.write_text("{}")
        locked.chmod(0)
        _refused(run_att("solve", locked), "locked.json")


def test_an_unknown_sample(run_att: Run) -> None:
    _refused(run_att("show", "sample:nothing"), "no sample 'nothing'", "samples: ")


def _set(node: int, field: str, value: object) -> Callable[[dict[str, Any]], object]:
    return lambda document: document["nodes"][node].__setitem__(field, value)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda d: d.__setitem__("surprise", 1), "surprise"),
        (_set(2, "op", "Frobnicate"), "Frobnicate"),
        (lambda d: d["nodes"][3]["output"].__setitem__("dtype", "float8"), "float8"),
        (lambda d: d["nodes"][4]["output"].__setitem__("dtype", "int32"), "int32"),
        (lambda d: d["axes"][1].__setitem__("size", "3 +"), "3 +"),
        (lambda d: d["axes"][1].__setitem__("size", -4), "-4"),
        (lambda d: d["axes"][1].__setitem__("size", 2**31), str(2**31)),
        (lambda d: d["sizes"][0].__setitem__("min", -1), "-1"),
        (lambda d: d["nodes"][4].__setitem__("inputs", ["load"]), "Sub"),
        (lambda d: d["nodes"][4].__setitem__("inputs", ["load", "nobody"]), "nobody"),
        (lambda d: d.__setitem__("version", 99), "99"),
    ],
    ids=[
        "field",
        "op",
        "dtype",
        "mixed-dtypes",
        "expression",
        "negative-axis",
        "axis-above-limit",
        "negative-size",
        "arity",
        "input",
        "version",
    ],
)
def test_graphs_that_are_wrong(run_att: Run, edited: Edit, change: Callable[[dict[str, Any]], object], says: str) -> None:
    _refused(run_att("solve", edited(change), "--shape", "ks0=64"), says)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ((), "no value for size ks0"),
        (("--shape", "ks0=-5"), "ks0 = -5"),
        (("--shape", f"ks0={2**31}"), str(2**31)),
        (("--shape", "ks0=64,ks9=1"), "unknown size ks9"),
        (("--shape", "ks0=64", "--range", "ks0=128:256"), "ks0 = 64, allowed are 128..256"),
        (("--shape", "ks0=130", "--range", "ks0=128:256:16"), "multiples of 16"),
        (("--shape", "ks0=64", "--range", "ks0=9:3"), "contains no size"),
        (("--shape", "ks0=64", "--range", "ks0=0:3"), "leaves the declared 1:2147483647:1"),
        (("--shape", "ks0=64", "--range", "ks7=1:3"), "unknown size ks7"),
        (("--shape", "ks0=64", "--template", "none.such"), "no template none.such"),
        (("--shape", "ks0=64", "--exclude", "none.such"), "no template none.such"),
        (("--shape", "ks0=64", "--fix", "z9t_size=64"), "z9t_size"),
        (("--shape", "ks0=64", "--chip", "no_such_chip"), "no_such_chip"),
        (("--shape", "ks0=64", "--cores", "0"), "0 is below 1"),
        (("--shape", "ks0=64", "--ub-bytes", "100"), "100"),
        (("--shape", "ks0=64", "--cost", "calibrated"), "calibrated is not available in this version"),
        (("--shape", "ks0=64", "--objective", "fastest"), "'fastest' is unknown; choose from bottleneck, pipeline"),
        (("--shape", "ks0=64", "--solver", "simplex"), "'simplex' is unknown; choose from cpsat, enumerate, axis_sort, descent"),
        (("--shape", "ks0=64", "--shapes", "ks0=1:2"), "--shape and --shapes exclude each other"),
        (("--shapes", "none.toml"), "none.toml"),
        (("--shape", "ks0=64", "-o", "/nonexistent/plan.json"), "/nonexistent/plan.json"),
    ],
)
def test_options_that_are_wrong(run_att: Run, sample: Path, options: tuple[str, ...], says: str) -> None:
    _refused(run_att("solve", sample, *options, "--json"), says)


@pytest.mark.parametrize(
    ("line", "says"),
    [("ub_bytes = -1", "ub_bytes"), ("nonsense", "chip.toml"), ("", "chip.toml")],
    ids=["negative-ub", "not-toml", "empty"],
)
def test_chip_files_that_are_wrong(run_att: Run, sample: Path, tmp_path: Path, line: str, says: str) -> None:
    path = tmp_path / "chip.toml"
    path.write_text(line)
    _refused(run_att("solve", sample, "--shape", "ks0=64", "--chip", path), says)
    _refused(run_att("chips", path), says)


def test_a_shipped_chip_with_a_negative_ub(run_att: Run, sample: Path, tmp_path: Path) -> None:
    import hwmodels

    text = (Path(hwmodels.__file__).parent / "chips" / "toy.toml").read_text()
    lines = ["ub_bytes = -16384" if line.startswith("ub_bytes") else line for line in text.splitlines()]
    path = tmp_path / "toy.toml"
    path.write_text("\n".join(lines))
    _refused(run_att("solve", sample, "--shape", "ks0=64", "--chip", path), "-16384")


def test_a_graph_that_cannot_fit_is_infeasible_with_a_reason_per_template(run_att: Run, sample: Path) -> None:
    result = run_att("solve", sample, "--shape", "ks0=64", "--ub-bytes", "600", "--json")
    assert result.code == 1
    plan = result.document
    assert plan["status"] == "INFEASIBLE"
    assert plan["template"] is None
    assert plan["variables"] is None
    assert any("needs at least" in row["reason"] for row in plan["templates"])
    assert all(row["reason"] and row["reason"] in result.err for row in plan["templates"])


@pytest.mark.parametrize("argv", [(), ("frobnicate",), ("solve",), ("solve", "a.json", "--nonsense"), ("-q",), ("check", "a.json")])
def test_usage(run_att: Run, argv: tuple[str, ...]) -> None:
    _refused(run_att(*argv), "--help")


@pytest.mark.parametrize("name", sorted(UNAVAILABLE))
def test_later_commands_are_refused_whatever_their_options(run_att: Run, name: str) -> None:
    _refused(run_att(name, "g.json", "plan.json", "--seed", "3", "-o", "out"), f"`{name}` is not available in this version")
