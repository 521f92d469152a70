"""What the heuristic of a run-time compiler did differently from the optimum, and what it cost."""

from __future__ import annotations

from collections.abc import Iterator

from att.ops.call import Pipe
from att.reasons.document import Difference, Rival
from att.solve.plan import Plan

HEURISTIC = "axis_sort"


def rival(best: Plan, other: Plan) -> Rival:
    """The heuristic's plan beside the best one."""
    differences = tuple(_differences(best, other))
    gap = None
    if best.makespan_ticks and other.makespan_ticks is not None:
        gap = (other.makespan_ticks - best.makespan_ticks) / best.makespan_ticks
    return Rival(
        solver=HEURISTIC,
        template=other.template,
        variables=other.variables,
        makespan_ticks=other.makespan_ticks,
        gap=gap,
        differences=differences,
        text=_sentence(differences, gap),
    )


def _differences(best: Plan, other: Plan) -> Iterator[Difference]:
    """Template and variables first, then what follows from them."""
    if other.template is None:
        return
    pairs: list[tuple[str, int | str | None, int | str | None]] = [("template", best.template, other.template)]
    ours, theirs = best.variables or {}, other.variables or {}
    pairs += [(name, ours.get(name), theirs.get(name)) for name in sorted({*ours, *theirs})]
    pairs += [("cores", best.block_dim, other.block_dim), ("UB bytes", best.ub_bytes, other.ub_bytes)]
    pairs += [("launch ticks", best.launch_ticks, other.launch_ticks)]
    if best.pipes is not None and other.pipes is not None:
        pairs += [(f"{pipe.value} ticks", best.pipes.of(pipe), other.pipes.of(pipe)) for pipe in Pipe]
    pairs += [("slowest pipe", best.bottleneck, other.bottleneck)]
    yield from (Difference(what=what, optimum=a, heuristic=b) for what, a, b in pairs if a != b)


def _sentence(differences: tuple[Difference, ...], gap: float | None) -> str:
    if gap is None:
        return f"{HEURISTIC} finds no legal tiling"
    told = [d for d in differences if not d.what.endswith("ticks") and d.what != "UB bytes"]
    chosen = [d for d in told if None not in (d.optimum, d.heuristic)]
    if not told:
        return f"{HEURISTIC} takes the same tiling"
    made = ", ".join(f"{d.what} {d.heuristic} where {d.optimum} is best" for d in chosen)
    cost = "which is as fast" if not gap else f"which costs {100 * gap:.2f} %"
    return f"{HEURISTIC} takes {made}, {cost}"
