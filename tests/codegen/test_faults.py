"""Planted faults: the text of an emitted kernel is changed in one place, and the CPU model or a comparison must notice.

A fault that slips through here would slip through in a template, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest

from benchmarks.make_graphs import dynamic_graph
from codegen.build import build_kernel
from codegen.driver import check_run


@dataclass(frozen=True)
class Fault:
    """A change of a kernel's text, and a run that must not survive it."""

    graph: str
    template: str
    old: str
    new: str
    tiling: Mapping[str, int]
    shape: tuple[int, int] = (5, 20)
    place: int = 0
    """Which occurrence of `old` is changed."""


SOFTMAX = {"z0t_size": 2, "z0Tb_size": 2}
ROW = {"z0t_size": 2, "z0Tb_size": 2}
SUM = {"z0z1t_size": 24, "z0z1Tb_size": 1}
AMAX = {"z0t_size": 2, "z1t_size": 8, "z0Tb_size": 2}

FAULTS = {
    "rows of the last tile": Fault("softmax", "full_load.z0", "Smaller(z0t_size, ks0 - z0T * z0t_size)", "z0t_size", SOFTMAX),
    "tiles of the last core": Fault("softmax", "full_load.z0", "Smaller(firstTile + z0Tb_size, z0T_size)", "firstTile + z0Tb_size", SOFTMAX),
    "tiles of every core": Fault("softmax", "full_load.z0", "GetBlockIdx() * z0Tb_size", "GetBlockIdx()", SOFTMAX),
    "padding of a reduced row": Fault("softmax", "full_load.z0", "FillRowTails(loadLocal, -__builtin_inff(), z0t_actual, ks1, z0t_pitch);", "", SOFTMAX),
    "value in the padding": Fault("softmax", "full_load.z0", "FillRowTails(expLocal, 0.0f", "FillRowTails(expLocal, 1.0f", SOFTMAX),
    "barrier before the reduce": Fault(
        "softmax", "full_load.z0", "PipeBarrier<PIPE_V>();\n        ReduceSum", "ReduceSum", SOFTMAX
    ),
    "barrier between calls": Fault("softmax", "full_load.z0", "PipeBarrier<PIPE_V>();\n        Exp(", "Exp(", SOFTMAX),
    "size of a queue": Fault("softmax", "full_load.z0", "InitBuffer(q0, 2, tiling->q0_bytes)", "InitBuffer(q0, 2, tiling->q0_bytes / 2)", SOFTMAX),
    "size of a buffer": Fault("softmax", "full_load.z0", "InitBuffer(b1, tiling->b1_bytes)", "InitBuffer(b1, tiling->b0_bytes)", SOFTMAX),
    "size of temporary memory": Fault("softmax", "full_load.z0", "InitBuffer(tmpBuf, tiling->tmp_bytes)", "InitBuffer(tmpBuf, 32)", SOFTMAX),
    "double buffering": Fault("softmax", "full_load.z0", "InitBuffer(q0, 2,", "InitBuffer(q0, 1,", SOFTMAX),
    "EnQue and DeQue of a load": Fault(
        "softmax", "full_load.z0", "q0.EnQue(loadLocal);\n\n        // max = Max(load) over z1\n        loadLocal = q0.DeQue<float>();\n", "", SOFTMAX
    ),
    "FreeTensor": Fault("softmax", "full_load.z0", "q0.FreeTensor(loadLocal);", "", SOFTMAX),
    "early FreeTensor": Fault("softmax", "full_load.z0", "Sub(subLocal, loadLocal", "q0.FreeTensor(loadLocal); Sub(subLocal, loadLocal", SOFTMAX),
    "operands exchanged": Fault("softmax", "full_load.z0", "Sub(subLocal, loadLocal, broadcastLocal", "Sub(subLocal, broadcastLocal, loadLocal", SOFTMAX),
    "offset of a store": Fault("softmax", "full_load.z0", "yGm[z0T * ks1 * z0t_size]", "yGm[z0T * ks1]", SOFTMAX),
    "elements of a call": Fault("softmax", "full_load.z0", "Div(truedivLocal, expLocal, broadcast1Local, z0t_z1_elems)", "Div(truedivLocal, expLocal, broadcast1Local, 8)", SOFTMAX),
    "pitch of a broadcast": Fault(
        "softmax", "full_load.z0", "broadcast1To[2] = {static_cast<uint32_t>(z0t_actual), static_cast<uint32_t>(z0t_pitch)}",
        "broadcast1To[2] = {static_cast<uint32_t>(z0t_actual), static_cast<uint32_t>(ks1)}", SOFTMAX,
    ),
    "rows of a load": Fault("softmax", "full_load.z0", "DataCopyExtParams(z0t_actual, ks1 * 4", "DataCopyExtParams(1, ks1 * 4", SOFTMAX),
    "bytes for elements": Fault("softmax", "full_load.z0", "DataCopyExtParams(z0t_actual, ks1 * 4", "DataCopyExtParams(z0t_actual, ks1", SOFTMAX),
    "units of gaps exchanged": Fault(
        "swiglu", "general.z0", "DataCopyExtParams(z0t_actual, ks1 * 2, ks1 * 2, 0, 0)", "DataCopyExtParams(z0t_actual, ks1 * 2, 0, ks1 * 2, 0)", ROW
    ),
    "offset attribute": Fault("swiglu", "general.z0", "upGm[z0T * ks1 * z0t_size * 2 + ks1]", "upGm[z0T * ks1 * z0t_size * 2]", ROW),
    "rounding of a cast": Fault("swiglu", "general.z0", "RoundMode::CAST_RINT", "RoundMode::CAST_TRUNC", ROW),
    "copies of a row": Fault("add_row", "general.z0", "RepeatBlock(broadcastLocal, z0t_pitch, z0t_actual)", "RepeatBlock(broadcastLocal, z0t_pitch, 1)", ROW),
    "first turn of a cut reduce": Fault("amax_keep", "general.z0.z1", "z1T == 0 ?", "z1T >= 0 ?", AMAX),
    "merge of partial results": Fault("amax_keep", "general.z0.z1", "if (z1T > 0)", "if (z1T > 1)", AMAX),
    "columns of the last tile": Fault("amax_keep", "general.z0.z1", "Smaller(z1t_size, ks1 - z1T * z1t_size)", "z1t_size", AMAX),
    "reduced columns of the last tile": Fault(
        "amax_keep", "general.z0.z1", "FillRowTails(loadLocal, -__builtin_inff(), z0t_actual, z1t_actual", "FillRowTails(loadLocal, -__builtin_inff(), z0t_actual, z1t_size", AMAX
    ),
    "merging operation": Fault("amax_keep", "general.z0.z1", "Max(maxLocal, maxLocal,", "Min(maxLocal, maxLocal,", AMAX),
    "synchronization with the scalar unit": Fault(
        "add_col", "general.z1", "Handshake<HardEvent::V_S>(pipe);\n", "", {"z1t_size": 8, "z0z1Tb_size": 4}
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_noticed(bench: Any, kernel_cache: Any, name: str) -> None:
    fault = FAULTS[name]
    graph = dynamic_graph(fault.graph)
    candidates, built = bench.build(graph)
    template = next(t for t in candidates.templates if t.name == fault.template)
    case = bench.case(graph, {"ks0": fault.shape[0], "ks1": fault.shape[1]})
    honest = check_run(built, case, template, fault.tiling)
    assert honest.ok, honest.complaints()
    text = _changed(built.kernel.text, fault, template.tiling_key, built)
    kernel = replace(built.kernel, text=text)
    wrong = replace(built, kernel=kernel, program=build_kernel(kernel, kernel_cache))
    assert not check_run(wrong, case, template, fault.tiling).ok, f"nothing noticed: {fault.old} -> {fault.new}"


def _changed(text: str, fault: Fault, tiling_key: int, built: Any) -> str:
    """The kernel with the fault in the function of the template."""
    placed = next(p for p in built.kernel.placed if p.tiling_key == tiling_key)
    start = len("".join(text.splitlines(keepends=True)[: placed.first_line]))
    end = start + len(placed.function.text)
    function = text[start:end]
    assert fault.old in function, f"{fault.old!r} is not in\n{function}"
    pieces = function.split(fault.old)
    at = fault.place + 1
    return text[:start] + fault.old.join(pieces[:at]) + fault.new + fault.old.join(pieces[at:]) + text[end:]
