"""Compiles the test programs of this folder against the CPU model, once, and runs their cases."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import ml_dtypes
import numpy as np
import pytest

from codegen.runtime.toolchain import Runtime, build_runtime

HERE = Path(__file__).resolve().parent
CACHE = Path(tempfile.gettempdir()) / f"att-tests-{os.getuid()}"


@dataclass(frozen=True, slots=True)
class Run:
    """Report and outputs of one case."""

    report: dict[str, Any]
    outputs: dict[str, np.ndarray]

    @property
    def ok(self) -> bool:
        return self.report["ok"]

    @property
    def failure(self) -> dict[str, Any]:
        return self.report["failure"]

    @property
    def text(self) -> str:
        return self.failure["text"] if self.failure else ""

    def calls(self, unit: str) -> dict[str, int]:
        return self.report["total"]["calls"].get(unit, {})


class RunCase(Protocol):
    """Runs a case of a program: inputs by name; outputs by name with dtype; further parameters as they are."""

    def __call__(
        self,
        program: str,
        case: str,
        *,
        inputs: Mapping[str, np.ndarray] | None = None,
        outputs: Mapping[str, Any] | None = None,
        **params: object,
    ) -> Run: ...


@pytest.fixture(scope="session")
def runtime() -> Runtime:
    return build_runtime(CACHE)


def hashed(*parts: bytes) -> str:
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]


def publish(partial: Path, folder: Path) -> None:
    """Gives a finished folder its name, unless another test process was faster."""
    try:
        partial.rename(folder)
    except OSError:
        shutil.rmtree(partial)
        if not folder.is_dir():
            raise


@pytest.fixture(scope="session")
def precompiled_harness(runtime: Runtime) -> Path:
    """A header that includes the harness, with its precompiled form beside it."""
    text = (HERE / "harness.h").read_bytes()
    folder = runtime.folder / f"harness-{hashed(text, bytes(HERE))}"
    wrapper = folder / "harness.h"
    if not folder.is_dir():
        partial = Path(tempfile.mkdtemp(dir=runtime.folder))
        (partial / "harness.h").write_text(f'#include "{HERE / "harness.h"}"\n', encoding="utf-8")
        runtime.compile(partial / "harness.h", partial / "harness.h.gch", ["-O0", "-x", "c++-header"])
        publish(partial, folder)
    return wrapper


@pytest.fixture(scope="session")
def program(runtime: Runtime, precompiled_harness: Path):
    """Path of a compiled test program; compiled programs are kept by the hash of what they are made of."""

    def build(name: str) -> Path:
        source = HERE / f"{name}.cpp"
        target = runtime.folder / f"{name}-{hashed(source.read_bytes(), bytes(precompiled_harness))}"
        if not target.exists():
            partial = Path(f"{target}.{os.getpid()}")
            # Many instructions, little work: compiling is what takes time here.
            runtime.compile(source, partial.with_suffix(".o"), ["-O0", "-include", str(precompiled_harness)])
            runtime.link([partial.with_suffix(".o")], partial)
            partial.with_suffix(".o").unlink()
            partial.rename(target)
        return target

    return build


@pytest.fixture
def run_case(program, tmp_path: Path) -> RunCase:
    def run(name: str, case: str, *, inputs=None, outputs=None, **params: object) -> Run:
        for key, values in (inputs or {}).items():
            (tmp_path / f"{key}.in").write_bytes(np.ascontiguousarray(values).tobytes())
        command = [str(program(name)), case, str(tmp_path), *(f"{key}={value}" for key, value in params.items())]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
        written = {key: np.frombuffer((tmp_path / f"{key}.out").read_bytes(), dtype) for key, dtype in (outputs or {}).items()}
        return Run(json.loads(done.stdout), written)

    return run


@pytest.fixture(scope="session")
def dtype_of():
    """numpy type by its name, bfloat16 included."""

    def find(name: str) -> np.dtype:
        return np.dtype(ml_dtypes.bfloat16) if name == "bfloat16" else np.dtype(name)

    return find
