"""Compiles kernels for the CPU model of AscendC.

A kernel is one translation unit: its text and a few lines that call it. It is linked with the model (`codegen.runtime.toolchain`) and the
runner that hosts it into a program. Model, runner and program are each kept in the cache.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from att.errors import BackendBug, EmitError
from codegen.bundle import text_hash
from codegen.cache import alone, default_cache, making
from codegen.entry import Kernel
from codegen.runtime.toolchain import Runtime, build_runtime

HOST = Path(__file__).parent / "host"
PROGRAM = "run_kernel"


@dataclass(frozen=True, slots=True)
class Program:
    """A compiled kernel."""

    path: Path
    compiled: bool
    """False: it was kept from before."""


def build_kernel(kernel: Kernel, cache: Path | None = None, flags: Iterable[str] = ()) -> Program:
    """The program of a kernel. Raises EmitError where there is no compiler or no cache, BackendBug where the text does not compile."""
    folder = cache or default_cache()
    with alone(folder):
        runtime = build_runtime(folder)
        runner = _build_runner(runtime, folder)
    files = kernel_files(kernel)
    name = f"kernel-{text_hash((runner.parent.name, *flags, *_pairs(files)))[:32]}"
    if (folder / name).is_dir():
        return Program(folder / name / PROGRAM, compiled=False)
    with making(folder, name) as fresh:
        for file, text in files.items():
            (fresh / file).write_text(text, encoding="utf-8")
        _compile(runtime, runner, fresh, kernel, flags)
    return Program(folder / name / PROGRAM, compiled=True)


def _compile(runtime: Runtime, runner: Path, folder: Path, kernel: Kernel, flags: Iterable[str]) -> None:
    """Only our own texts are compiled, so a refusal is our bug."""
    try:
        runtime.compile(folder / "main.cpp", folder / "main.o", (f"-I{HOST}", f"-I{folder}", *flags))
        runtime.link((folder / "main.o", runner), folder / PROGRAM)
    except EmitError as error:
        raise BackendBug(error.message, where=kernel.name, hint="report it with the graph") from None
    (folder / "main.o").unlink()


def kernel_files(kernel: Kernel) -> Mapping[str, str]:
    """The translation unit of a kernel by file name."""
    count = len(kernel.inputs) + len(kernel.outputs) + 2
    arguments = ", ".join(f"arguments[{i}]" for i in range(count))
    main = (
        f'#include "kernel_operator.h"\n\n#include "{kernel.name}_kernel.cpp"\n#include "runner.h"\n\n'
        f'extern "C" void att_call_kernel(std::uint8_t* const* arguments) {{ {kernel.entry}({arguments}); }}\n'
    )
    return {f"{kernel.name}_kernel.cpp": kernel.text, kernel.header_name: kernel.layout.text(), "main.cpp": main}


def _build_runner(runtime: Runtime, cache: Path) -> Path:
    """The object file of the host program around a kernel."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in sorted(HOST.iterdir())}
    name = f"runner-{text_hash((runtime.folder.name, *_pairs(texts)))[:32]}"
    if not (cache / name).is_dir():
        with making(cache, name) as fresh:
            runtime.compile(HOST / "runner.cpp", fresh / "runner.o", (f"-I{HOST}",))
    return cache / name / "runner.o"


def _pairs(texts: Mapping[str, str]) -> Iterator[str]:
    for name, text in sorted(texts.items()):
        yield from (name, text)
