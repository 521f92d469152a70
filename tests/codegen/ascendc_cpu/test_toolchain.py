"""Building the CPU model and kernels against it; what must not compile."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from att.errors import EmitError
from codegen.runtime.toolchain import Runtime, build_runtime

KERNEL = """#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y) {
  TPipe pipe;
  TQue<TPosition::VECIN, 1> in;
  pipe.InitBuffer(in, 2, 1024);
  LocalTensor<half> h = in.AllocTensor<half>();
  LocalTensor<float> f = h.ReinterpretCast<float>();
  LocalTensor<int32_t> i = h.ReinterpretCast<int32_t>();
  LocalTensor<uint8_t> b = h.ReinterpretCast<uint8_t>();
  GlobalTensor<float> g;
  g.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x));
  const int64_t n = 8;
  BODY
}
"""


def write(folder: Path, body: str) -> Path:
    source = folder / "kernel.cpp"
    source.write_text(KERNEL.replace("BODY", body), encoding="utf-8")
    return source


def test_a_kernel_uses_the_precompiled_header(runtime: Runtime, tmp_path: Path) -> None:
    source = write(tmp_path, "Muls(f, f, 2.0f, n); Duplicate(h, static_cast<half>(1.0f), n); Adds(i, i, 1, n); DataCopy(b, b, n);")
    started = time.perf_counter()
    command = runtime.compile_command(source, tmp_path / "kernel.o", ["-H", "-Wshadow", "-Werror"])
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert time.perf_counter() - started < 6
    # g++ -H marks a precompiled header that it used with an exclamation mark.
    assert f"! {runtime.folder / 'include' / 'kernel_operator.h.gch'}" in done.stderr


@pytest.mark.parametrize("body", [
    "Muls(h, h, 1.0f, n);",
    "Duplicate(h, 1.0f, n);",
    "Adds(i, i, 1.0f, n);",
    "Add(f, h, f, n);",
    "Exp(f, h, n);",
    "Gather(f, f, i, 0, n);",
    "Broadcast<float, 2, 1>(f, f, nullptr, nullptr, i);",
    "PipeBarrier<PIPE_S>();",
    "TQue<TPosition::VECIN, 0> q; q.AllocTensor<float>();",
    "DataCopyPad(f, GlobalTensor<half>(), DataCopyExtParams(), DataCopyPadExtParams<float>());",
])  # fmt: skip
def test_what_must_not_compile(runtime: Runtime, tmp_path: Path, body: str) -> None:
    with pytest.raises(EmitError, match=r"compiling kernel\.cpp failed: .*error"):
        runtime.compile(write(tmp_path, body), tmp_path / "kernel.o", ["-fsyntax-only"])


SPELLINGS = [
    "AscendC::Exp<float>(f, f, n);",
    "AscendC::Add<float>(f, f, f, static_cast<int32_t>(n));",
    "AscendC::Adds<half>(h, h, half(1.0f), static_cast<uint32_t>(n));",
    "AscendC::Muls<float, false>(f, f, 1.0f, AscendC::MASK_PLACEHOLDER, 1, {1, 1, 8, 8});",
    "const uint64_t mask[2] = {255, 0}; AscendC::Mul<float>(f, f, f, mask, 1, AscendC::BinaryRepeatParams{1, 1, 1, 8, 8, 8});",
    "AscendC::Cast<float, half>(f, h, AscendC::RoundMode::CAST_NONE, n);",
    "AscendC::Compare<float, uint8_t>(b, f, f, AscendC::CMPMODE::LT, n);",
    "AscendC::CompareScalar<float, uint8_t>(b, f, 1.0f, AscendC::CMPMODE::GT, n);",
    "AscendC::Select<float, uint8_t>(f, b, f, 1.0f, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, n);",
    "AscendC::Axpy<float, half>(f, h, half(2.0f), n); AscendC::MulAddDst<float, half>(f, h, h, n);",
    "AscendC::Duplicate<float>(f, 0, n); AscendC::Duplicate(f, float(0), n);",
    "AscendC::ReduceSum<float>(f, f, f, n); AscendC::ReduceMax<float>(f, f, f, n, true); AscendC::ReduceMin(f, f, f, 64, 4, 0);",
    "uint32_t s[2] = {1, 8}; AscendC::ReduceSum<float, AscendC::Pattern::Reduce::AR, true>(f, f, b, s, true);",
    "uint32_t s[2] = {1, 8}; AscendC::ReduceMax<float, AscendC::Pattern::Reduce::RA>(f, f, s, true);",
    "const uint32_t d[2] = {8, 8}; const uint32_t s[2] = {8, 1}; AscendC::Broadcast<float, 2, 1>(f, f, d, s, b);",
    "AscendC::WholeReduceSum<float>(f, f, 64, 1, 1, 1, 8); AscendC::BlockReduceMax<float>(f, f, 1, 64, 1, 1, 8);",
    "AscendC::Gather<float>(f, f, i.ReinterpretCast<uint32_t>(), 0u, static_cast<uint32_t>(n));",
    "uint64_t c = 0; AscendC::GatherMask<float>(f, f, uint8_t(1), true, 8u, {1, 1, 8, 0}, c);",
    "AscendC::Tanh<float, false>(f, f, b, n); AscendC::Power<float>(f, f, 2.0f, b, n);",
    "AscendC::DataCopyExtParams p{uint16_t(1), static_cast<uint32_t>(n * sizeof(float)), 0, 0, 0}; AscendC::DataCopyPad(g, f, p);",
    "AscendC::DataCopyPadExtParams<float> q{true, 0, static_cast<uint8_t>(3), 0.0f}; AscendC::DataCopyPad(f, g, {1, 20, 0, 0, 0}, q);",
    "AscendC::DataCopy(f, g, {1, 1, 0, 0}); AscendC::DataCopy(g, f, static_cast<uint32_t>(n));",
    "event_t e = static_cast<event_t>(pipe.FetchEventID(AscendC::HardEvent::V_S)); AscendC::SetFlag<AscendC::HardEvent::V_S>(e);",
    "AscendC::TEventID e = pipe.AllocEventID<AscendC::HardEvent::V_S>(); pipe.ReleaseEventID<AscendC::HardEvent::V_S>(e);",
    "AscendC::TQue<AscendC::QuePosition::VECOUT, 1> o; pipe.InitBuffer(o, 2, static_cast<uint32_t>(n)); o.FreeTensor(f);",
    "AscendC::SyncAll<true>(); KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY); if (TILING_KEY_IS(3)) { AscendC::PipeBarrier<PIPE_ALL>(); }",
]


@pytest.mark.parametrize("body", SPELLINGS)
def test_public_spellings(runtime: Runtime, tmp_path: Path, body: str) -> None:
    """Calls as kernels spell them: qualified, with template arguments, with device integer types and brace lists."""
    runtime.compile(write(tmp_path, body), tmp_path / "kernel.o", ["-fsyntax-only"])


def test_kernel_names_do_not_clash_with_the_model(runtime: Runtime, tmp_path: Path) -> None:
    names = [
        "Site",
        "Index",
        "Operand",
        "Lanes",
        "Core",
        "Buffer",
        "Queue",
        "Scalar",
        "detail",
        "Report",
        "Launch",
        "Shape",
        "lanes",
        "operand",
        "say",
    ]
    body = "".join(f"int {name} = 0; (void){name};\n" for name in names)
    runtime.compile(write(tmp_path, body), tmp_path / "kernel.o")


def test_a_built_model_is_found_again(runtime: Runtime) -> None:
    started = time.perf_counter()
    assert build_runtime(runtime.folder.parent) == runtime
    assert time.perf_counter() - started < 2
    assert sorted(path.name for path in runtime.folder.iterdir() if path.suffix in {".o", ".a"}) == ["libascendc_cpu.a"]


def test_no_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EmitError, match=r"install g\+\+"):
        build_runtime(tmp_path)


def test_a_cache_that_cannot_be_written(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    with pytest.raises(EmitError, match="cache folder cannot be written"):
        build_runtime(blocked / "cache")
    assert os.listdir(tmp_path) == ["file"]


def test_a_failing_link_is_a_sentence(runtime: Runtime, tmp_path: Path) -> None:
    source = write(tmp_path, "")
    runtime.compile(source, tmp_path / "kernel.o")
    with pytest.raises(EmitError, match="linking program failed"):
        runtime.link([tmp_path / "kernel.o"], tmp_path / "program")
