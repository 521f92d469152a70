"""The `published` set against what the running reference computed for whole kernels: heads, transfers, vector calls and temporaries.

Every pipe of a recorded template is put together here from calls written out by hand: tiles per core times what one tile costs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from att.expr.core import integer
from att.ir.dtype import DType
from att.ops.call import Call, Pipe, View
from att.ops.heads import launch_ticks, pipe_head
from att.ops.registry import spec_of
from att.ops.spec import Costs, TmpLifetime

F32 = DType.FLOAT32
CYCLE = 10**6


def _tile(*axes: tuple[int, int, int]) -> View:
    """A tile whose axes are (dim, UB stride, GM stride)."""
    dims, ub, gm = zip(*axes, strict=True)
    return View(
        dtype=F32,
        dims=tuple(integer(d) for d in dims),
        ub_strides=tuple(integer(u) for u in ub),
        gm_strides=tuple(integer(g) for g in gm),
    )


def _up(n: int, step: int = 8) -> int:
    return -(-n // step) * step


def _call(op: str, inputs: tuple[View, ...], output: View, cores: int) -> Call:
    return Call(op=op, inputs=inputs, output=output, attrs={}, block_dim=integer(cores))


Kernel = Callable[[tuple[int, ...], Mapping[str, int], int], list[tuple[Call, int]]]
"""Calls of one core and how often it makes each, from shape, tiling and cores."""


def _dense_unary(shape: tuple[int, ...], v: Mapping[str, int], cores: int) -> list[tuple[Call, int]]:
    t, b = (next(v[n] for n in v if n.endswith(suffix)) for suffix in ("t_size", "Tb_size"))
    x = _tile((t, 1, 1))
    return [(_call("Load", (), x, cores), b), (_call("Abs", (x,), x, cores), b), (_call("Store", (x,), x, cores), b)]


def _dense_add(shape: tuple[int, ...], v: Mapping[str, int], cores: int) -> list[tuple[Call, int]]:
    t, b = v["z0z1t_size"], v["z0z1Tb_size"]
    x = _tile((t, 1, 1))
    return [(_call("Load", (), x, cores), 2 * b), (_call("Add", (x, x), x, cores), b), (_call("Store", (x,), x, cores), b)]


def _reduce_rows(op: str) -> Kernel:
    def kernel(shape: tuple[int, ...], v: Mapping[str, int], cores: int) -> list[tuple[Call, int]]:
        rows, cols = v["z0t_size"], shape[1]
        b = v["z0Tb_size"]
        x = _tile((rows, _up(cols), cols), (cols, 1, 1))
        y = _tile((rows, 1, 1), (1, 0, 0))
        return [(_call("Load", (), x, cores), b), (_call(op, (x,), y, cores), b), (_call("Store", (y,), y, cores), b)]

    return kernel


def _reduce_columns(shape: tuple[int, ...], v: Mapping[str, int], cores: int) -> list[tuple[Call, int]]:
    rows, cols = v["z0t_size"], v["z1t_size"]
    loops = -(-shape[0] // rows)
    b = v["z1Tb_size"]
    x = _tile((rows, _up(cols), shape[1]), (cols, 1, 1))
    y = _tile((1, 0, 0), (cols, 1, 1))
    return [(_call("Load", (), x, cores), b * loops), (_call("Sum", (x,), y, cores), b * loops), (_call("Store", (y,), y, cores), b)]


def _softmax_like(shape: tuple[int, ...], v: Mapping[str, int], cores: int) -> list[tuple[Call, int]]:
    rows, cols, b = v["z0t_size"], shape[1], v["z0Tb_size"]
    x = _tile((rows, _up(cols), cols), (cols, 1, 1))
    m = _tile((rows, 1, 1), (1, 0, 0))
    calls = [
        _call("Load", (), x, cores),
        _call("Max", (x,), m, cores),
        _call("Broadcast", (m,), x, cores),
        _call("Sub", (x, x), x, cores),
        _call("Exp", (x,), x, cores),
        _call("Store", (x,), x, cores),
    ]
    return [(call, b) for call in calls]


def _add_column(shape: tuple[int, ...], v: Mapping[str, int], cores: int) -> list[tuple[Call, int]]:
    rows, cols, b = v["z0t_size"], shape[1], v["z0Tb_size"]
    x = _tile((rows, _up(cols), cols), (cols, 1, 1))
    c = _tile((rows, 1, 1), (1, 0, 0))
    calls = [
        _call("Load", (), x, cores),
        _call("Load", (), _tile((rows, 1, 1)), cores),
        _call("Broadcast", (c,), x, cores),
        _call("Add", (x, x), x, cores),
        _call("Store", (x,), x, cores),
    ]
    return [(call, b) for call in calls]


KERNELS: Mapping[tuple[str, str], Kernel] = {
    ("abs1d", "result0_g0_0"): _dense_unary,
    ("abs2d", "result0_g0_0"): _dense_unary,
    ("add2d", "result0_g0_0"): _dense_add,
    ("sum_ar", "result2_g0_0"): _reduce_rows("Sum"),
    ("sum_ra", "result0_g0_0"): _reduce_columns,
    ("softmax_like", "result0_g0_0"): _softmax_like,
    ("addbrc_col", "result0_g0_0"): _add_column,
}


def _recorded(folder: Path) -> Iterator[tuple[str, tuple[int, ...], Mapping[str, Any]]]:
    rows = json.loads((folder / "reference_tilings.json").read_text())["rows"]
    for row in rows:
        for template in row.get("templates_evaluated", ()):
            if (row["graph"], template["template"]) in KERNELS:
                yield row["graph"], tuple(row["shape"]), template


def test_every_pipe_of_the_recorded_kernels(shared_data: Path, published: Costs) -> None:
    compared = 0
    for graph, shape, template in _recorded(shared_data):
        cores = template["block_dim"]
        calls = KERNELS[graph, template["template"]](shape, template["variables"], cores)
        for pipe, expected in template["pipes_cycles"].items():
            ticks = pipe_head(Pipe(pipe), integer(cores), integer(0), published).lo
            for call, times in calls:
                ticks += times * sum(t.lo for p, t in spec_of(call.op).cost(call, published).items() if p == pipe)
            assert ticks / CYCLE == pytest.approx(expected, rel=1e-6, abs=0.02), f"{graph} {shape} {pipe}"
            compared += 1
    assert compared > 100


def test_reduce_temporaries_of_the_recorded_kernels(shared_data: Path, published: Costs) -> None:
    compared = 0
    for graph, shape, template in _recorded(shared_data):
        if graph not in {"sum_ar", "sum_ra", "softmax_like"}:
            continue
        calls = KERNELS[graph, template["template"]](shape, template["variables"], template["block_dim"])
        call = next(c for c, _ in calls if c.op in {"Sum", "Max"})
        sizes = {t.lifetime: t.bytes.lo for t in spec_of(call.op).tmp_buffers(call, published)}
        assert sizes[TmpLifetime.CALL] == template["buffers_bytes"]["b0"], f"{graph} {shape}"
        assert sizes[TmpLifetime.LOOP] == template["buffers_bytes"]["b1"], f"{graph} {shape}"
        compared += 1
    assert compared > 15


def test_abs_takes_the_default_temporary(shared_data: Path, published: Costs) -> None:
    for graph, shape, template in _recorded(shared_data):
        if graph.startswith("abs"):
            calls = KERNELS[graph, template["template"]](shape, template["variables"], 1)
            call = next(c for c, _ in calls if c.op == "Abs")
            (tmp,) = spec_of("Abs").tmp_buffers(call, published)
            assert tmp.bytes == integer(template["buffers_bytes"]["b0"])


def test_launch_is_paid_by_every_core(published: Costs) -> None:
    assert launch_ticks(integer(48), published) == integer(48 * 300 * CYCLE)
