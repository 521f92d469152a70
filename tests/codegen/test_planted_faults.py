"""Faults planted in an emitted kernel are caught, by the CPU model or by the comparison with numpy and with the model's predictions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from att.chips import load_chip
from att.ops.call import CostSet
from att.ops.spec import Costs
from benchmarks.make_graphs import dynamic_graph
from codegen.build import build_kernel
from codegen.driver import Built, check_run, make_case
from codegen.entry import emit_kernel
from schedule.generate import schedule_graph

CHIP = load_chip("ascend910b1")
COSTS = Costs(chip=CHIP, cost_set=CostSet.MENDED)
SHAPE = {"ks0": 37, "ks1": 101}
TILING = {"z0t_size": 5, "z1t_size": 16, "z0Tb_size": 3}
"""A tail on both axes, three blocks of passes on the last core, rows that are not whole 32-byte blocks in the last turn."""

FAULTS = {
    "kept rows have no tail": ("z0t_actual = Smaller(z0t_size, ks0 - z0T * z0t_size)", "z0t_actual = z0t_size"),
    "reduced rows have no tail": ("z1t_actual = Smaller(z1t_size, ks1 - z1T * z1t_size)", "z1t_actual = z1t_size"),
    "padding is not filled": ("FillRowTails(loadLocal, -__builtin_inff(), z0t_actual, z1t_actual, z0t_pitch);\n", "\n"),
    "UB gap in bytes": (
        "DivideUp(z1t_size, 8) - DivideUp(z1t_actual, 8), 0)",
        "(DivideUp(z1t_size, 8) - DivideUp(z1t_actual, 8)) * 32, 0)",
    ),
    "GM gap in elements": ("ks1 * 4 - 4 * z1t_actual", "ks1 - z1t_actual"),
    "no barrier before the merge": ("if (z1T > 0) {\n                PipeBarrier<PIPE_V>();", "if (z1T > 0) {"),
    "queue buffer too small": ("InitBuffer(q0, 2, tiling->q0_bytes)", "InitBuffer(q0, 2, tiling->q0_bytes - 32)"),
    "single buffer where two are charged": ("InitBuffer(q0, 2, tiling->q0_bytes)", "InitBuffer(q0, 1, tiling->q0_bytes)"),
    "temporary memory too small": ("InitBuffer(tmpBuf, tiling->tmp_bytes)", "InitBuffer(tmpBuf, 32)"),
    "load is not handed over": ("q0.EnQue(loadLocal);\n", "\n"),
    "load buffer is not freed": ("q0.FreeTensor(loadLocal);\n", "\n"),
    "first turn goes to the partial": ("z1T == 0 ? maxLocal", "z1T == 2 ? maxLocal"),
    "partials are merged by the wrong op": ("Max(maxLocal, maxLocal,", "Min(maxLocal, maxLocal,"),
    "store length in elements": ("DataCopyExtParams(1, z0t_actual * 4, 0, 0, 0)", "DataCopyExtParams(1, z0t_actual, 0, 0, 0)"),
    "store overwrites the next rows": ("DataCopyExtParams(1, z0t_actual * 4, 0, 0, 0)", "DataCopyExtParams(1, z0t_size * 4, 0, 0, 0)"),
    "a core leaves out its last tile": ("Smaller(firstTile + z0Tb_size, z0T_size)", "Smaller(firstTile + z0Tb_size - 1, z0T_size)"),
    "every core does the first tiles": ("GetBlockIdx() * z0Tb_size", "0 * z0Tb_size"),
}


@pytest.fixture(scope="module")
def setting(tmp_path_factory):
    graph = dynamic_graph("amax_keep")
    templates = tuple(t for t in schedule_graph(graph, CHIP).templates if t.name == "general.z0.z1")
    kernel = emit_kernel(graph.name, templates, COSTS)
    return kernel, templates[0], make_case(graph, SHAPE, 3), tmp_path_factory.mktemp("planted")


def checked(setting, text):
    kernel, template, case, cache = setting
    kernel = replace(kernel, text=text)
    return check_run(Built(kernel=kernel, program=build_kernel(kernel, cache), costs=COSTS), case, template, TILING)


def test_the_kernel_itself_is_right(setting):
    result = checked(setting, setting[0].text)
    assert result.ok, result.complaints()


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_caught(setting, fault):
    sound, faulty = FAULTS[fault]
    text = setting[0].text
    assert sound in text, "the emitted text changed; plant the fault anew"
    result = checked(setting, text.replace(sound, faulty, 1))
    assert not result.ok
    assert result.complaints()
