"""The integer model of a template as a LaTeX program, its formulas simplified for a reader."""

from __future__ import annotations

from collections.abc import Iterator

from att.expr.sympy_bridge import latex
from att.model.tiling import Constraint, Divides, Leq, Makespan, Member, PipeTime, TilingModel, Var


def model_latex(model: TilingModel) -> str:
    """One `align*` block: goal, constraints with their family and subject, pipe times, domains."""
    heading = f"% template {model.template} on {model.chip}, cost {model.cost.value}, times in ticks of 10^-6 cycle"
    return "\n".join((heading, r"\begin{align*}", *_lines(model), r"\end{align*}")) + "\n"


def _lines(model: TilingModel) -> Iterator[str]:
    yield rf"\min\quad & {' + '.join(_phase(number, phase) for number, phase in enumerate(model.phases, start=1))} \\"
    yield r"\text{subject to}\quad"
    for constraint in model.constraints:
        yield rf"& {_statement(constraint)} && \text{{{_plain(constraint.origin.family)}: {_plain(constraint.origin.subject)}}} \\"
    for number, phase in enumerate(model.phases, start=1):
        for pipe in phase.pipes:
            yield rf"& {_pipe_symbol(number, pipe)} = {latex(pipe.total)} \\"
    for var in model.variables:
        yield rf"& {_domain(var)} \\"


def _phase(number: int, phase: Makespan) -> str:
    pipes = ", ".join(_pipe_symbol(number, pipe) for pipe in phase.pipes)
    return rf"\left({latex(phase.launch)} + \max({pipes})\right)"


def _pipe_symbol(number: int, pipe: PipeTime) -> str:
    return rf"M_{{{number},\mathrm{{{pipe.pipe.value}}}}}"


def _statement(constraint: Constraint) -> str:
    match constraint:
        case Leq(lhs=lhs, rhs=rhs):
            return rf"{latex(lhs)} \le {latex(rhs)}"
        case Divides(divisor=divisor, dividend=dividend):
            return rf"{latex(divisor)} \mid {latex(dividend)}"
        case Member(var=var, values=values):
            return rf"\text{{{_plain(var)}}} \in \{{{', '.join(map(str, values))}\}}"


def _domain(var: Var) -> str:
    low, high, multiple = var.symbol.domain
    inside = rf"{latex(var.symbol)} \in [{low}, {high}]"
    return rf"{inside},\ {multiple} \mid {latex(var.symbol)}" if multiple > 1 else inside


def _plain(text: str) -> str:
    return "".join(rf"\{char}" if char in "_&%$#{}" else char for char in text)
