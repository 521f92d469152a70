"""Builds programs that run a kernel on the CPU model of AscendC.

The model's own code is compiled once into a library, and its public header once into a precompiled header; both lie in a cache folder named
after everything they depend on (sources, flags, compiler), so that a second run finds them. A kernel then compiles in well under a second.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from att.errors import EmitError

INCLUDE_ROOT = Path(__file__).resolve().parent
"""Folder for `#include "ascendc_cpu/launch.h"`."""

MODEL = INCLUDE_ROOT / "ascendc_cpu"
"""Folder for `#include "kernel_operator.h"`."""

LANGUAGE_FLAGS = ("-std=c++17", "-Wall", "-Wextra")
# One rounding per instruction, and storage that is viewed as many types.
MODEL_FLAGS = (*LANGUAGE_FLAGS, "-O2", "-ffp-contract=off", "-fno-math-errno", "-fno-strict-aliasing")
# Kernels only steer: their loops call into the library, so optimizing them costs more than it gains.
KERNEL_FLAGS = (*LANGUAGE_FLAGS, "-O1", "-Wno-unused-parameter")


@dataclass(frozen=True, slots=True)
class Runtime:
    """A built CPU model."""

    compiler: str
    folder: Path

    @property
    def library(self) -> Path:
        """The model's code."""
        return self.folder / "libascendc_cpu.a"

    def compile_command(self, source: Path, target: Path, flags: Iterable[str] = ()) -> list[str]:
        """Command that compiles one C++ file; it sees the precompiled header if `kernel_operator.h` is its first include."""
        includes = (f"-I{self.folder / 'include'}", f"-I{INCLUDE_ROOT}", f"-I{MODEL}")
        return [self.compiler, *KERNEL_FLAGS, *flags, *includes, "-c", str(source), "-o", str(target)]

    def compile(self, source: Path, target: Path, flags: Iterable[str] = ()) -> None:
        """Compiles one C++ file to an object file. Raises EmitError with the compiler's first error."""
        _run(self.compile_command(source, target, flags), f"compiling {source.name}")

    def link(self, objects: Sequence[Path], target: Path) -> None:
        """Links object files and the model to a program. Raises EmitError."""
        _run([self.compiler, *map(str, objects), str(self.library), "-pthread", "-o", str(target)], f"linking {target.name}")


def find_compiler() -> str:
    """Path of g++. Raises EmitError if there is none."""
    found = shutil.which("g++")
    if found is None:
        raise EmitError("running a kernel needs the C++ compiler g++, and there is none on the PATH", hint="install g++ 9 or newer")
    return found


def build_runtime(cache: Path, *, jobs: int = 2) -> Runtime:
    """The CPU model for this compiler, built into the folder `cache` unless it is there already.

    Raises EmitError if g++ is missing, fails, or the folder cannot be written.
    """
    compiler = find_compiler()
    folder = cache / f"ascendc_cpu-{_fingerprint(compiler)}"
    if folder.is_dir():
        return Runtime(compiler, folder)
    try:
        cache.mkdir(parents=True, exist_ok=True)
        partial = Path(tempfile.mkdtemp(prefix="building-", dir=cache))
    except OSError as error:
        raise EmitError(
            f"the cache folder cannot be written: {error.strerror}", where=str(cache), hint="name another cache folder"
        ) from error
    try:
        _build(Runtime(compiler, partial), jobs)
        _publish(partial, folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return Runtime(compiler, folder)


def _publish(partial: Path, folder: Path) -> None:
    try:
        os.rename(partial, folder)
    except OSError:
        # Somebody else built the same meanwhile.
        if not folder.is_dir():
            raise


def _build(runtime: Runtime, jobs: int) -> None:
    (runtime.folder / "include").mkdir()
    shared = runtime.folder / "runtime.h"
    public = runtime.folder / "include" / "kernel_operator.h"

    def compile_one(source: Path) -> Path:
        target = runtime.folder / f"{source.stem}.o"
        _run([runtime.compiler, *MODEL_FLAGS, "-include", str(shared), "-c", str(source), "-o", str(target)], f"compiling {source.name}")
        return target

    with ThreadPoolExecutor(jobs) as pool:
        for_kernels = pool.submit(_precompile, runtime.compiler, MODEL / "kernel_operator.h", public, KERNEL_FLAGS)
        _precompile(runtime.compiler, MODEL / "machine" / "runtime.h", shared, MODEL_FLAGS)
        objects = list(pool.map(compile_one, sorted((MODEL / "machine").glob("*.cpp"))))
        for_kernels.result()
    _run(["ar", "rcs", str(runtime.library), *map(str, objects)], "building the library")
    for leftover in (*objects, shared, Path(f"{shared}.gch")):
        leftover.unlink()


def _precompile(compiler: str, header: Path, wrapper: Path, flags: Sequence[str]) -> None:
    """Writes a header that includes another, and its precompiled form beside it; where that does not apply, the text still works."""
    wrapper.write_text(f'#include "{header}"\n', encoding="utf-8")
    _run([compiler, *flags, "-x", "c++-header", str(wrapper), "-o", f"{wrapper}.gch"], f"precompiling {header.name}")


def _fingerprint(compiler: str) -> str:
    digest = hashlib.sha256(Path(__file__).read_bytes())
    digest.update(_run([compiler, "--version"], "asking g++ for its version").encode())
    for source in sorted(path for path in MODEL.rglob("*") if path.suffix in {".h", ".cpp"}):
        # Absolute paths: a precompiled header remembers where its parts lay.
        digest.update(str(source).encode() + b"\0" + source.read_bytes())
    return digest.hexdigest()[:16]


def _run(command: list[str], doing: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise EmitError(f"{doing} failed: {command[0]} cannot be started ({error.strerror})", hint="install g++ and binutils") from error
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if "error" in line] or done.stderr.splitlines() or ["no message"]
        raise EmitError(f"{doing} failed: {lines[0]}")
    return done.stdout
