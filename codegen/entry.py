"""The kernel of a graph: one function per template, and the entry that runs the one its tiling data names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from att.errors import EmitError
from att.expr.node import nodes_held
from att.ir.graph import Template
from att.ops.spec import Costs
from codegen.cxx_expr import HELPERS
from codegen.helpers import expression_helper_text, expression_needs, helper_text, with_needs
from codegen.kernel import WORKSPACE, KernelFunction, emit_function
from codegen.names import Labels, Names, camel, identifier, labels
from codegen.tiling_data import PhaseFields, TilingLayout, phase_fields, tiling_layout
from codegen.writer import Writer


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedFunction:
    """A function of the kernel: which ImplGraph it runs, and where its text begins."""

    tiling_key: int
    phase: int
    first_line: int
    """Lines of the kernel text before the function's first."""
    function: KernelFunction

    def node_at(self, line: int) -> str | None:
        """The node whose text has this line of the kernel text."""
        spans = ((node, a + self.first_line, b + self.first_line) for node, a, b in self.function.node_lines)
        return next((node for node, first, last in spans if first <= line <= last), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kernel:
    """The texts of a kernel with the templates that it can run."""

    name: str
    """The graph's name as an identifier."""
    text: str
    """`NAME_kernel.cpp`."""
    layout: TilingLayout
    templates: tuple[Template, ...]
    inputs: tuple[str, ...]
    """Data nodes in the order of the entry's arguments."""
    outputs: tuple[str, ...]
    placed: tuple[PlacedFunction, ...]

    @property
    def entry(self) -> str:
        """The entry function."""
        return f"{self.name}_kernel"

    @property
    def header_name(self) -> str:
        """File that the kernel includes for its tiling data."""
        return f"{self.name}_tiling_data.h"


def emit_kernel(graph_name: str, templates: Sequence[Template], costs: Costs) -> Kernel:
    """The kernel for some templates of one graph. Raises EmitError for what has no emission, or if there is no template."""
    if not templates:
        raise EmitError("there is no template to emit", where=graph_name)
    if costs.chip.cost_table != "v1":
        raise EmitError(
            f"kernels are emitted for arch 2201, {costs.chip.name} is arch {costs.chip.arch}",
            where=graph_name,
            hint="choose a chip of the 910B family",
        )
    with nodes_held():
        return _emitted(identifier(graph_name), templates, costs)


def _emitted(name: str, templates: Sequence[Template], costs: Costs) -> Kernel:
    fields = [phase_fields(template, costs) for template in templates]
    layout = tiling_layout(name, templates, fields)
    known = labels(dict.fromkeys(node.name for template in templates for graph in template.phases for node in graph.nodes))
    functions = [_functions(template, layout, costs, found, known) for template, found in zip(templates, fields, strict=True)]
    return _joined(name, layout, tuple(templates), functions)


def _functions(template: Template, layout: TilingLayout, costs: Costs, fields: PhaseFields, known: Labels) -> list[KernelFunction]:
    base = camel(f"{template.graph_name.rsplit('/', 1)[-1]}_{template.name}")
    found: list[KernelFunction] = []
    for phase, graph in enumerate(template.phases):
        name = f"{base}Phase{phase}" if len(template.phases) > 1 else base
        found.append(emit_function(graph, name, layout.struct_name, costs, fields[phase], known, alone=len(template.phases) == 1))
    return found


def _joined(name: str, layout: TilingLayout, templates: tuple[Template, ...], functions: Sequence[Sequence[KernelFunction]]) -> Kernel:
    flat = [function for group in functions for function in group]
    writer = Writer()
    writer.line('#include "kernel_operator.h"')
    writer.blank()
    writer.line(f'#include "{name}_tiling_data.h"')
    writer.blank()
    writer.line("using namespace AscendC;")
    writer.blank()
    writer.line("namespace {")
    writer.blank()
    for text in _helper_texts(flat):
        writer.lines(text.splitlines())
        writer.blank()
    placed: list[PlacedFunction] = []
    for template, group in zip(templates, functions, strict=True):
        for phase, function in enumerate(group):
            writer.comment(_summary(template, phase))
            placed.append(PlacedFunction(tiling_key=template.tiling_key, phase=phase, first_line=writer.count, function=function))
            writer.lines(function.text.splitlines())
            writer.blank()
    writer.line("}  // namespace")
    writer.blank()
    inputs, outputs = _arguments(templates)
    _entry(writer, name, layout, templates, functions)
    return Kernel(name=name, text=writer.text(), layout=layout, templates=templates, inputs=inputs, outputs=outputs, placed=tuple(placed))


def _summary(template: Template, phase: int) -> str:
    """`full_load.z0: …` in a line."""
    graph = template.phases[phase]
    names = [f"{axis} is {template.axis_names[axis]}" for axis in (a.name for a in graph.axes) if axis in template.axis_names]
    return f"Template {template.name}{f', phase {phase}' if len(template.phases) > 1 else ''}. {', '.join(names)}".rstrip() + "."


def _helper_texts(functions: Iterable[KernelFunction]) -> Iterable[str]:
    """Helper texts, each once, each after what it needs."""
    functions = list(functions)
    helpers = with_needs(h for f in functions for h in f.helpers)
    called = {*(h for f in functions for h in f.expression_helpers), *expression_needs(helpers)}
    yield from (expression_helper_text(name) for name in HELPERS if name in called)
    yield from (helper_text(name) for name in helpers)


def _arguments(templates: Sequence[Template]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Data and Output nodes of the kernel by index, from all templates and phases."""
    inputs: dict[int, str] = {}
    outputs: dict[int, str] = {}
    for template in templates:
        for graph in template.phases:
            inputs.update({int(str(n.attrs["index"])): n.name for n in graph.data_nodes})
            outputs.update({int(str(n.attrs["index"])): n.name for n in graph.output_nodes})
    return tuple(inputs[i] for i in sorted(inputs)), tuple(outputs[i] for i in sorted(outputs))


def _argument_texts(templates: Sequence[Template]) -> Mapping[str, str]:
    inputs, outputs = _arguments(templates)
    names = Names()
    shared = {node.name for template in templates for graph in template.phases for node in graph.nodes if node.op == "Workspace"}
    return {**{node: names.fresh(identifier(node)) for node in (*inputs, *outputs)}, **dict.fromkeys(sorted(shared), WORKSPACE)}


def _entry(
    writer: Writer, name: str, layout: TilingLayout, templates: Sequence[Template], functions: Sequence[Sequence[KernelFunction]]
) -> None:
    arguments = _argument_texts(templates)
    parameters = ", ".join(f"GM_ADDR {text}" for text in (*(a for a in arguments.values() if a != WORKSPACE), WORKSPACE, "tilingData"))
    writer.line(f'extern "C" __global__ __aicore__ void {name}_kernel({parameters})')
    with writer.block():
        writer.line("KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);")
        writer.line(f"const auto *tiling = reinterpret_cast<const __gm__ {layout.struct_name} *>(tilingData);")
        for i, (template, group) in enumerate(zip(templates, functions, strict=True)):
            with writer.block(
                f"{'} else ' if i else ''}if (tiling->tiling_key == {template.tiling_key})", tail="" if i < len(templates) - 1 else "}"
            ):
                for phase, function in enumerate(group):
                    if phase:
                        writer.line("SyncAll();")
                    writer.line(f"{function.name}({', '.join([*(arguments[a] for a in function.arguments), 'tiling'])});")
