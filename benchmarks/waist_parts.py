"""The parts that hand-made tiling models are put together from: prices, constraints, variables, phases.

Constants are the published ones of the 910B chips (att_facts.md §3.2, §3.5).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction

from att.expr.choice import lookup, minimum, where
from att.expr.compare import eq, lt
from att.expr.core import Expr, Sym, floor_div, integer
from att.ir.axis import Size
from att.model.tiling import (
    Constraint,
    CoreTime,
    Divides,
    Leq,
    Makespan,
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


def total_of(terms: Iterable[Expr]) -> Expr:
    return sum(terms, start=integer(0))


def load_ticks(size_bytes: Expr, bd: Expr, cores: int) -> Expr:
    """MTE2 ticks of one load: two classes of bandwidth by cores, split at 25000 B (att_facts.md §3.5)."""
    long = size_bytes * rate_ticks(Fraction("9.9074"), Fraction("15.896"), bd, cores)
    short = size_bytes * rate_ticks(Fraction("7.9052"), Fraction("7.31"), bd, cores)
    return floor_div(where(lt(size_bytes, 25000), short, long), 10_000) + 27_010_000


def store_ticks(size_bytes: Expr, bd: Expr, cores: int) -> Expr:
    """MTE3 ticks of one store (att_facts.md §3.5)."""
    return floor_div(size_bytes * rate_ticks(Fraction("9.96"), Fraction("3.79"), bd, cores), 10_000) + 12_090_000


def rate_ticks(a: Fraction, b: Fraction, bd: Expr, cores: int) -> Expr:
    """Units of 10^-10 cycle per byte with bd cores at work: `1 / (a + b/bd)`."""
    return lookup((int(10**10 / (a + b / k)) for k in range(1, cores + 1)), minimum(bd, cores) - 1)


def linear_ticks(elems: Expr, cycles_per_elem: Fraction, head_cycles: int) -> Expr:
    """Ticks of one vector call that is linear in elements."""
    scaled = cycles_per_elem * TICKS
    return floor_div(elems * scaled.numerator, scaled.denominator) + head_cycles * TICKS


def pipe_head(pipe: Pipe, bd: Expr) -> Expr:
    """Head of a pipe (att_facts.md §3.2)."""
    if pipe is Pipe.MTE2:
        return 15_890_000 * bd + 882_090_000
    return integer(497_360_000 if pipe is Pipe.MTE3 else 37_370_000)


def pipe_times(
    costs: Mapping[Pipe, Mapping[str, Callable[[Expr], Expr]]], cores: list[list[tuple[Expr, Expr]]], bd: Expr
) -> tuple[PipeTime, ...]:
    """Pipe times of nodes whose call costs depend on the tile, on cores that make `count` calls of each size."""
    return tuple(
        PipeTime(pipe=pipe, head=pipe_head(pipe, bd), cores=tuple(calls(nodes, core) for core in cores)) for pipe, nodes in costs.items()
    )


def calls(nodes: Mapping[str, Callable[[Expr], Expr]], core: list[tuple[Expr, Expr]]) -> CoreTime:
    total = total_of(count * total_of(cost(size) for cost in nodes.values()) for count, size in core)
    return core_time({name: total_of(count * cost(size) for count, size in core) for name, cost in nodes.items()}, total)


def core_time(nodes: Mapping[str, Expr], total: Expr) -> CoreTime:
    return CoreTime(ticks=total, nodes=tuple(NodeTime(node=name, ticks=ticks) for name, ticks in nodes.items()))


def phase_of(nodes: Mapping[Pipe, tuple[str, Expr]], bd: Expr, ub: Expr) -> Makespan:
    pipes = tuple(
        PipeTime(pipe=pipe, head=pipe_head(pipe, bd), cores=(core_time({name: ticks}, ticks),)) for pipe, (name, ticks) in nodes.items()
    )
    return Makespan(launch=300 * TICKS * bd, pipes=pipes, block_dim=bd, ub_bytes=ub)


def origin(family: str, subject: str, text: str) -> Origin:
    return Origin(family=family, subject=subject, text=text)


def at_most(var: Sym, limit: Expr) -> Leq:
    return Leq(lhs=var, rhs=limit, unit="elements", origin=origin("axis_bounds", var.name, f"{var.name} exceeds its axis"))


def core_limit(bd: Expr, cores: int) -> Leq:
    return Leq(lhs=bd, rhs=integer(cores), unit="cores", origin=origin("core_count", "block_dim", "more cores than the chip has"))


def ub_limit(ub: Expr, capacity: int) -> Leq:
    return Leq(lhs=ub, rhs=integer(capacity), unit="B", origin=origin("ub_capacity", "UB", "tensors exceed the unified buffer"))


def aligned(t: Sym, size: Expr, step: int) -> Divides:
    text = f"{t.name} is a multiple of {step} elements or the whole axis"
    return Divides(divisor=where(eq(t, size), 1, step), dividend=t, origin=origin("alignment", t.name, text))


def tile_var(sym: Sym, axis: str, upper: Expr, rank: int) -> Var:
    return Var(symbol=sym, role=VarRole.TILE, axis=axis, upper=upper, rank=rank)


def block_var(sym: Sym, axis: str, upper: Expr) -> Var:
    return Var(symbol=sym, role=VarRole.BLOCK, axis=axis, upper=upper, rank=100)


def model_of(
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
