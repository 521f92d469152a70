"""docs/ablation.md: how measurements become a table and verdicts, and that the page is of the variants there are."""

from __future__ import annotations

from benchmarks.ablation import NO_START, VARIANTS
from benchmarks.ablation_page import AGAIN, LEAN_ALWAYS, PAGE, SHIPPED, Run, page


def _runs(ms: float, *, open_problems: int = 0) -> list[Run]:
    return [Run(cpu_ms=ms, proven=n >= open_problems) for n in range(4)]


def _section(text: str, title: str) -> str:
    return next(part for part in text.split("\n## ") if part.startswith(title))


RUNS = {
    SHIPPED: _runs(10),
    AGAIN: _runs(10.2),
    LEAN_ALWAYS: _runs(40),
    "lean without a hint": _runs(41),
    "lean without work cuts": _runs(50),
    "lean, probing level 2": _runs(30),
    "lean, CP-SAT's own branching": _runs(20, open_problems=1),
}


def test_every_technique_is_held_against_what_it_changes() -> None:
    text = page(RUNS, "--every 2 --limit 2 --write")
    worth, alike, better = (_section(text, title) for title in ("Worth its place", "Worth nothing", "Better changed"))
    assert "lean without work cuts: 1.25 times as long, 0 not proven where" in worth
    assert "own branching: 0.50 times as long, 1 not proven" in worth, "a proof less is worse, however fast"
    assert f"{LEAN_ALWAYS}: 4.00 times as long" in worth
    assert "lean without a hint: 1.02" in alike
    assert "lean, probing level 2: 0.75" in better
    assert "| lean without a hint | 41.0 | 41.0 | 41.0 | 164 | 4.10 | 0 |" in text


def test_a_noisy_machine_is_believed_less() -> None:
    text = page({**RUNS, AGAIN: _runs(13)}, "--every 2 --limit 2 --write")
    assert "took 1.30 times as long: differences of up to 30% count as noise" in text
    assert "lean without work cuts: 1.25" in _section(text, "Worth nothing")


def test_the_page_shows_every_variant() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name in (*VARIANTS, NO_START, AGAIN):
        assert f"| {name} | " in text, "run python -m benchmarks.ablation --every 7 --limit 1 --write"
