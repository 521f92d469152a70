"""The integer model of a template as a LaTeX program, its formulas simplified for a reader."""

from __future__ import annotations

from collections.abc import Iterator

from att.expr.sympy_bridge import latex
from att.model.tiling import Chain, Constraint, Divides, Leq, Makespan, Member, TilingModel, Var
from att.ops.call import Pipe


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
            yield rf"& {_pipe_symbol(number, pipe.pipe)} = {latex(pipe.total)} \\"
        for chain in phase.chains:
            yield rf"& {_chain_symbol(number, chain)} = {_chain(number, chain)} \\"
    for var in model.variables:
        yield rf"& {_domain(var)} \\"


def _phase(number: int, phase: Makespan) -> str:
    pipes = [_pipe_symbol(number, pipe.pipe) for pipe in phase.pipes]
    parts = [_chain_symbol(number, chain) for chain in phase.chains] or pipes
    return rf"\left({latex(phase.launch)} + \max({', '.join(parts)})\right)"


def _pipe_symbol(number: int, pipe: Pipe) -> str:
    return rf"M_{{{number},\mathrm{{{pipe.value}}}}}"


def _chain_symbol(number: int, chain: Chain) -> str:
    return rf"C_{{{number},\mathrm{{{'+'.join(pipe.value for pipe in chain.pipes)}}}}}"


def _chain(number: int, chain: Chain) -> str:
    """Fill, pipes and drain; where two pipes overlap it is 0."""
    pipes = " + ".join(_pipe_symbol(number, pipe) for pipe in chain.pipes)
    total = f"{latex(chain.fill)} + {pipes} + {latex(chain.drain)}"
    return total if len(chain.pipes) == 1 else rf"\left({total}\right)\,[{latex(chain.buffers)} = 1]"


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
