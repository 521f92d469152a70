"""Runs a compiled kernel on numpy inputs through the CPU model: a program of its own, which exchanges files."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from att.errors import BackendBug
from att.ops.spec import numpy_dtype
from codegen.build import Program
from codegen.entry import Kernel
from hwmodels.model import Chip

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """The first rule that a run broke."""

    text: str
    line: int
    """Line of the kernel text, 0 if it is in no line."""
    core: int
    run: int
    """How many times this call had run on this core."""
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What the model counted, over all cores."""

    ub_bytes: int
    """Sum of InitBuffer on the fullest core."""
    load_instructions: int
    load_bytes: int
    store_instructions: int
    store_bytes: int
    calls: Mapping[str, Mapping[str, int]]
    """Runs of every API by unit."""
    places: tuple[tuple[str, int, int], ...]
    """API, line of the kernel text, runs over all cores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelRun:
    """What became of a run."""

    fault: Fault | None
    measured: Measured
    outputs: tuple[Array, ...]
    """Flat, in the order of the kernel's outputs; what was never written holds anything."""
    unwritten_bytes: tuple[int, ...]
    """Bytes of each output that no core wrote."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """What a launch needs besides the program."""

    inputs: Sequence[Array]
    output_elems: Sequence[int]
    output_dtypes: Sequence[Any]
    tiling: bytes
    block_dim: int
    workspace_bytes: int
    chip: Chip
    fields: Mapping[str, int] = field(default_factory=dict[str, int])
    """Further numbers of the model, see `codegen/host/runner.cpp`."""


def run_kernel(kernel: Kernel, program: Program, arguments: Arguments, timeout_s: float = 600.0) -> KernelRun:
    """One launch. Raises BackendBug if the program dies or takes longer than `timeout_s`."""
    with tempfile.TemporaryDirectory(prefix="att-run-") as name:
        folder = Path(name)
        (folder / "job").write_text(_job(kernel, arguments, folder), encoding="utf-8")
        _start(program, folder / "job", kernel.name, timeout_s)
        report = json.loads((folder / "report").read_text(encoding="utf-8"))
        return _result(kernel, arguments, report, folder)


def _job(kernel: Kernel, arguments: Arguments, folder: Path) -> str:
    lines = [f"set {name} {value}" for name, value in {**_chip_fields(arguments.chip), **arguments.fields}.items()]
    lines.append(f"set block_dim {arguments.block_dim}")
    for i, (name, array) in enumerate(zip(kernel.inputs, arguments.inputs, strict=True)):
        array.tofile(folder / f"in{i}")
        lines.append(f"input {_word(name)} {folder / f'in{i}'}")
    for i, (name, elems, dtype) in enumerate(zip(kernel.outputs, arguments.output_elems, arguments.output_dtypes, strict=True)):
        lines.append(f"output {_word(name)} {elems * numpy_dtype(dtype).itemsize} {folder / f'out{i}'}")
    lines.append(f"workspace {arguments.workspace_bytes}")
    (folder / "tiling").write_bytes(arguments.tiling)
    return "\n".join([*lines, f"tiling {folder / 'tiling'}", f"report {folder / 'report'}", ""])


def _word(name: str) -> str:
    return "".join(name.split()) or "value"


def _chip_fields(chip: Chip) -> Mapping[str, int]:
    return {
        "ub_bytes": chip.ub_bytes,
        "ub_reserved_bytes": chip.ub_reserved_bytes,
        "vector_cores": chip.vector_cores,
        "dma_block_count_max": chip.dma.block_count_max,
        "dma_block_len_max_bytes": chip.dma.block_len_max_bytes,
        "dma_gm_stride_max_bytes": chip.dma.stride_max_bytes,
        "dma_ub_stride_max_blocks": chip.dma.ub_stride_max_blocks,
    }


def _start(program: Program, job: Path, kernel: str, timeout_s: float) -> None:
    try:
        done = subprocess.run([str(program.path), str(job)], capture_output=True, text=True, check=False, timeout=timeout_s)
    except subprocess.TimeoutExpired:
        raise BackendBug(f"the kernel did not end within {timeout_s:g} s", where=kernel, hint="choose a smaller shape") from None
    except OSError as error:
        raise BackendBug(f"the compiled kernel cannot be started: {error.strerror}", where=kernel, hint="clear the cache folder") from None
    if done.returncode:
        message = done.stderr.strip() or f"it ended with code {done.returncode}"
        raise BackendBug(f"the compiled kernel failed: {message}", where=kernel, hint="report it with the graph")


def _result(kernel: Kernel, arguments: Arguments, report: Mapping[str, Any], folder: Path) -> KernelRun:
    import numpy as np

    outputs = tuple(np.fromfile(folder / f"out{i}", numpy_dtype(dtype)) for i, dtype in enumerate(arguments.output_dtypes))
    unwritten = {buffer["name"]: int(buffer["unwritten_bytes"]) for buffer in report["buffers"]}
    return KernelRun(
        fault=_fault(report["failure"]) if not report["ok"] else None,
        measured=_measured(report),
        outputs=outputs,
        unwritten_bytes=tuple(unwritten.get(_word(name), 0) for name in kernel.outputs),
    )


def _fault(failure: Mapping[str, Any]) -> Fault:
    return Fault(
        text=str(failure["text"]),
        line=int(failure["line"]) if str(failure["file"]).endswith("_kernel.cpp") else 0,
        core=int(failure["core"]),
        run=int(failure["run"]),
        kind=str(failure["fault"]),
    )


def _measured(report: Mapping[str, Any]) -> Measured:
    total = report["total"]
    return Measured(
        ub_bytes=int(total["ub_peak_bytes"]),
        load_instructions=int(total["load"]["instructions"]),
        load_bytes=int(total["load"]["bytes"]),
        store_instructions=int(total["store"]["instructions"]),
        store_bytes=int(total["store"]["bytes"]),
        calls=total["calls"],
        places=tuple((str(p["api"]), int(p["line"]), int(p["runs"])) for p in report["places"] if str(p["file"]).endswith("_kernel.cpp")),
    )
