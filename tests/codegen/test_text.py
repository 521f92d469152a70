"""The emitted text: golden files a person reads, and what holds for every text."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks import make_kernels
from benchmarks.library import OPERATORS
from benchmarks.make_graphs import dynamic_graph, static_graph
from codegen.coverage import coverage_page
from codegen.entry import Kernel, emit_kernel
from codegen.helpers import helper_names, helper_needs
from schedule.generate import schedule_graph

ROOT = Path(__file__).resolve().parents[2]
REWRITE = "if the change is meant, run `python -m benchmarks.make_kernels`"


@pytest.mark.parametrize("name", make_kernels.golden_files())
def test_golden_texts(name: str) -> None:
    assert make_kernels.golden_files()[name] == (make_kernels.GOLDEN / name).read_text(encoding="utf-8"), REWRITE


def test_the_softmax_page_shows_the_emitted_kernel() -> None:
    page = make_kernels.SOFTMAX_PAGE.read_text(encoding="utf-8")
    assert make_kernels.softmax_function() in page, REWRITE
    assert make_kernels.softmax_page(page) == page


def test_the_coverage_page_is_complete() -> None:
    assert make_kernels.COVERAGE_PAGE.read_text(encoding="utf-8") == coverage_page(), REWRITE


@pytest.fixture(scope="module", params=[*OPERATORS, *(f"{name} static" for name in OPERATORS)])
def kernel(request: pytest.FixtureRequest, chip: Any, costs: Any) -> Kernel:
    name, _, kind = request.param.partition(" ")
    graph = static_graph(name) if kind else dynamic_graph(name)
    return emit_kernel(graph.name, schedule_graph(graph, chip).templates, costs)


def test_a_client_can_embed_it_in_a_string(kernel: Kernel) -> None:
    for text in (kernel.text, kernel.layout.text()):
        assert "\\" not in text
        assert "'''" not in text
        assert text.isascii()
        assert "@" not in text, "a marker is left"


def test_nothing_is_declared_and_not_used(kernel: Kernel) -> None:
    for placed in kernel.placed:
        text = placed.function.text
        for name in re.findall(r"const (?:int64_t|uint32_t|float|LocalTensor<\w+>) (\w+)", text):
            assert len(re.findall(rf"\b{name}\b", text)) > 1, f"{name} in {placed.function.name}"
    for name in re.findall(r"^__aicore__ inline [\w<>:]+ (\w+)\(", kernel.text, re.MULTILINE):
        assert len(re.findall(rf"\b{name}\b", kernel.text)) > 1, f"{name} is defined and never called"


def test_nothing_in_it_knows_the_cpu_model(kernel: Kernel) -> None:
    assert re.findall(r"#include (\S+)", kernel.text) == ['"kernel_operator.h"', f'"{kernel.header_name}"']
    assert "ascendc_cpu" not in kernel.text
    assert "ifdef" not in kernel.text


def test_every_line_of_a_node_is_found_again(kernel: Kernel) -> None:
    lines = kernel.text.splitlines()
    for placed in kernel.placed:
        for line, call in placed.function.counted:
            assert lines[line + placed.first_line - 1].lstrip().startswith(call.api)
            assert placed.node_at(line + placed.first_line) == call.node


def test_same_text_whatever_the_hash_seed() -> None:
    code = "from benchmarks.make_kernels import kernel_of; print(kernel_of('softmax', 'full_load.z0').text)"
    runs = [
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed, "PATH": ""}, cwd=ROOT, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1]


def test_device_helpers_say_what_they_need() -> None:
    from codegen.cxx_expr import HELPERS

    known = {*helper_names(), *HELPERS}
    for name in sorted(helper_names()):
        text = (ROOT / "codegen" / "device" / f"{name}.h").read_text(encoding="utf-8")
        needs = set(helper_needs(name))
        reached = set(needs)
        for needed in needs:
            reached |= set(helper_needs(needed)) if needed in helper_names() else set()
        called = {other for other in known if other != name and re.search(rf"\b{other}(<|\()", re.sub(r"//.*", "", text))}
        called -= set(re.findall(r"inline \w+ (\w+)\(", text))
        assert called <= reached, name
