"""Writes what is kept of emitted kernels for a person to read: `python -m benchmarks.make_kernels`.

The golden texts of tests/codegen/golden, the kernel in docs/softmax_kernel.md, and docs/op_coverage.md. Tests compare each with the code.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from att.chips import load_chip
from att.ir.graph import Template
from att.ops.call import CostSet
from att.ops.spec import Costs
from benchmarks.make_graphs import dynamic_graph
from codegen.coverage import coverage_page
from codegen.entry import Kernel, emit_kernel
from schedule.generate import schedule_graph

ROOT: Final = Path(__file__).resolve().parents[1]
GOLDEN: Final = ROOT / "tests" / "codegen" / "golden"
SOFTMAX_PAGE: Final = ROOT / "docs" / "softmax_kernel.md"
COVERAGE_PAGE: Final = ROOT / "docs" / "op_coverage.md"
CHIP: Final = "ascend910b1"

KEPT: Final = {
    "softmax.full_load.z0": ("softmax", "full_load.z0"),
    "softmax.chunked.z0.z1": ("softmax", "chunked.z0.z1"),
    "softmax.online.z0.z1": ("softmax", "online.z0.z1"),
    "softmax.r_split_online.z0.z1": ("softmax", "r_split_online.z0.z1"),
    "add_row.general.z0": ("add_row", "general.z0"),
    "reduce_all.general.z0z1": ("reduce_all", "general.z0z1"),
    "amax_keep.general.z0.z1": ("amax_keep", "general.z0.z1"),
    "amax_keep.r_split.z0.z1": ("amax_keep", "r_split.z0.z1"),
}
"""Golden texts: graph and template."""


def kernel_of(graph_name: str, template: str) -> Kernel:
    """The kernel of one template of a benchmark graph."""
    chip = load_chip(CHIP)
    graph = dynamic_graph(graph_name)
    templates: tuple[Template, ...] = tuple(t for t in schedule_graph(graph, chip).templates if t.name == template)
    return emit_kernel(graph.name, templates, Costs(chip=chip, cost_set=CostSet.MENDED))


def golden_files() -> Mapping[str, str]:
    """File name to text."""
    files: dict[str, str] = {}
    for name, (graph, template) in KEPT.items():
        kernel = kernel_of(graph, template)
        files[f"{name}.cpp"] = kernel.text
        files[f"{name}.h"] = kernel.layout.text()
    return files


def softmax_page(page: str) -> str:
    """The page with the kernel's text as it is emitted now, between its markers."""
    begin, end = "```cpp kernel\n", "```\n"
    head, _, rest = page.partition(begin)
    _, _, tail = rest.partition(end)
    return f"{head}{begin}{softmax_function()}{end}{tail}"


def softmax_function() -> str:
    """The function of the softmax template, and the entry."""
    kernel = kernel_of("softmax", "full_load.z0")
    lines = kernel.text.splitlines()
    first = kernel.placed[0].first_line - 1
    return "\n".join(lines[first:]) + "\n"


def main() -> None:
    """Writes the files."""
    GOLDEN.mkdir(parents=True, exist_ok=True)
    for name, text in golden_files().items():
        (GOLDEN / name).write_text(text, encoding="utf-8")
    COVERAGE_PAGE.write_text(coverage_page(), encoding="utf-8")
    SOFTMAX_PAGE.write_text(softmax_page(SOFTMAX_PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
