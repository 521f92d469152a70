"""The integer model of a template: variables, constraints with their origin, pipe formulas; as text or JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from att.expr.text import to_text
from att.model.tiling import Chain, Constraint, Divides, Leq, Makespan, Member, PipeTime, Problem, TilingModel, Var, VarRole

_TABLE = re.compile(r"\[(-?\d+), -?\d+, (?:-?\d+, ){2,}(-?\d+)\]")
"""The table of a Lookup with many entries."""


def model_text(model: TilingModel) -> str:
    """The model for a person, one line a statement; long tables show their first and last entry only."""
    return "\n".join(_TABLE.sub(_shortened, line) for line in _text_lines(model)) + "\n"


def _shortened(table: re.Match[str]) -> str:
    return f"[{table[1]} … {table[2]}: {table[0].count(',') + 1} entries]"


def _text_lines(model: TilingModel) -> Iterator[str]:
    yield f"Model of template {model.template} (tiling key {model.tiling_key}) on {model.chip}, cost {model.cost.value}"
    yield f"UB a kernel may use: {model.ub_capacity_bytes:,} B"
    if isinstance(model, Problem):
        yield "Shape: " + (", ".join(f"{name}={value}" for name, value in model.shape.items()) or "static")
    for size in model.sizes:
        yield f"Size {size.name}: {size.minimum} … {size.maximum}, multiple of {size.multiple_of}"
    yield ""
    yield "Variables"
    for var in model.variables:
        yield f"  {_domain(var)}: {_meaning(var)}, at most {to_text(var.upper)}, heuristic order {var.rank}"
    yield ""
    yield "Constraints"
    for constraint in model.constraints:
        yield f"  {_statement(constraint)}"
        yield f"      {constraint.origin.family} of {constraint.origin.subject}: {constraint.origin.text}"
    for number, phase in enumerate(model.phases, start=1):
        yield ""
        yield from _phase_lines(phase, f"Phase {number} of {len(model.phases)}")
    yield ""
    slowest = "chains (fill + pipes + drain)" if any(phase.chains for phase in model.phases) else "pipes"
    yield f"Minimise the sum over phases of launch + max over {slowest}, in ticks of 10^-6 cycle; then, in this order:"
    for expression in model.tie_break:
        yield f"  {to_text(expression)}"
    if model.estimated_ops:
        yield ""
        yield f"Estimated cost: {', '.join(model.estimated_ops)}"


def _meaning(var: Var) -> str:
    return f"buffers of each of {var.axis}" if var.role is VarRole.BUFFER else f"{var.role.value} size of {var.axis}"


def _domain(var: Var) -> str:
    low, high, multiple = var.symbol.domain
    steps = f" in steps of {multiple}" if multiple > 1 else ""
    return f"{var.name} in {low} … {high}{steps}"


def _statement(constraint: Constraint) -> str:
    match constraint:
        case Leq(lhs=lhs, rhs=rhs, unit=unit):
            return f"{to_text(lhs)} <= {to_text(rhs)}" + (f"  [{unit}]" if unit else "")
        case Divides(divisor=divisor, dividend=dividend):
            return f"{to_text(divisor)} divides {to_text(dividend)}"
        case Member(var=var, values=values):
            return f"{var} in {{{', '.join(map(str, values))}}}"


def _phase_lines(phase: Makespan, title: str) -> Iterator[str]:
    yield title
    yield f"  block_dim = {to_text(phase.block_dim)}"
    yield f"  ub_bytes  = {to_text(phase.ub_bytes)}"
    yield f"  launch    = {to_text(phase.launch)}"
    for pipe in phase.pipes:
        yield from _pipe_lines(pipe)
    for chain in phase.chains:
        yield from _chain_lines(chain)


def _pipe_lines(pipe: PipeTime) -> Iterator[str]:
    yield f"  {pipe.pipe.value} = head + the larger of the first and the last core"
    yield f"    head: {to_text(pipe.head)}"
    for name, core in zip(("first core", "last core"), pipe.cores, strict=False):
        for node in core.nodes:
            yield f"    {name}, {node.node}: {to_text(core.ticks_of(node))}"


def _chain_lines(chain: Chain) -> Iterator[str]:
    names = " + ".join(pipe.value for pipe in chain.pipes)
    where = f", if {to_text(chain.buffers)} is 1" if len(chain.pipes) > 1 else ""
    yield f"  chain {names} = fill + {names} + drain{where}"
    yield f"    fill: {to_text(chain.fill)}"
    yield f"    drain: {to_text(chain.drain)}"


def _entry(model: TilingModel) -> dict[str, object]:
    return {
        "template": model.template,
        "tiling_key": model.tiling_key,
        "chip": model.chip,
        "cost": model.cost.value,
        "ub_capacity_bytes": model.ub_capacity_bytes,
        "shape": dict(sorted(model.shape.items())) if isinstance(model, Problem) else None,
        "sizes": [{"name": s.name, "min": s.minimum, "max": s.maximum, "multiple_of": s.multiple_of} for s in model.sizes],
        "variables": [_variable_entry(var) for var in model.variables],
        "constraints": [_constraint_entry(c) for c in model.constraints],
        "phases": [_phase_entry(phase) for phase in model.phases],
        "tie_break": [to_text(e) for e in model.tie_break],
        "workspace_bytes": to_text(model.workspace_bytes),
        "estimated_ops": list(model.estimated_ops),
    }


def _variable_entry(var: Var) -> dict[str, object]:
    low, high, multiple = var.symbol.domain
    domain = {"lower": low, "upper": high, "multiple_of": multiple}
    return {"name": var.name, "role": var.role.value, "axis": var.axis, **domain, "bound": to_text(var.upper), "rank": var.rank}


def _constraint_entry(constraint: Constraint) -> dict[str, object]:
    origin = {"family": constraint.origin.family, "subject": constraint.origin.subject, "text": constraint.origin.text}
    match constraint:
        case Leq(lhs=lhs, rhs=rhs, unit=unit):
            return {"kind": "leq", "lhs": to_text(lhs), "rhs": to_text(rhs), "unit": unit, "origin": origin}
        case Divides(divisor=divisor, dividend=dividend):
            return {"kind": "divides", "divisor": to_text(divisor), "dividend": to_text(dividend), "origin": origin}
        case Member(var=var, values=values):
            return {"kind": "member", "var": var, "values": list(values), "origin": origin}


def _phase_entry(phase: Makespan) -> dict[str, object]:
    chains = {"chains": [_chain_entry(chain) for chain in phase.chains]} if phase.chains else {}
    return {
        "launch": to_text(phase.launch),
        "block_dim": to_text(phase.block_dim),
        "ub_bytes": to_text(phase.ub_bytes),
        "pipes": {
            pipe.pipe.value: {
                "head": to_text(pipe.head),
                "cores": [[{"node": n.node, "ticks": to_text(core.ticks_of(n))} for n in core.nodes] for core in pipe.cores],
            }
            for pipe in phase.pipes
        },
        **chains,
    }


def _chain_entry(chain: Chain) -> dict[str, object]:
    texts = {"buffers": to_text(chain.buffers), "fill": to_text(chain.fill), "drain": to_text(chain.drain)}
    return {"pipes": [pipe.value for pipe in chain.pipes], **texts}


def models_json(models: Iterable[TilingModel]) -> str:
    """Several models as one JSON document."""
    return json.dumps({"format": "models", "version": 1, "models": [_entry(m) for m in models]}, indent=2, ensure_ascii=False) + "\n"
