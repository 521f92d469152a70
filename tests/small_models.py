"""Small tiling models for tests: hand-made and random ones, and the answer by trying every tiling."""

from __future__ import annotations

from functools import lru_cache
from itertools import product

from hypothesis import strategies as st

from att.expr.choice import lookup, maximum, minimum, where
from att.expr.compare import eq, le, lt
from att.expr.core import ceil_div, floor_div, integer, mod, symbol
from att.expr.evaluate import compile_program
from att.expr.logic import conj, disj, negate
from att.model.bind import bind
from att.model.tiling import CoreTime, Divides, Leq, Makespan, Member, NodeTime, Origin, PipeTime, TilingModel, Var, VarRole
from att.ops.call import CostSet, Pipe
from benchmarks import waist_models as waist

ORIGIN = Origin(family="alignment", subject="x", text="a rule of the test")


def tiny_cases():
    """Problems of a few hundred to a few thousand tilings, every shape of model among them."""
    few = {"cores": 3, "ub_bytes": waist.RESERVED_UB_BYTES + 1200}
    return {
        "elementwise": (waist.elementwise(**few), {"Z": 53}),
        "elementwise_aligned": (waist.elementwise(**few), {"Z": 64}),
        "elementwise_one": (waist.elementwise(**few), {"Z": 1}),
        "fused_rows": (waist.fused_rows(**few), {"M": 5, "N": 29}),
        "reduce_rows": (waist.reduce_rows(cores=3, ub_bytes=12_000), {"A": 9, "R": 37}),
        "three_tiles": (waist.three_tiles(), {"X": 6, "Y": 9, "Z": 8}),
        "two_phases": (waist.two_phases(**few), {"R": 61}),
        "constants": (waist.constants(), {}),
    }


def every_tiling(problem):
    """All value combinations of the variables within the domains of the bound problem."""
    names = [v.name for v in problem.variables]
    ranges = [range(v.symbol.lo, v.symbol.hi + 1, max(1, v.symbol.multiple)) for v in problem.variables]
    for values in product(*ranges):
        yield dict(zip(names, values, strict=True))


def best_by_brute_force(problem):
    """`(key, tiling)` of the best legal tiling, key being time and tie-break; None if there is none."""
    if problem.contradiction is not None:
        return None
    source = problem.source
    priced = compile_program((source.objective, *source.tie_break))
    legal = [t for t in every_tiling(problem) if is_legal(problem, t)]
    found = [(priced.run({**problem.shape, **tiling}), tiling) for tiling in legal]
    return min(found, key=lambda pair: pair[0]) if found else None


def is_legal(problem, tiling):
    """What `check` says, in the fewest words; the model's own constraints one by one."""
    env = {**problem.shape, **tiling}
    if any(tiling[name] != value for name, value in problem.fixed.items()):
        return False
    for constraint, program in zip(problem.source.constraints, _programs(problem.source), strict=True):
        values = program.run(env)
        if isinstance(constraint, Leq) and values[0] > values[1]:
            return False
        if isinstance(constraint, Divides) and values[1] % values[0]:
            return False
        if isinstance(constraint, Member) and tiling[constraint.var] not in constraint.values:
            return False
    return True


@lru_cache(maxsize=64)
def _programs(model):
    exprs = {Leq: lambda c: (c.lhs, c.rhs), Divides: lambda c: (c.divisor, c.dividend), Member: lambda _: ()}
    return tuple(compile_program(exprs[type(c)](c)) for c in model.constraints)


def model_of(variables, constraints, launch, pipes):
    """A model of one phase from bare expressions; the tie-break is the variables by name."""
    symbols = [s for s, _ in variables]
    return TilingModel(
        template="random",
        tiling_key=0,
        chip="toy",
        cost=CostSet.MENDED,
        ub_capacity_bytes=0,
        sizes=(),
        variables=tuple(Var(symbol=s, role=role, axis=s.name, upper=integer(s.hi), rank=i) for i, (s, role) in enumerate(variables)),
        constraints=tuple(constraints),
        phases=(
            Makespan(
                launch=launch,
                pipes=tuple(
                    PipeTime(pipe=pipe, head=integer(0), cores=(CoreTime(ticks=t, nodes=(NodeTime(node="n", ticks=t),)),))
                    for pipe, t in zip(Pipe, pipes, strict=False)
                ),
                block_dim=integer(1),
                ub_bytes=integer(0),
            ),
        ),
        tie_break=tuple(sorted(symbols, key=lambda s: s.name)),
        workspace_bytes=integer(0),
    )


@st.composite
def random_symbols(draw):
    """Two or three variables with a few values each."""
    count = draw(st.integers(2, 3))
    symbols = []
    for name in "xyz"[:count]:
        step = draw(st.sampled_from([1, 1, 1, 2, 3]))
        first = draw(st.integers(1, 4))
        symbols.append(symbol(name, first * step, (first + draw(st.integers(0, 9))) * step, step))
    return symbols


@st.composite
def random_exprs(draw, symbols, depth=3):
    """An expression of every kind the waist has, negative values included."""
    if depth == 0 or draw(st.integers(0, 5)) == 0:
        return draw(st.sampled_from([*symbols, *map(integer, (-3, 0, 1, 2, 7, 40))]))
    sub = random_exprs(symbols, depth - 1)
    kind = draw(st.sampled_from(["add", "mul", "scale", "floor", "ceil", "mod", "min", "max", "where", "lookup"]))
    a = draw(sub)
    if kind == "scale":
        return a * draw(st.sampled_from([-5, -1, 2, 6, 1000]))
    b = draw(sub)
    divisor = maximum(1, minimum(b, 50)) if draw(st.booleans()) else draw(st.sampled_from(symbols))
    match kind:
        case "add":
            return a + b * draw(st.sampled_from([-2, -1, 1, 3]))
        case "mul":
            return a * b
        case "floor":
            return floor_div(a, divisor)
        case "ceil":
            return ceil_div(a, divisor)
        case "mod":
            return mod(a, divisor)
        case "min":
            return minimum(a, b)
        case "max":
            return maximum(a, b)
        case "where":
            return where(draw(random_conds(symbols, depth - 1)), a, b)
        case _:
            table = draw(st.lists(st.integers(-20, 200), min_size=3, max_size=8))
            return lookup(table, mod(a, len(table)))


@st.composite
def random_conds(draw, symbols, depth=2):
    """A condition of every kind."""
    a, b = draw(random_exprs(symbols, max(0, depth - 1))), draw(random_exprs(symbols, max(0, depth - 1)))
    kind = draw(st.sampled_from(["le", "lt", "eq", "not", "and", "or"]))
    if kind in ("le", "lt", "eq"):
        return {"le": le, "lt": lt, "eq": eq}[kind](a, b)
    other = draw(random_conds(symbols, depth - 1)) if depth else eq(a, 2)
    return negate(le(a, b)) if kind == "not" else conj(lt(a, b), other) if kind == "and" else disj(eq(a, b), other)


@st.composite
def random_problems(draw):
    """A bound problem with arbitrary costs and every kind of constraint."""
    symbols = draw(random_symbols())
    sub = random_exprs(symbols)
    constraints = [Leq(lhs=draw(sub), rhs=draw(sub), origin=ORIGIN) for _ in range(draw(st.integers(0, 2)))]
    rule = draw(st.sampled_from(["none", "aligned", "divides", "member", "mixed"]))
    first = symbols[0]
    if rule == "aligned":
        constraints.append(Divides(divisor=where(eq(first, first.hi), 1, 4), dividend=first, origin=ORIGIN))
    elif rule == "divides":
        constraints.append(Divides(divisor=first, dividend=integer(draw(st.sampled_from([12, 30, 36]))), origin=ORIGIN))
    elif rule == "member":
        values = draw(st.lists(st.integers(1, 14), min_size=1, max_size=5))
        constraints.append(Member(var=first.name, values=tuple(values), origin=ORIGIN))
    elif rule == "mixed":
        constraints.append(Divides(divisor=first, dividend=maximum(draw(sub), 0), origin=ORIGIN))
    roles = [VarRole.TILE] * (len(symbols) - 1) + [VarRole.BLOCK]
    model = model_of(list(zip(symbols, roles, strict=True)), constraints, draw(sub), [draw(sub) for _ in range(draw(st.integers(1, 3)))])
    return bind(model, {})
