"""Fixed costs of a kernel: the head of each pipe and the launch of its cores (att_facts §3.1, §3.2)."""

from __future__ import annotations

from att.expr.choice import where
from att.expr.compare import lt
from att.expr.core import Expr
from att.ops.call import CostSet, Pipe
from att.ops.price import Cycles, cycles
from att.ops.rows import constant
from att.ops.spec import Costs


def pipe_head(pipe: Pipe, block_dim: Expr, mte2_tile_bytes: Expr, costs: Costs) -> Expr:
    """Ticks a pipe costs once per core if it does anything; `mte2_tile_bytes` is the largest Load of one call.

    `published`: MTE2 always starts like a transfer of small blocks, as the running reference does for its Data nodes carry no repeats; V2
    charges VEC the MTE2 head (att_facts §5.1 no. 19). `mended`: MTE2 by bytes, which can only rise with the tile; VEC its own head. V2's
    threshold is meant for a row; a tile has at least one.
    """
    published = costs.cost_set is CostSet.PUBLISHED
    match pipe:
        case Pipe.MTE3:
            return cycles(constant(costs.chip, "mte3_head_cycles")).ticks
        case Pipe.VEC if not (published and costs.chip.cost_table == "v2"):
            return cycles(constant(costs.chip, "vec_head_cycles")).ticks
        case _:
            small = _mte2_head("small", block_dim, costs).ticks
            if published:
                return small
            threshold = int(constant(costs.chip, "mte2_head_threshold_bytes"))
            return where(lt(mte2_tile_bytes, threshold), small, _mte2_head("normal", block_dim, costs).ticks)


def launch_ticks(block_dim: Expr, costs: Costs) -> Expr:
    """Ticks of starting so many cores."""
    return cycles(constant(costs.chip, "launch_cycles_per_core"), block_dim).ticks


def _mte2_head(kind: str, block_dim: Expr, costs: Costs) -> Cycles:
    per_core = constant(costs.chip, f"mte2_head_{kind}_cycles_per_core")
    return cycles(per_core, block_dim) + cycles(constant(costs.chip, f"mte2_head_{kind}_cycles"))
