"""From a graph to a checked kernel run: emit, compile, run on the CPU model, compare with numpy and with the model's predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from att.errors import AttError, GraphError, UsageError
from att.expr.evaluate import evaluate
from att.ir.graph import HintGraph, Template
from att.model.workspace import workspace_bytes
from att.ops.spec import Costs
from codegen.agreement import Agreement, agreements
from codegen.build import Program, build_kernel
from codegen.entry import Kernel, emit_kernel
from codegen.run import Arguments, Fault, KernelRun, run_kernel
from codegen.tiling_data import tiling_values

if TYPE_CHECKING:
    from codegen.compare import Expected, OutputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """A kernel with its program."""

    kernel: Kernel
    program: Program
    costs: Costs


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Inputs of a graph at a shape, and what its outputs should be."""

    graph: HintGraph
    shape: Mapping[str, int]
    inputs: tuple[Any, ...]
    expected: tuple[Expected, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """One run with everything that was found."""

    template: str
    tiling: Mapping[str, int]
    block_dim: int
    fault: Fault | None
    fault_node: str | None
    """Node in whose text the fault happened."""
    errors: tuple[OutputError, ...]
    agreements: tuple[Agreement, ...]
    unwritten: tuple[str, ...]
    """Outputs of which elements were not written, or too many were."""

    @property
    def ok(self) -> bool:
        """Whether the kernel is right in every respect."""
        return self.fault is None and not self.unwritten and all(e.ok for e in self.errors) and all(a.ok for a in self.agreements)

    def complaints(self) -> tuple[str, ...]:
        """A sentence for everything that is wrong."""
        found: list[str] = []
        if self.fault is not None:
            node = f" in {self.fault_node}" if self.fault_node else ""
            return (f"the CPU model stopped the kernel{node}: {self.fault.text}",)
        found.extend(
            f"output {e.name}: {e.wrong} of {e.elems} elements are wrong, the first: {e.first_wrong}" for e in self.errors if not e.ok
        )
        found.extend(f"output {name}: not the elements that its Stores write" for name in self.unwritten)
        found.extend(f"{a.what}: the model says {a.predicted}, the kernel has {a.measured}" for a in self.agreements if not a.ok)
        return tuple(found)


def build(graph_name: str, templates: Sequence[Template], costs: Costs, cache: Path | None = None) -> Built:
    """Emits and compiles the kernel of some templates of a graph."""
    kernel = emit_kernel(graph_name, templates, costs)
    return Built(kernel=kernel, program=build_kernel(kernel, cache), costs=costs)


def make_case(graph: HintGraph, shape: Mapping[str, int], seed: int) -> Case:
    """Inputs for a seed and the reference result; positive inputs where others leave no finite results to compare."""
    from codegen.inputs import make_inputs

    reasons: dict[str, None] = {}
    for positive in (False, True):
        inputs = make_inputs(graph, shape, seed, positive=positive)
        try:
            return Case(graph=graph, shape=shape, inputs=inputs, expected=_expected(graph, shape, inputs))
        except GraphError as error:
            reasons[error.message] = None
    raise AttError(
        f"no inputs were found for which its values can be compared: {'; or '.join(reasons)}", where=graph.name, hint="try another --seed"
    )


def _expected(graph: HintGraph, shape: Mapping[str, int], inputs: tuple[Any, ...]) -> tuple[Expected, ...]:
    """What the outputs should be. Raises GraphError where a value between has no bound or an output is not finite."""
    import numpy as np

    from codegen.bounds import BoundedRun
    from codegen.compare import Expected

    try:
        run = BoundedRun(graph, shape, inputs)
    except MemoryError:
        raise UsageError(
            "the numpy reference of this shape does not fit in memory", where=graph.name, hint="choose a smaller --shape"
        ) from None
    found = [
        Expected(name=node.name, dtype=node.output.dtype, values=out.values, bounds=out.bounds, written=out.written)
        for node, out in zip(graph.output_nodes, run.outputs, strict=True)
    ]
    for e in found:
        if not np.all(np.isfinite(e.values[e.written].astype(np.float64))):
            raise GraphError(f"output {e.name} is not finite")
    return tuple(found)


def check_run(built: Built, case: Case, template: Template, tiling: Mapping[str, int]) -> Checked:
    """Runs one template with one legal tiling."""
    from codegen.compare import compare_outputs

    values = tiling_values(template, built.costs, case.shape, tiling)
    workspace = evaluate(workspace_bytes(template), {**case.shape, **tiling})
    done = run_kernel(built.kernel, built.program, _arguments(built, case, values, workspace))
    errors = () if done.fault else compare_outputs(case.expected, done.outputs)
    agreed = () if done.fault else agreements(built.kernel, template, case.shape, tiling, built.costs, done.measured)
    return Checked(
        template=template.name,
        tiling=dict(tiling),
        block_dim=values["block_dim"],
        fault=done.fault,
        fault_node=_node_at(built.kernel, done.fault),
        errors=errors,
        agreements=agreed,
        unwritten=() if done.fault else _unwritten(case, done),
    )


def _arguments(built: Built, case: Case, values: Mapping[str, int], workspace: int) -> Arguments:
    return Arguments(
        inputs=case.inputs,
        output_elems=[int(e.values.size) for e in case.expected],
        output_dtypes=[e.dtype for e in case.expected],
        tiling=built.kernel.layout.pack({name: value for name, value in values.items() if name in built.kernel.layout.names}),
        block_dim=values["block_dim"],
        workspace_bytes=workspace,
        chip=built.costs.chip,
    )


def _node_at(kernel: Kernel, fault: Fault | None) -> str | None:
    if fault is None:
        return None
    return next((node for placed in kernel.placed if (node := placed.node_at(fault.line)) is not None), None)


def _unwritten(case: Case, done: KernelRun) -> tuple[str, ...]:
    """Outputs whose number of untouched bytes is not what the Stores leave."""
    wrong: list[str] = []
    for expected, unwritten_bytes in zip(case.expected, done.unwritten_bytes, strict=True):
        left = int((~expected.written).sum()) * expected.dtype.bytes
        if left != unwritten_bytes:
            wrong.append(expected.name)
    return tuple(wrong)
