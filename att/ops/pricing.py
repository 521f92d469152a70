"""Which formula prices an op, and which sizes its temporary memory: by cost set and by the table a chip follows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from att.errors import ChipError
from att.expr.core import integer
from att.ops.call import Call, CostSet
from att.ops.price import Price
from att.ops.published_vector import one_cycle
from att.ops.spec import Costs, PriceRule, TmpBuffer, TmpRule

FREE = Price(integer(0))


def no_price(call: Call, costs: Costs) -> Price:
    """Structural ops make no call."""
    del call, costs
    return FREE


def no_tmp(call: Call, costs: Costs) -> tuple[TmpBuffer, ...]:
    """No temporary memory."""
    del call, costs
    return ()


def priced(*, published_v1: PriceRule, published_v2: PriceRule, mended_v1: PriceRule, mended_v2: PriceRule) -> PriceRule:
    """The rule of a table in a cost set. Ops without a published formula cost one cycle there, as in the reference."""
    rules = _by_set(published_v1, published_v2, mended_v1, mended_v2)

    def rule(call: Call, costs: Costs) -> Price:
        if costs.cost_set is CostSet.PUBLISHED and call.op in costs.chip.placeholder_ops:
            return one_cycle(call, costs)
        return _chosen(rules, costs)(call, costs)

    return rule


@dataclass(frozen=True, slots=True)
class Requested:
    """A rule for temporary memory that depends on the cost set and the table."""

    rules: Mapping[tuple[CostSet, str], TmpRule]

    def __call__(self, call: Call, costs: Costs) -> tuple[TmpBuffer, ...]:
        """What one call needs."""
        return _chosen(self.rules, costs)(call, costs)


def requests_none(rule: TmpRule, costs: Costs) -> bool:
    """Whether a rule grants nothing whatever the call, so that nobody has to make the call to ask."""
    return (_chosen(rule.rules, costs) if isinstance(rule, Requested) else rule) is no_tmp


def requested(*, published_v1: TmpRule, published_v2: TmpRule, mended_v1: TmpRule, mended_v2: TmpRule = no_tmp) -> TmpRule:
    """The temporary memory of a table in a cost set. V2's register instructions need none, so `mended_v2` is rarely given."""
    return Requested(_by_set(published_v1, published_v2, mended_v1, mended_v2))


R = TypeVar("R")


def _by_set(published_v1: R, published_v2: R, mended_v1: R, mended_v2: R) -> dict[tuple[CostSet, str], R]:
    return {
        (CostSet.PUBLISHED, "v1"): published_v1,
        (CostSet.PUBLISHED, "v2"): published_v2,
        (CostSet.MENDED, "v1"): mended_v1,
        (CostSet.MENDED, "v2"): mended_v2,
    }


def _chosen(rules: Mapping[tuple[CostSet, str], R], costs: Costs) -> R:
    chosen = rules.get((costs.cost_set, costs.chip.cost_table))
    if chosen is None:
        raise ChipError(
            f"no {costs.cost_set} formulas for the table {costs.chip.cost_table}",
            where=f"chip {costs.chip.name}",
            hint="tables are v1 and v2",
        )
    return chosen
