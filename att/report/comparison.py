"""The comparison of solvers: rows, a summary per solver, JSON, CSV and a pandas table. The only file that imports pandas."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import msgspec

from att.verify.rows import BUG, Answers, ComparisonRow, disagreements

if TYPE_CHECKING:
    import pandas as pd


class SolverSummary(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How one solver did over all its rows. Gaps are to the proven optimum, over the rows where both are known."""

    count: int
    optimal: int
    """Rows with a proof of optimality, or at the proven optimum."""
    median_gap: float | None
    p95_gap: float | None
    max_gap: float | None
    median_wall_ms: float
    p95_wall_ms: float


class _Document(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    format: Literal["comparison"]
    version: Literal[1]
    rows: tuple[ComparisonRow, ...]
    summary: dict[str, SolverSummary]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Every solver on every template and shape."""

    problems: tuple[Answers, ...]

    @property
    def rows(self) -> tuple[ComparisonRow, ...]:
        """A row per problem and solver."""
        return tuple(row for answers in self.problems for row in answers)

    @property
    def summary(self) -> dict[str, SolverSummary]:
        """How each solver did, in the order of first appearance."""
        solvers = dict.fromkeys(row.solver for row in self.rows)
        return {solver: _summarise([row for row in self.rows if row.solver == solver]) for solver in solvers}

    def worst(self, solver: str, number: int = 3) -> tuple[ComparisonRow, ...]:
        """The graphs where a solver is furthest from the proven optimum, each with its worst row, the worst first.

        A graph where it finds nothing although there is a tiling comes before all others. Graphs without a loss are left out.
        """
        lost = [row for row in self.rows if row.solver == solver and row.reason is not None]
        ordered = sorted(lost, key=lambda row: (row.gap_to_best is not None, -(row.gap_to_best or 0.0)))
        by_graph: dict[str, ComparisonRow] = {}
        for row in ordered:
            by_graph.setdefault(row.graph, row)
        return tuple(by_graph.values())[:number]

    @property
    def disagreements(self) -> tuple[str, ...]:
        """A sentence for every two answers that cannot both be right."""
        return tuple(sentence for answers in self.problems for sentence in disagreements(answers))

    @property
    def bugs(self) -> tuple[str, ...]:
        """A sentence for every row whose solver failed for a reason of its own."""
        return tuple(
            f"{row.graph}, template {row.template}, shape {dict(row.shape)}, solver {row.solver}: {row.reason}"
            for row in self.rows
            if row.status == BUG
        )

    def to_json(self) -> str:
        """The comparison as indented JSON with a final newline."""
        document = _Document(format="comparison", version=1, rows=self.rows, summary=self.summary)
        return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"

    def to_csv(self) -> str:
        """The rows as CSV with a header line; shapes and variables as JSON objects."""
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        fields = ComparisonRow.__struct_fields__
        writer.writerow(fields)
        for row in self.rows:
            writer.writerow([_csv_cell(getattr(row, field)) for field in fields])
        return stream.getvalue()

    def to_pandas(self) -> pd.DataFrame:
        """The rows as a table with one column per field; nullable integers where a value may be missing."""
        import pandas as pd

        fields = ComparisonRow.__struct_fields__
        table = pd.DataFrame([[getattr(row, field) for field in fields] for row in self.rows], columns=list(fields))
        integers = dict.fromkeys(("makespan_ticks", "bound_ticks", "block_dim", "ub_bytes"), "Int64")
        return table.astype({**integers, "gap_to_best": "float64", "wall_ms": "float64"})  # pyright: ignore[reportUnknownMemberType]


def _csv_cell(value: object) -> object:
    return json.dumps(value, sort_keys=True) if isinstance(value, dict) else value


def _summarise(rows: Sequence[ComparisonRow]) -> SolverSummary:
    gaps = sorted(row.gap_to_best for row in rows if row.gap_to_best is not None)
    walls = sorted(row.wall_ms for row in rows)
    return SolverSummary(
        count=len(rows),
        optimal=sum(row.status == "OPTIMAL" or row.gap_to_best == 0 for row in rows),
        median_gap=quantile(gaps, 50),
        p95_gap=quantile(gaps, 95),
        max_gap=gaps[-1] if gaps else None,
        median_wall_ms=quantile(walls, 50) or 0.0,
        p95_wall_ms=quantile(walls, 95) or 0.0,
    )


def quantile(ordered: Sequence[float], percent: int) -> float | None:
    """The smallest value that at least `percent` of the ordered values do not exceed; None of none."""
    if not ordered:
        return None
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]
