"""Hand-made tiling models of the shape that the model builder produces, for tests and for timing the solvers.

Constants are the published ones of the 910B chips (att_facts.md §3.2, §3.5): DMA bandwidth by cores in two size classes, heads, launch per
core; vector work is linear in elements. Sizes stay symbols, so one model serves every shape.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from att.expr.choice import maximum, where
from att.expr.compare import lt
from att.expr.core import Expr, align_up, ceil_div, floor_div, integer, mod, symbol
from att.ir.axis import MAX_SIZE, Size
from att.model.tiling import Divides, Makespan, Member, PipeTime, TilingModel
from att.ops.call import Pipe
from benchmarks.waist_parts import (
    CORES,
    RESERVED_UB_BYTES,
    TICKS,
    UB_BYTES,
    aligned,
    at_most,
    block_var,
    core_limit,
    core_time,
    linear_ticks,
    load_ticks,
    model_of,
    origin,
    phase_of,
    pipe_head,
    pipe_times,
    store_ticks,
    tile_var,
    ub_limit,
)


@dataclass(frozen=True)
class Case:
    """A model with one shape."""

    name: str
    model: TilingModel
    shape: Mapping[str, int] = field(default_factory=dict[str, int])


def elementwise(*, cores: int = CORES, ub_bytes: int = UB_BYTES, vec_ops: int = 1, loads: int = 1) -> TilingModel:
    """One axis of Z elements, float32: load, `vec_ops` vector operations, store."""
    z = Size(name="Z")
    t, b = symbol("z0t_size", 1, MAX_SIZE), symbol("z0Tb_size", 1, MAX_SIZE)
    n = ceil_div(z.symbol, t)
    bd = ceil_div(n, b)
    tail = mod(z.symbol - 1, t) + 1
    ub = (loads + 1) * 2 * align_up(4 * t, 32) + RESERVED_UB_BYTES
    first, last = (where(lt(1, bd), b, 0), integer(0)), (mod(n - 1, b), integer(1))
    pipes = pipe_times(
        {
            Pipe.MTE2: {f"load{i}": lambda e: load_ticks(4 * e, bd, cores) for i in range(loads)},
            Pipe.VEC: {f"vec{i}": lambda e, i=i: linear_ticks(e, Fraction(16 + 3 * i, 1000), 20 + i) for i in range(vec_ops)},
            Pipe.MTE3: {"store": lambda e: store_ticks(4 * e, bd, cores)},
        },
        [[(fulls, t), (tails, tail)] for fulls, tails in (first, last)],
        bd,
    )
    return model_of(
        "elementwise",
        (z,),
        (tile_var(t, "z0t", z.symbol, 1), block_var(b, "z0Tb", n)),
        (at_most(t, z.symbol), at_most(b, n), core_limit(bd, cores), ub_limit(ub, ub_bytes), aligned(t, z.symbol, 8)),
        (Makespan(launch=300 * TICKS * bd, pipes=pipes, block_dim=bd, ub_bytes=ub),),
        (-t, bd, ub, b, t),
        ub_bytes,
    )


def fused_rows(*, cores: int = CORES, ub_bytes: int = UB_BYTES, vec_ops: int = 3) -> TilingModel:
    """M rows of N elements, float32: N is cut, the rows are fused into the block loop (design §4)."""
    m, n_size = Size(name="M"), Size(name="N")
    t, b = symbol("z1t_size", 1, MAX_SIZE), symbol("z0z1Tb_size", 1, MAX_SIZE)
    n = ceil_div(n_size.symbol, t)
    total = m.symbol * n
    bd = ceil_div(total, b)
    tail = mod(n_size.symbol - 1, t) + 1
    ub = 3 * 2 * align_up(4 * t, 32) + RESERVED_UB_BYTES
    first, last = ((b - tails, tails) for tails in (floor_div(b, n), ceil_div(b, n)))
    pipes = pipe_times(
        {
            Pipe.MTE2: {"x": lambda e: load_ticks(4 * e, bd, cores), "y": lambda e: load_ticks(4 * e, bd, cores)},
            Pipe.VEC: {f"vec{i}": lambda e, i=i: linear_ticks(e, Fraction(16 + 5 * i, 1000), 20 + i) for i in range(vec_ops)},
            Pipe.MTE3: {"store": lambda e: store_ticks(4 * e, bd, cores)},
        },
        [[(fulls, t), (tails, tail)] for fulls, tails in (first, last)],
        bd,
    )
    return model_of(
        "fused_rows",
        (m, n_size),
        (tile_var(t, "z1t", n_size.symbol, 1), block_var(b, "z0z1Tb", total)),
        (at_most(t, n_size.symbol), at_most(b, total), core_limit(bd, cores), ub_limit(ub, ub_bytes), aligned(t, n_size.symbol, 8)),
        (Makespan(launch=300 * TICKS * bd, pipes=pipes, block_dim=bd, ub_bytes=ub),),
        (-t, bd, ub, b, t),
        ub_bytes,
    )


def reduce_rows(*, cores: int = CORES, ub_bytes: int = UB_BYTES, vec_ops: int = 4) -> TilingModel:
    """A rows of R elements, float32, reduced over R: both axes are cut, R loops inside a core."""
    a, r = Size(name="A"), Size(name="R")
    ta, tr, b = symbol("z0t_size", 1, MAX_SIZE), symbol("z1t_size", 1, MAX_SIZE), symbol("z0Tb_size", 1, MAX_SIZE)
    na, nr = ceil_div(a.symbol, ta), ceil_div(r.symbol, tr)
    bd = ceil_div(na, b)
    row = align_up(4 * tr, 32)
    ub = 2 * ta * row + 2 * 2 * align_up(4 * ta, 32) + maximum(ta * row, RESERVED_UB_BYTES)
    a_tail, r_tail = mod(a.symbol - 1, ta) + 1, mod(r.symbol - 1, tr) + 1
    cores_of_a = ((where(lt(1, bd), b, 0), integer(0)), (mod(na - 1, b), integer(1)))

    def in_loop(cost: Callable[[Expr, Expr], Expr]) -> Callable[[Expr], Expr]:
        """Ticks of a call made for every tile of the reduced axis."""
        return lambda rows: (nr - 1) * cost(rows, tr) + cost(rows, r_tail)

    pipes = pipe_times(
        {
            Pipe.MTE2: {"load": in_loop(lambda x, y: load_ticks(4 * x * y, bd, cores) + 70_000 * x)},
            Pipe.VEC: {
                **{
                    f"vec{i}": in_loop(lambda x, y, i=i: linear_ticks(x * align_up(y, 8), Fraction(16 + i, 1000), 20 + i))
                    for i in range(vec_ops)
                },
                "merge": lambda x: (nr - 1) * linear_ticks(x, Fraction(16, 1000), 20),
            },
            Pipe.MTE3: {"store": lambda x: store_ticks(4 * x, bd, cores)},
        },
        [[(fulls, ta), (tails, a_tail)] for fulls, tails in cores_of_a],
        bd,
    )
    return model_of(
        "reduce_rows",
        (a, r),
        (tile_var(ta, "z0t", a.symbol, 2), tile_var(tr, "z1t", r.symbol, 1), block_var(b, "z0Tb", na)),
        (
            at_most(ta, a.symbol),
            at_most(tr, r.symbol),
            at_most(b, na),
            core_limit(bd, cores),
            ub_limit(ub, ub_bytes),
            aligned(tr, r.symbol, 8),
        ),
        (Makespan(launch=300 * TICKS * bd, pipes=pipes, block_dim=bd, ub_bytes=ub),),
        (-tr, bd, ub, b, ta, tr),
        ub_bytes,
    )


def three_tiles(*, cores: int = 4, ub_bytes: int = 2048) -> TilingModel:
    """A small three-axis transpose-like model: every axis is cut, the outermost is shared among cores; small enough for brute force."""
    x, y, z = (Size(name=n, maximum=64) for n in "XYZ")
    tx, ty, tz, b = (symbol(n, 1, MAX_SIZE) for n in ("z0t_size", "z1t_size", "z2t_size", "z0Tb_size"))
    nx, ny, nz = ceil_div(x.symbol, tx), ceil_div(y.symbol, ty), ceil_div(z.symbol, tz)
    bd = ceil_div(nx, b)
    volume = tx * ty * tz
    ub = align_up(4 * volume, 32) + align_up(4 * tz, 32) * ty
    calls = b * ny * nz
    pipes = tuple(
        PipeTime(pipe=p, head=pipe_head(p, bd), cores=(core_time({p.value: calls * cost}, calls * cost),))
        for p, cost in (
            (Pipe.MTE2, load_ticks(4 * volume, bd, cores)),
            (Pipe.VEC, linear_ticks(volume, Fraction(7, 100), 20)),
            (Pipe.MTE3, linear_ticks(volume, Fraction(2, 5), 12) * where(lt(tz, 4), 2, 1)),
        )
    )
    return model_of(
        "three_tiles",
        (x, y, z),
        (
            tile_var(tx, "z0t", x.symbol, 3),
            tile_var(ty, "z1t", y.symbol, 2),
            tile_var(tz, "z2t", z.symbol, 1),
            block_var(b, "z0Tb", nx),
        ),
        (
            at_most(tx, x.symbol),
            at_most(ty, y.symbol),
            at_most(tz, z.symbol),
            at_most(b, nx),
            core_limit(bd, cores),
            ub_limit(ub, ub_bytes),
            Divides(divisor=tx, dividend=x.symbol, origin=origin("divisibility", "z0", "the tile divides the axis")),
            Member(var="z1t_size", values=(1, 2, 3, 5, 8, 13, 21), origin=origin("dma_limits", "z1", "block counts the transfer unit has")),
        ),
        (Makespan(launch=3 * TICKS * bd, pipes=pipes, block_dim=bd, ub_bytes=ub),),
        (-tz, bd, ub, b, tx, ty, tz),
        ub_bytes,
    )


def two_phases(*, cores: int = CORES, ub_bytes: int = UB_BYTES) -> TilingModel:
    """A reduction of R elements split over cores: partial sums to workspace, then one core joins them."""
    r = Size(name="R")
    t, b = symbol("z0t_size", 1, MAX_SIZE), symbol("z0Tb_size", 1, MAX_SIZE)
    n = ceil_div(r.symbol, t)
    bd = ceil_div(n, b)
    ub = 2 * align_up(4 * t, 32) + RESERVED_UB_BYTES
    first = phase_of(
        {
            Pipe.MTE2: ("load", b * load_ticks(4 * t, bd, cores)),
            Pipe.VEC: ("sum", b * linear_ticks(t, Fraction(17, 1000), 41)),
            Pipe.MTE3: ("partial", store_ticks(integer(32), bd, cores)),
        },
        bd,
        ub,
    )
    join_ub = align_up(4 * 8 * bd, 32) + RESERVED_UB_BYTES
    one = integer(1)
    second = phase_of(
        {
            Pipe.MTE2: ("load", load_ticks(32 * bd, one, cores)),
            Pipe.VEC: ("sum", linear_ticks(8 * bd, Fraction(17, 1000), 41)),
            Pipe.MTE3: ("store", store_ticks(integer(4), one, cores)),
        },
        one,
        join_ub,
    )
    return model_of(
        "two_phases",
        (r,),
        (tile_var(t, "z0t", r.symbol, 1), block_var(b, "z0Tb", n)),
        (
            at_most(t, r.symbol),
            at_most(b, n),
            core_limit(bd, cores),
            ub_limit(ub, ub_bytes),
            ub_limit(join_ub, ub_bytes),
            aligned(t, r.symbol, 8),
        ),
        (first, second),
        (-t, bd, maximum(ub, join_ub), b, t),
        ub_bytes,
    )


def constants() -> TilingModel:
    """Nothing to choose: every time is a number."""
    one = integer(1)
    phase = phase_of(
        {
            Pipe.MTE2: ("load", load_ticks(integer(4096), one, 1)),
            Pipe.VEC: ("add", integer(37 * TICKS)),
            Pipe.MTE3: ("store", integer(91 * TICKS)),
        },
        one,
        integer(8192),
    )
    return model_of("constants", (), (), (ub_limit(integer(8192), UB_BYTES),), (phase,), (one,), UB_BYTES)


def impossible() -> TilingModel:
    """The smallest tile does not fit."""
    return elementwise(ub_bytes=RESERVED_UB_BYTES + 127)


REALISTIC: tuple[Case, ...] = tuple(
    [Case(f"elementwise[{z}]", elementwise(vec_ops=3), {"Z": z}) for z in (1, 5, 100, 4096, 262_144, 1_000_003, 16_777_216, 2**31 - 1)]
    + [
        Case(f"fused_rows[{m},{n}]", fused_rows(), {"M": m, "N": n})
        for m, n in ((1, 1), (48, 3000), (1024, 1024), (4096, 4097), (8192, 8192), (1000, 100_003), (16_384, 151_936))
    ]
    + [
        Case(f"reduce_rows[{a},{r}]", reduce_rows(), {"A": a, "R": r})
        for a, r in ((48, 3000), (1024, 1024), (4097, 511), (8192, 8192), (333, 77_777), (16_384, 151_936))
    ]
    + [Case(f"two_phases[{r}]", two_phases(), {"R": r}) for r in (1000, 1_000_003, 16_777_216)]
)
"""Shapes of real kernels, from one element to a vocabulary-sized softmax."""
