"""docs/ablation.md: what `python -m benchmarks.ablation --write` measured, and what each technique is worth by it."""

from __future__ import annotations

import platform
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Final

PAGE: Final = Path(__file__).resolve().parents[1] / "docs" / "ablation.md"

SHIPPED: Final = "as shipped"
LEAN_ALWAYS: Final = "lean, always (no work bound)"
"""What the variants whose names begin with `lean` change one thing of."""
AGAIN: Final = "as shipped, a second time"
"""The control: how far its time lies from the first is noise."""
_LEAST_NOISE: Final = 0.05

COLUMNS: Final = ("variant", "median", "p95", "max", "all", "ratio", "not proven")


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One variant on one problem."""

    cpu_ms: float
    proven: bool


def table_rows(runs: Mapping[str, Sequence[Run]]) -> list[tuple[str, ...]]:
    """A row for every variant, in `COLUMNS`; the ratio is to the backend as shipped."""
    return [_row(name, mine, runs[SHIPPED]) for name, mine in runs.items()]


def _row(name: str, mine: Sequence[Run], shipped: Sequence[Run]) -> tuple[str, ...]:
    times = sorted(run.cpu_ms for run in mine)
    return (
        name,
        f"{statistics.median(times):.1f}",
        f"{times[min(len(times) - 1, int(0.95 * len(times)))]:.1f}",
        f"{times[-1]:.1f}",
        f"{sum(times):.0f}",
        f"{_ratio(mine, shipped):.2f}",
        str(_open(mine)),
    )


def page(runs: Mapping[str, Sequence[Run]], options: str) -> str:
    """The page; `options`: those of the command that measured."""
    problems = len(runs[SHIPPED])
    lines = [
        "# What each technique of the CP-SAT backend is worth",
        "",
        f"Written by `python -m benchmarks.ablation {options}`: {problems} problems, a sample of the templates of all benchmark graphs",
        "at all their shapes on ascend910b1, prices `mended`. The variants take turns on every problem. Times are of the processor, ms,",
        f"of a machine that does other work, Python {platform.python_version()}, ortools {version('ortools')}. What stops at the limit",
        "counts with its time and as not proven.",
        "",
        f"| {' | '.join(COLUMNS)} |",
        f"|---|{'---:|' * (len(COLUMNS) - 1)}",
        *(f"| {' | '.join(row)} |" for row in table_rows(runs)),
        "",
        f"A variant that is called *lean …* changes one thing of *{LEAN_ALWAYS}* and is held against it, the others against *{SHIPPED}*.",
        f"*{AGAIN}* took {_ratio(runs[AGAIN], runs[SHIPPED]):.2f} times as long: differences of up to {_noise(runs):.0%} count as noise.",
        "",
        *_verdicts(runs),
    ]
    return "\n".join(lines) + "\n"


def _verdicts(runs: Mapping[str, Sequence[Run]]) -> list[str]:
    noise = _noise(runs)
    verdicts: dict[str, list[str]] = {text: [] for text in _TEXTS}
    for name, mine in runs.items():
        if name not in (SHIPPED, AGAIN):
            base = _base(name)
            text, ratio = _verdict(mine, runs[base], noise), _ratio(mine, runs[base])
            verdicts[text].append(f"- {name}: {ratio:.2f} times as long, {_open(mine)} not proven where {base} leaves {_open(runs[base])}")
    return [line for text, found in verdicts.items() for line in (f"## {text}", "", *(found or ["- none"]), "")][:-1]


_WORTH: Final = "Worth its place: changed, the solver is slower or proves less"
_ALIKE: Final = "Worth nothing on these problems: changed, nothing is slower and all that was proven is"
_LOSS: Final = "Better changed, on these problems"
_TEXTS: Final = (_WORTH, _ALIKE, _LOSS)


def _verdict(mine: Sequence[Run], base: Sequence[Run], noise: float) -> str:
    ratio = _ratio(mine, base)
    if _open(mine) > _open(base) or (ratio > 1 + noise and _open(mine) == _open(base)):
        return _WORTH
    return _LOSS if _open(mine) < _open(base) or ratio < 1 - noise else _ALIKE


def _noise(runs: Mapping[str, Sequence[Run]]) -> float:
    return max(_LEAST_NOISE, abs(_ratio(runs[AGAIN], runs[SHIPPED]) - 1))


def _ratio(mine: Sequence[Run], base: Sequence[Run]) -> float:
    return _all_ms(mine) / _all_ms(base)


def _base(name: str) -> str:
    return LEAN_ALWAYS if name.startswith("lean") and name != LEAN_ALWAYS else SHIPPED


def _all_ms(runs: Sequence[Run]) -> float:
    return sum(run.cpu_ms for run in runs)


def _open(runs: Sequence[Run]) -> int:
    return sum(not run.proven for run in runs)
