"""A proof at a glance: each claim with its verdict, what refutes it or what is left open, and the work it took."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType

from att.report.console import NONE, assignments_text, heading, microseconds_text, pairs, table
from att.verify.proof import Claim, Proof

_SHOWN_CASES = 10
"""Open cases that a table shows; JSON has all."""


def proof_tables(proof: Proof, clock_mhz: int) -> RenderableType:
    """The whole report of a proof."""
    shape = assignments_text(proof.shape.items()) if proof.shape else "static"
    title = heading(f"{proof.graph} on {proof.chip}, shape {shape}, cost {proof.cost}")
    parts: list[RenderableType] = [title, "", _summary(proof, clock_mhz)]
    for claim in proof.claims:
        parts += ["", heading(f"{claim.claim}: {claim.status}"), claim.text, *_effort(claim)]
        if claim.open_cases:
            parts += ["", _open(claim)]
    trusted = f"Trusted: {'; '.join(proof.trusted)}."
    return Group(*parts, "", trusted, "Times are modelled, not measured: what is proved is proved of the model.")


def _summary(proof: Proof, clock_mhz: int) -> RenderableType:
    return pairs([
        ("template", proof.template or NONE),
        ("makespan", f"{microseconds_text(proof.makespan_ticks, clock_mhz)} µs modelled"),
        ("status", proof.status),
    ])  # fmt: skip


def _effort(claim: Claim) -> list[RenderableType]:
    work = [f"{amount:,} {name.replace('_', ' ')}" for name, amount in claim.effort.items()]
    return [f"({', '.join(work)})"] if work else []


def _open(claim: Claim) -> RenderableType:
    title = f"Open cases ({min(len(claim.open_cases), _SHOWN_CASES)} of {len(claim.open_cases)})"
    return table(title, ("case",), _open_rows(claim))


def _open_rows(claim: Claim) -> Iterator[tuple[str]]:
    for case in claim.open_cases[:_SHOWN_CASES]:
        yield (" ".join(f"{name}={lo}" if lo == hi else f"{name}={lo}..{hi}" for name, (lo, hi) in case.items()),)
