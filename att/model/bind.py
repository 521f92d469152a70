"""From a model for every shape to the problem of one shape: checks the sizes, substitutes them, tightens the domains."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from att.errors import ModelError, UsageError
from att.expr.core import Expr, Sym, integer, symbol
from att.expr.node import nodes_held
from att.expr.ranges import Range
from att.expr.substitute import name_parts, substitute_all
from att.ir.axis import Size
from att.model.tighten import tighten
from att.model.tiling import Chain, Constraint, CoreTime, Divides, Leq, Makespan, Member, NodeTime, PipeTime, Problem, TilingModel, Var

NOTHING_FIXED: Mapping[str, int] = MappingProxyType({})


@nodes_held()
def bind(model: TilingModel, shape: Mapping[str, int], *, fixed: Mapping[str, int] = NOTHING_FIXED, by_node: bool = False) -> Problem:
    """The problem of one shape, with `fixed` variables held at their values and all domains as tight as intervals make them.

    `by_node`: with what each node costs, which people read and no solver.

    Raises UsageError for a size that is missing, unknown or outside its declared range, and for a fixed value outside its domain. A problem
    that intervals alone refute carries the `contradiction`.
    """
    _check_shape(model.sizes, shape)
    sizes = {s.name: integer(shape[s.name]) for s in model.sizes}
    rules = _rewritten(_rules_alone(model), sizes)
    tight = tighten(_domains(rules.variables, fixed), rules.constraints)
    tightened = {s.name: symbol(s.name, *domain) for s, domain in tight.domains.items()}
    wanted = model if by_node else _without_nodes(model) if tight.contradiction is None else _rules_alone(model)
    bound = _rewritten(wanted, {**sizes, **tightened})
    refuted = None if tight.contradiction is None else bound.constraints[rules.constraints.index(tight.contradiction)]
    return Problem(
        **{name: getattr(bound, name) for name in TilingModel.__dataclass_fields__},
        shape=MappingProxyType({s.name: shape[s.name] for s in model.sizes}),
        source=model,
        fixed=MappingProxyType(dict(fixed)),
        contradiction=refuted,
    )


def loosened(problem: Problem) -> Problem:
    """The problem with the domains that its model declares: its expressions hold at tilings that no rule allows, too."""
    sized = _rewritten(_without_nodes(problem.source), {name: integer(value) for name, value in problem.shape.items()})
    domains = _domains(sized.variables, problem.fixed)
    declared = _rewritten(sized, {s.name: symbol(s.name, *domain) for s, domain in domains.items()})
    return replace(problem, **{name: getattr(declared, name) for name in TilingModel.__dataclass_fields__})


def _check_shape(sizes: tuple[Size, ...], shape: Mapping[str, int]) -> None:
    missing = [s for s in sizes if s.name not in shape]
    if missing:
        example = ",".join(f"{s.name}={_example(s)}" for s in missing)
        names = ", ".join(s.name for s in missing)
        raise UsageError(f"no value for {'size' if len(missing) == 1 else 'sizes'} {names}", where="shape", hint=f"give it as in {example}")
    declared = {s.name for s in sizes}
    unknown = sorted(set(shape) - declared)
    if unknown:
        known = ", ".join(s.name for s in sizes) or "none: every size is a number"
        raise UsageError(f"unknown {'size' if len(unknown) == 1 else 'sizes'} {', '.join(unknown)}", where="shape", hint=f"sizes: {known}")
    for size in sizes:
        _check_size(size, shape[size.name])


def _check_size(size: Size, value: int) -> None:
    if not size.minimum <= value <= size.maximum:
        raise UsageError(
            f"{size.name} = {value}, allowed are {size.minimum}..{size.maximum} elements",
            where="shape",
            hint="use a size in that range, or widen the range that the graph declares for it; --range only narrows a declared range",
        )
    if value % size.multiple_of:
        below = value // size.multiple_of * size.multiple_of
        raise UsageError(
            f"{size.name} = {value}, allowed are multiples of {size.multiple_of} elements",
            where="shape",
            hint=f"the next ones are {below} and {below + size.multiple_of}",
        )


def _example(size: Size) -> int:
    step = size.multiple_of
    usual = min(max(1024, size.minimum), size.maximum)
    return max(usual // step, -(-size.minimum // step)) * step


def _domains(variables: tuple[Var, ...], fixed: Mapping[str, int]) -> dict[Sym, Range]:
    """Declared domains; a fixed variable has its one value."""
    domains = {v.symbol: v.symbol.domain for v in variables}
    by_name = {v.name: v for v in variables}
    for name, value in fixed.items():
        if name not in by_name:
            raise UsageError(f"no variable {name} to fix", where="fixed", hint=f"variables: {', '.join(by_name) or 'none'}")
        var = by_name[name]
        lo, hi, step = var.symbol.domain
        hi = min(hi, var.upper.hi)
        if not lo <= value <= hi or value % step:
            grid = f" in steps of {step}" if step > 1 else ""
            raise UsageError(f"{name} = {value}, allowed are {lo}..{hi}{grid}", where="fixed", hint="fix it inside its domain")
        domains[var.symbol] = Range(value, value, step)
    return domains


def _rules_alone(model: TilingModel) -> TilingModel:
    """Variables and constraints, which decide the domains; nothing is rewritten twice but these."""
    return replace(model, phases=(), tie_break=())


def _without_nodes(model: TilingModel) -> TilingModel:
    return replace(model, phases=tuple(replace(p, pipes=tuple(_unlisted(pipe) for pipe in p.pipes)) for p in model.phases))


def _unlisted(pipe: PipeTime) -> PipeTime:
    return replace(pipe, cores=tuple(CoreTime(ticks=core.ticks, nodes=()) for core in pipe.cores))


def with_named_part(model: TilingModel, part: Expr, name: Sym) -> TilingModel:
    """The model with a symbol in place of a part of its expressions."""
    return _with(model, lambda old: name_parts(old, {part: name}))


def _rewritten(model: TilingModel, symbols: Mapping[str, Expr]) -> TilingModel:
    """The model with symbols replaced in every expression."""
    return _with(model, lambda old: substitute_all(old, symbols))


def _with(model: TilingModel, rewrite: Callable[[tuple[Expr, ...]], tuple[Expr, ...]]) -> TilingModel:
    """The model with all expressions rewritten."""
    old = tuple(dict.fromkeys(expressions(model)))
    new = dict(zip(old, rewrite(old), strict=True))
    return replace(
        model,
        variables=tuple(_rewritten_variable(v, new) for v in model.variables),
        constraints=tuple(_rewritten_constraint(c, new) for c in model.constraints),
        phases=tuple(_rewritten_phase(p, new) for p in model.phases),
        tie_break=tuple(new[e] for e in model.tie_break),
        workspace_bytes=new[model.workspace_bytes],
        short_rows=new[model.short_rows],
    )


def _rewritten_variable(variable: Var, new: Mapping[Expr, Expr]) -> Var:
    return replace(
        variable,
        symbol=_as_symbol(new[variable.symbol]),
        upper=new[variable.upper],
        cache_line_elems=new[variable.cache_line_elems],
    )


def _as_symbol(expr: Expr) -> Sym:
    if not isinstance(expr, Sym):
        raise ModelError(f"a variable was replaced by {expr!r}; shape symbols and variables must have different names")
    return expr


def expressions(model: TilingModel) -> Iterator[Expr]:
    """All expressions of a model."""
    for v in model.variables:
        yield from (v.symbol, v.upper, v.cache_line_elems)
    for c in model.constraints:
        match c:
            case Leq():
                yield from (c.lhs, c.rhs)
            case Divides():
                yield from (c.divisor, c.dividend)
            case Member():
                pass
    for phase in model.phases:
        yield from (phase.launch, phase.block_dim, phase.ub_bytes)
        for pipe in phase.pipes:
            yield pipe.head
            for core in pipe.cores:
                yield from (core.ticks, core.fulls, core.tails)
                for node in core.nodes:
                    yield from (node.ticks, node.full, node.tail)
        for chain in phase.chains:
            yield from (chain.buffers, chain.fill, chain.drain)
    yield from model.tie_break
    yield model.workspace_bytes
    yield model.short_rows


def _rewritten_constraint(constraint: Constraint, new: Mapping[Expr, Expr]) -> Constraint:
    match constraint:
        case Leq():
            return replace(constraint, lhs=new[constraint.lhs], rhs=new[constraint.rhs])
        case Divides():
            return replace(constraint, divisor=new[constraint.divisor], dividend=new[constraint.dividend])
        case Member():
            return constraint


def _rewritten_phase(phase: Makespan, new: Mapping[Expr, Expr]) -> Makespan:
    return replace(
        phase,
        launch=new[phase.launch],
        pipes=tuple(_rewritten_pipe(p, new) for p in phase.pipes),
        block_dim=new[phase.block_dim],
        ub_bytes=new[phase.ub_bytes],
        chains=tuple(_rewritten_chain(c, new) for c in phase.chains),
    )


def _rewritten_chain(chain: Chain, new: Mapping[Expr, Expr]) -> Chain:
    return replace(chain, buffers=new[chain.buffers], fill=new[chain.fill], drain=new[chain.drain])


def _rewritten_pipe(pipe: PipeTime, new: Mapping[Expr, Expr]) -> PipeTime:
    return replace(pipe, head=new[pipe.head], cores=tuple(_rewritten_core(c, new) for c in pipe.cores))


def _rewritten_core(core: CoreTime, new: Mapping[Expr, Expr]) -> CoreTime:
    nodes = tuple(NodeTime(node=n.node, ticks=new[n.ticks], full=new[n.full], tail=new[n.tail]) for n in core.nodes)
    return CoreTime(ticks=new[core.ticks], nodes=nodes, fulls=new[core.fulls], tails=new[core.tails])
