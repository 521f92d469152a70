"""The numbers of design §9 from measurements: counts, quantiles, what is not as it must be."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from typing import Final

from benchmarks.measure import Measurement

_LAST_PERCENT: Final = 0.99


def faults(row: Measurement) -> Iterator[str]:
    """What design §9 does not allow: no proof, exact solvers that differ, a heuristic that finds nothing where a tiling exists."""
    if row.status not in ("OPTIMAL", "INFEASIBLE"):
        yield f"cpsat says {row.status}"
    if row.same_tiling is None:
        yield f"enumerate says {row.enumerate_status}"
    if row.same_tiling is False:
        yield "cpsat and enumerate differ"
    if row.optimum_ticks is not None and row.heuristic_ticks is None:
        yield "axis_sort finds nothing"


def by_graph(rows: Sequence[Measurement]) -> dict[str, list[Measurement]]:
    """Measurements of all shapes of a graph, by its name."""
    found: dict[str, list[Measurement]] = {}
    for row in rows:
        found.setdefault(row.graph, []).append(row)
    return found


def summarise(rows: Sequence[Measurement], plans_ms: Sequence[float], shell: dict[str, float]) -> dict[str, float]:
    """The numbers of design §9."""
    solved = [r for r in rows if r.status != "INFEASIBLE"]
    gaps = sorted(r.gap for r in solved if r.gap is not None)
    finished = [r for r in rows if r.same_tiling is not None]
    return {
        "templates": len(rows),
        "templates_infeasible": len(rows) - len(solved),
        "templates_not_optimal": sum(r.status != "OPTIMAL" for r in solved),
        "enumerate_finished": len(finished),
        "enumerate_unfinished": len(rows) - len(finished),
        "heuristic_finds_nothing": sum(r.optimum_ticks is not None and r.heuristic_ticks is None for r in rows),
        "exact_disagreements": sum(r.same_tiling is False for r in rows),
        "cpsat_median_ms": median([r.cpsat_total_ms for r in rows]),
        "cpsat_p99_ms": quantile([r.cpsat_total_ms for r in rows], _LAST_PERCENT),
        "enumerate_median_ms": median([r.enumerate_ms for r in rows]),
        "enumerate_p99_ms": quantile([r.enumerate_ms for r in rows], _LAST_PERCENT),
        "heuristic_median_ms": median([r.heuristic_ms for r in rows]),
        "model_median_ms": median([r.model_ms for r in rows]),
        "plan_median_ms": median(plans_ms),
        "plan_max_ms": round(max(plans_ms, default=0.0), 1),
        "heuristic_optimal_fraction": round(sum(g == 0 for g in gaps) / max(1, len(gaps)), 3),
        "heuristic_gap_median_percent": round(100 * quantile(gaps, 0.5), 3),
        "heuristic_gap_p95_percent": round(100 * quantile(gaps, 0.95), 3),
        "heuristic_gap_max_percent": round(100 * max(gaps, default=0.0), 3),
        **shell,
    }


def median(values: Sequence[float]) -> float:
    """Rounded to hundredths; 0 of nothing."""
    return round(statistics.median(values), 2) if values else 0.0


def quantile(values: Sequence[float], fraction: float) -> float:
    """The value that a fraction of all do not exceed; 0 of nothing."""
    ordered = sorted(values)
    return round(ordered[min(len(ordered) - 1, int(fraction * len(ordered)))], 5) if ordered else 0.0
