"""What the reference's tables tell the axis-sorting heuristic and its choice among templates (att_facts §1.6, §4.2)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from att.ir.graph import ImplGraph
from att.ops.rows import constant
from hwmodels.model import Chip

PPM = 1_000_000
"""Shares of UB and cores are whole parts per million."""
_TICKS_PER_CYCLE = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Trade:
    """UB given up for cores: tiles shrink until enough cores work, but not below a share of UB."""

    ub_ppm: int
    """Tiles that decide the number of cores fill more than this share of UB, parts per million."""
    cores_ppm: int
    """Share of the cores that should work, parts per million."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Settings of the heuristic for one template on one chip."""

    trade: Trade | None = None
    """None: UB first."""
    shares_by_time: bool = True
    """Whether a core gets a smaller share only while the time falls, not merely while there are cores."""
    cache_line: bool = False
    """Whether the trade-off keeps transfers at least a cache line long."""
    ub_effect_ppm: int = 0
    """Share of UB below which a tiling of another template is preferred, parts per million."""
    time_effect_ticks: int = 0
    """Difference in time that decides between templates whatever their use of UB, ticks."""


def policy_of(graphs: Iterable[ImplGraph], chip: Chip) -> Policy:
    """The settings that the chip's tables give for a template; heavy ops have their own (att_facts §1.6)."""
    heavy = any(node.op in chip.heavy_ops for graph in graphs for node in graph.nodes)
    prefix = "heavy_" if heavy else ""
    return Policy(
        trade=_trade(chip, prefix),
        shares_by_time=bool(constant(chip, f"{prefix}block_loop_autotune")),
        cache_line=bool(constant(chip, "cache_line_check")),
        ub_effect_ppm=_ppm(constant(chip, "ub_utilisation_effective")),
        time_effect_ticks=int(constant(chip, "perf_effective_cycles") * _TICKS_PER_CYCLE),
    )


def _trade(chip: Chip, prefix: str) -> Trade | None:
    if not constant(chip, f"{prefix}trade_off"):
        return None
    return Trade(
        ub_ppm=_ppm(constant(chip, f"{prefix}trade_off_ub_ratio")), cores_ppm=_ppm(constant(chip, f"{prefix}trade_off_core_ratio"))
    )


def _ppm(share: Fraction) -> int:
    return int(share * PPM)
