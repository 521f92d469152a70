"""Hand-made tiling models of the shape that the model builder produces, for tests and for timing the solvers.

Constants are the published ones of the 910B chips (att_facts.md §3.2, §3.5): DMA bandwidth by cores in two size classes, heads, launch per
core; vector work is linear in elements. Sizes stay symbols, so one model serves every shape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from att.expr.compare import eq, lt
from att.expr.core import Expr, Sym, align_up, ceil_div, floor_div, integer, lookup, maximum, minimum, mod, symbol, where
from att.ir.axis import MAX_SIZE, Size
from att.model.tiling import (
    Constraint,
    CoreTime,
    Divides,
    Leq,
    Makespan,
    Member,
    NodeTime,
    Origin,
    PipeTime,
    TilingModel,
    Var,
    VarRole,
)
from att.ops.call import CostSet, Pipe

CORES = 48
UB_BYTES = 196_352
TICKS = 1_000_000
RESERVED_UB_BYTES = 8192


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
    pipes = _pipes(
        {
            Pipe.MTE2: {f"load{i}": lambda e: _load(4 * e, bd, cores) for i in range(loads)},
            Pipe.VEC: {f"vec{i}": lambda e, i=i: _linear(e, Fraction(16 + 3 * i, 1000), 20 + i) for i in range(vec_ops)},
            Pipe.MTE3: {"store": lambda e: _store(4 * e, bd, cores)},
        },
        [[(fulls, t), (tails, tail)] for fulls, tails in (first, last)],
        bd,
    )
    return _model(
        "elementwise",
        (z,),
        (_tile(t, "z0t", z.symbol, 1), _block(b, "z0Tb", n)),
        (_at_most(t, z.symbol), _at_most(b, n), _cores(bd, cores), _ub(ub, ub_bytes), _aligned(t, z.symbol, 8)),
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
    pipes = _pipes(
        {
            Pipe.MTE2: {"x": lambda e: _load(4 * e, bd, cores), "y": lambda e: _load(4 * e, bd, cores)},
            Pipe.VEC: {f"vec{i}": lambda e, i=i: _linear(e, Fraction(16 + 5 * i, 1000), 20 + i) for i in range(vec_ops)},
            Pipe.MTE3: {"store": lambda e: _store(4 * e, bd, cores)},
        },
        [[(fulls, t), (tails, tail)] for fulls, tails in (first, last)],
        bd,
    )
    return _model(
        "fused_rows",
        (m, n_size),
        (_tile(t, "z1t", n_size.symbol, 1), _block(b, "z0z1Tb", total)),
        (_at_most(t, n_size.symbol), _at_most(b, total), _cores(bd, cores), _ub(ub, ub_bytes), _aligned(t, n_size.symbol, 8)),
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

    pipes = _pipes(
        {
            Pipe.MTE2: {"load": in_loop(lambda x, y: _load(4 * x * y, bd, cores) + 70_000 * x)},
            Pipe.VEC: {
                **{
                    f"vec{i}": in_loop(lambda x, y, i=i: _linear(x * align_up(y, 8), Fraction(16 + i, 1000), 20 + i))
                    for i in range(vec_ops)
                },
                "merge": lambda x: (nr - 1) * _linear(x, Fraction(16, 1000), 20),
            },
            Pipe.MTE3: {"store": lambda x: _store(4 * x, bd, cores)},
        },
        [[(fulls, ta), (tails, a_tail)] for fulls, tails in cores_of_a],
        bd,
    )
    return _model(
        "reduce_rows",
        (a, r),
        (_tile(ta, "z0t", a.symbol, 2), _tile(tr, "z1t", r.symbol, 1), _block(b, "z0Tb", na)),
        (
            _at_most(ta, a.symbol),
            _at_most(tr, r.symbol),
            _at_most(b, na),
            _cores(bd, cores),
            _ub(ub, ub_bytes),
            _aligned(tr, r.symbol, 8),
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
        PipeTime(pipe=p, head=_head(p, bd), cores=(_core({p.value: calls * cost}, calls * cost),))
        for p, cost in (
            (Pipe.MTE2, _load(4 * volume, bd, cores)),
            (Pipe.VEC, _linear(volume, Fraction(7, 100), 20)),
            (Pipe.MTE3, _linear(volume, Fraction(2, 5), 12) * where(lt(tz, 4), 2, 1)),
        )
    )
    return _model(
        "three_tiles",
        (x, y, z),
        (
            _tile(tx, "z0t", x.symbol, 3),
            _tile(ty, "z1t", y.symbol, 2),
            _tile(tz, "z2t", z.symbol, 1),
            _block(b, "z0Tb", nx),
        ),
        (
            _at_most(tx, x.symbol),
            _at_most(ty, y.symbol),
            _at_most(tz, z.symbol),
            _at_most(b, nx),
            _cores(bd, cores),
            _ub(ub, ub_bytes),
            Divides(divisor=tx, dividend=x.symbol, origin=_origin("divisibility", "z0", "the tile divides the axis")),
            Member(
                var="z1t_size", values=(1, 2, 3, 5, 8, 13, 21), origin=_origin("dma_limits", "z1", "block counts the transfer unit has")
            ),
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
    first = _phase(
        {
            Pipe.MTE2: ("load", b * _load(4 * t, bd, cores)),
            Pipe.VEC: ("sum", b * _linear(t, Fraction(17, 1000), 41)),
            Pipe.MTE3: ("partial", _store(integer(32), bd, cores)),
        },
        bd,
        ub,
    )
    join_ub = align_up(4 * 8 * bd, 32) + RESERVED_UB_BYTES
    one = integer(1)
    second = _phase(
        {
            Pipe.MTE2: ("load", _load(32 * bd, one, cores)),
            Pipe.VEC: ("sum", _linear(8 * bd, Fraction(17, 1000), 41)),
            Pipe.MTE3: ("store", _store(integer(4), one, cores)),
        },
        one,
        join_ub,
    )
    return _model(
        "two_phases",
        (r,),
        (_tile(t, "z0t", r.symbol, 1), _block(b, "z0Tb", n)),
        (_at_most(t, r.symbol), _at_most(b, n), _cores(bd, cores), _ub(ub, ub_bytes), _ub(join_ub, ub_bytes), _aligned(t, r.symbol, 8)),
        (first, second),
        (-t, bd, maximum(ub, join_ub), b, t),
        ub_bytes,
    )


def constants() -> TilingModel:
    """Nothing to choose: every time is a number."""
    one = integer(1)
    phase = _phase(
        {
            Pipe.MTE2: ("load", _load(integer(4096), one, 1)),
            Pipe.VEC: ("add", integer(37 * TICKS)),
            Pipe.MTE3: ("store", integer(91 * TICKS)),
        },
        one,
        integer(8192),
    )
    return _model("constants", (), (), (_ub(integer(8192), UB_BYTES),), (phase,), (one,), UB_BYTES)


def impossible() -> TilingModel:
    """The smallest tile does not fit."""
    return elementwise(ub_bytes=RESERVED_UB_BYTES + 127)


def _sum(terms: Iterable[Expr]) -> Expr:
    return sum(terms, start=integer(0))


def _load(size_bytes: Expr, bd: Expr, cores: int) -> Expr:
    """MTE2 ticks of one load: two classes of bandwidth by cores, split at 25000 B (att_facts.md §3.5)."""
    long = size_bytes * _by_cores(Fraction("9.9074"), Fraction("15.896"), bd, cores)
    short = size_bytes * _by_cores(Fraction("7.9052"), Fraction("7.31"), bd, cores)
    return floor_div(where(lt(size_bytes, 25000), short, long), 10_000) + 27_010_000


def _store(size_bytes: Expr, bd: Expr, cores: int) -> Expr:
    """MTE3 ticks of one store (att_facts.md §3.5)."""
    return floor_div(size_bytes * _by_cores(Fraction("9.96"), Fraction("3.79"), bd, cores), 10_000) + 12_090_000


def _by_cores(a: Fraction, b: Fraction, bd: Expr, cores: int) -> Expr:
    """Units of 10^-10 cycle per byte with bd cores at work: `1 / (a + b/bd)`."""
    return lookup((int(10**10 / (a + b / k)) for k in range(1, cores + 1)), minimum(bd, cores) - 1)


def _linear(elems: Expr, cycles_per_elem: Fraction, head_cycles: int) -> Expr:
    """Ticks of one vector call that is linear in elements."""
    scaled = cycles_per_elem * TICKS
    return floor_div(elems * scaled.numerator, scaled.denominator) + head_cycles * TICKS


def _head(pipe: Pipe, bd: Expr) -> Expr:
    """Head of a pipe (att_facts.md §3.2)."""
    if pipe is Pipe.MTE2:
        return 15_890_000 * bd + 882_090_000
    return integer(497_360_000 if pipe is Pipe.MTE3 else 37_370_000)


def _pipes(
    costs: Mapping[Pipe, Mapping[str, Callable[[Expr], Expr]]], cores: list[list[tuple[Expr, Expr]]], bd: Expr
) -> tuple[PipeTime, ...]:
    """Pipe times of nodes whose call costs depend on the tile, on cores that make `count` calls of each size."""
    return tuple(
        PipeTime(pipe=pipe, head=_head(pipe, bd), cores=tuple(_calls(nodes, core) for core in cores)) for pipe, nodes in costs.items()
    )


def _calls(nodes: Mapping[str, Callable[[Expr], Expr]], core: list[tuple[Expr, Expr]]) -> CoreTime:
    total = _sum(count * _sum(cost(size) for cost in nodes.values()) for count, size in core)
    return _core({name: _sum(count * cost(size) for count, size in core) for name, cost in nodes.items()}, total)


def _core(nodes: Mapping[str, Expr], total: Expr) -> CoreTime:
    return CoreTime(ticks=total, nodes=tuple(NodeTime(node=name, ticks=ticks) for name, ticks in nodes.items()))


def _phase(nodes: Mapping[Pipe, tuple[str, Expr]], bd: Expr, ub: Expr) -> Makespan:
    pipes = tuple(PipeTime(pipe=pipe, head=_head(pipe, bd), cores=(_core({name: ticks}, ticks),)) for pipe, (name, ticks) in nodes.items())
    return Makespan(launch=300 * TICKS * bd, pipes=pipes, block_dim=bd, ub_bytes=ub)


def _origin(family: str, subject: str, text: str) -> Origin:
    return Origin(family=family, subject=subject, text=text)


def _at_most(var: Sym, limit: Expr) -> Leq:
    return Leq(lhs=var, rhs=limit, unit="elements", origin=_origin("axis_bounds", var.name, f"{var.name} exceeds its axis"))


def _cores(bd: Expr, cores: int) -> Leq:
    return Leq(lhs=bd, rhs=integer(cores), unit="cores", origin=_origin("core_count", "block_dim", "more cores than the chip has"))


def _ub(ub: Expr, capacity: int) -> Leq:
    return Leq(lhs=ub, rhs=integer(capacity), unit="B", origin=_origin("ub_capacity", "UB", "tensors exceed the unified buffer"))


def _aligned(t: Sym, size: Expr, step: int) -> Divides:
    text = f"{t.name} is a multiple of {step} elements or the whole axis"
    return Divides(divisor=where(eq(t, size), 1, step), dividend=t, origin=_origin("alignment", t.name, text))


def _tile(sym: Sym, axis: str, upper: Expr, rank: int) -> Var:
    return Var(symbol=sym, role=VarRole.TILE, axis=axis, upper=upper, rank=rank)


def _block(sym: Sym, axis: str, upper: Expr) -> Var:
    return Var(symbol=sym, role=VarRole.BLOCK, axis=axis, upper=upper, rank=100)


def _model(
    template: str,
    sizes: tuple[Size, ...],
    variables: tuple[Var, ...],
    constraints: tuple[Constraint, ...],
    phases: tuple[Makespan, ...],
    tie_break: tuple[Expr, ...],
    ub_bytes: int,
) -> TilingModel:
    return TilingModel(
        template=template,
        tiling_key=0,
        chip="toy910b",
        cost=CostSet.MENDED,
        ub_capacity_bytes=ub_bytes,
        sizes=sizes,
        variables=variables,
        constraints=constraints,
        phases=phases,
        tie_break=tie_break,
        workspace_bytes=integer(0),
    )


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
