"""A fault of the published cost set: an example call or kernel, and its price by either set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from att.chips import load_chip
from att.expr.core import integer
from att.ir.dtype import DType
from att.ir.graph import HintGraph
from att.model.bind import bind
from att.model.build import build_model
from att.model.evaluate import evaluate
from att.model.options import ModelOptions
from att.ops.call import Call, CostSet, Pipe, View
from att.ops.heads import pipe_head
from att.ops.registry import spec_of
from att.ops.spec import Costs
from schedule.generate import schedule_graph

TICKS: Final = 10**6
V1, V2 = "ascend910b1", "ascend950pr"
Price = Callable[[Costs], int]
"""Ticks by a cost set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One fault of the published set with an example."""

    numbers: str
    """Its numbers in att_facts §5.1; "" for faults found here."""
    chip: str
    example: str
    published: str
    """What the published price leaves out or gets wrong."""
    mended: str
    price: Price

    def cycles(self, cost_set: CostSet) -> float:
        """Price of the example."""
        return self.price(Costs(chip=load_chip(self.chip), cost_set=cost_set)) / TICKS


def tile(*axes: tuple[int, ...], dtype: DType = DType.FLOAT32) -> View:
    """Axes are (dim, UB stride) or (dim, UB stride, GM stride)."""
    dims, ub, *gm = (tuple(integer(n) for n in column) for column in zip(*axes, strict=True))
    return View(dtype=dtype, dims=dims, ub_strides=ub, gm_strides=gm[0] if gm else ())


def call(op: str, output: View, *inputs: View, cores: int = 48) -> Price:
    """One call."""
    made = Call(op=op, inputs=inputs, output=output, attrs={}, block_dim=integer(cores))
    return lambda costs: sum(ticks.lo for ticks in spec_of(op).cost(made, costs).values())


def kernel(graph: HintGraph, template: str, tiling: Mapping[str, int], pipe: Pipe) -> Price:
    """One pipe of a kernel."""

    def price(costs: Costs) -> int:
        (found,) = (t for t in schedule_graph(graph, costs.chip).templates if t.name == template)
        problem = bind(build_model(found, costs.chip, ModelOptions(cost_set=costs.cost_set, align_bytes=None)), {})
        return next(p.ticks for phase in evaluate(problem, tiling).phases for p in phase.pipes if p.pipe is pipe)

    return price


def head(pipe: Pipe) -> Price:
    """The head of a pipe after loads of 512 bytes."""
    return lambda costs: pipe_head(pipe, integer(48), integer(512), costs).lo
