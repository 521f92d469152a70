"""The reference's choice among templates: small differences in time do not count (att_facts.md §1.6). For comparisons, not for use.

    time differs by more than P                 the faster one
    only one uses at least a share U of UB      that one
    both use less, not equally                  the one that uses more
    otherwise                                   the faster one, the first of equals

The rule is not transitive, so the result depends on the order of the templates (att_facts §5.3 no. 71).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from att.model.policy import Policy


class Offer(NamedTuple):
    """What the rule sees of a template's tiling."""

    ticks: int
    ub_ppm: int
    """Share of UB in use, parts per million."""


def reference_choice(offers: Sequence[Offer], policy: Policy) -> int | None:
    """Position of the offer that is left when each in turn is set against the one kept so far; None if there is none."""
    kept: int | None = None
    for place, offer in enumerate(offers):
        if kept is None or _is_taken(offers[kept], offer, policy):
            kept = place
    return kept


def _is_taken(kept: Offer, candidate: Offer, policy: Policy) -> bool:
    slower_ticks = candidate.ticks - kept.ticks
    if abs(slower_ticks) > policy.time_effect_ticks:
        return slower_ticks < 0
    low, candidate_low = kept.ub_ppm < policy.ub_effect_ppm, candidate.ub_ppm < policy.ub_effect_ppm
    if low != candidate_low:
        return low
    if low and kept.ub_ppm != candidate.ub_ppm:
        return candidate.ub_ppm > kept.ub_ppm
    return slower_ticks < 0
