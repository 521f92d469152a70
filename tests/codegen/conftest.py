"""What the tests of emission share: the chip, a cache of compiled kernels, graphs, and one way to run a kernel and demand that it is right."""

from __future__ import annotations

import os
import random
import tempfile
from collections.abc import Mapping
from itertools import count
from pathlib import Path

import pytest

from att.chips import load_chip
from att.expr.core import add, align_up, integer
from att.ir.graph import Candidates, HintGraph, Template
from att.model.bind import bind
from att.model.build import build_model
from att.model.options import ModelOptions
from att.model.tiling import Problem
from att.ops.call import CostSet
from att.ops.extents import BLOCK_BYTES
from att.ops.spec import Costs
from benchmarks.tilings import random_tilings
from codegen.calls.registry import emit_call
from codegen.driver import Built, Case, Checked, build, check_run, make_case
from codegen.operands import TMP, Site
from hwmodels.model import Chip
from schedule.generate import schedule_graph

CACHE = Path(tempfile.gettempdir()) / f"att-tests-{os.getuid()}"
"""Kept between runs and shared with the tests of the CPU model: its library is compiled once."""


@pytest.fixture(scope="session")
def chip() -> Chip:
    return load_chip("ascend910b1")


@pytest.fixture(scope="session")
def costs(chip: Chip) -> Costs:
    return Costs(chip=chip, cost_set=CostSet.MENDED)


@pytest.fixture(scope="session")
def kernel_cache() -> Path:
    return CACHE


class Bench:
    """Schedules, compiles (each graph once) and runs."""

    def __init__(self, chip: Chip, costs: Costs) -> None:
        self.chip = chip
        self.costs = costs
        self._built: dict[str, tuple[Candidates, Built]] = {}
        self._cases: dict[tuple[str, tuple[tuple[str, int], ...], int], Case] = {}

    def build(self, graph: HintGraph) -> tuple[Candidates, Built]:
        """Templates and program of a graph; graphs are told apart by their names."""
        if graph.name not in self._built:
            candidates = schedule_graph(graph, self.chip)
            self._built[graph.name] = candidates, build(graph.name, candidates.templates, self.costs, CACHE)
        return self._built[graph.name]

    def forget(self, name: str) -> None:
        """Another graph of this name may follow."""
        self._built.pop(name, None)
        self._cases = {key: case for key, case in self._cases.items() if key[0] != name}

    def case(self, graph: HintGraph, shape: Mapping[str, int], seed: int = 1) -> Case:
        key = graph.name, tuple(sorted(shape.items())), seed
        if key not in self._cases:
            self._cases[key] = make_case(graph, shape, seed)
        return self._cases[key]

    def problem(self, template: Template, shape: Mapping[str, int], align_bytes: int | None = None) -> Problem:
        return bind(build_model(template, self.chip, ModelOptions(align_bytes=align_bytes, few_rows=False)), shape)

    def run(self, graph: HintGraph, shape: Mapping[str, int], template: Template, tiling: Mapping[str, int]) -> Checked:
        _, built = self.build(graph)
        return check_run(built, self.case(graph, shape), template, tiling)

    def demand(self, graph: HintGraph, shape: Mapping[str, int], tilings: int, seed: int = 0) -> int:
        """Runs every template with some random legal tilings; each must be right. Returns how many ran."""
        candidates, _ = self.build(graph)
        ran = 0
        for template in candidates.templates:
            for tiling in random_tilings(self.problem(template, shape), tilings, random.Random(f"{graph.name} {template.name} {seed}")):
                done = self.run(graph, shape, template, tiling)
                assert done.ok, f"{graph.name} {template.name} {dict(shape)} {dict(tiling)}: {done.complaints()}"
                ran += 1
        return ran


@pytest.fixture(scope="session")
def bench(chip: Chip, costs: Costs) -> Bench:
    return Bench(chip, costs)


@pytest.fixture
def exact_tmp(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels emitted meanwhile show every call a temporary area of just the size that its op's own rule asks for.

    The area is sized for the hungriest node; with it, a node whose rule asks for too little would not be noticed. Transfers, which are not
    emitted here, see all of it.
    """
    numbers = count()

    def emit_with_its_own_size(site: Site) -> None:
        need = add(site.spec.tmp_bytes(site.scope.full_call(site.node), site.costs), site.partial_bytes())
        if need == integer(0):
            emit_call(site)
            return
        whole = f"wholeArea{next(numbers)}"
        site.body.line(f"const LocalTensor<uint8_t> {whole} = {TMP};")
        site.body.line(f"{TMP}.SetSize({site.scope.text(align_up(need, BLOCK_BYTES))});")
        emit_call(site)
        site.body.line(f"{TMP} = {whole};")

    monkeypatch.setattr("codegen.kernel.emit_call", emit_with_its_own_size)
