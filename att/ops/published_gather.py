"""A Gather as the reference prices it, faults included (att_facts §3.7, §5.1 no. 9).

There a Gather reads table and indices from GM itself: its table is charged twice, its indices never, and the cast of the indices counts the
elements of the table. V2 uses the same formula with its own rows (att_facts §3.8).
"""

from __future__ import annotations

from dataclasses import replace

from att.expr.core import mul
from att.ops.call import Call, View
from att.ops.extents import ONE, count
from att.ops.gathers import OFFSET
from att.ops.price import Price
from att.ops.published_dma import load_v1, load_v2
from att.ops.rows import vector
from att.ops.spec import Costs, PriceRule


def picks(call: Call, costs: Costs) -> Price:
    """The vector part: `Cast(n_params) + Muls(n_idx) + Gather(n_idx)`."""
    params, indices = call.inputs
    amount = vector(costs, "Muls", OFFSET, count(indices)) + vector(costs, "Gather", params.dtype, count(indices))
    if indices.dtype is not OFFSET:
        amount = amount + vector(costs, "Cast", indices.dtype, count(params), target=OFFSET)
    return Price.of(amount)


def reads_v1(call: Call, costs: Costs) -> Price:
    """The transfer part: two Loads of the whole table."""
    return _twice(load_v1, call, costs)


def reads_v2(call: Call, costs: Costs) -> Price:
    """The same with the rows of V2."""
    return _twice(load_v2, call, costs)


def _twice(load: PriceRule, call: Call, costs: Costs) -> Price:
    params = call.inputs[0]
    flat = View(dtype=params.dtype, dims=(count(params),), ub_strides=(ONE,), gm_strides=(ONE,))
    once = load(replace(call, op="Load", inputs=(), output=flat), costs)
    return Price(mul(2, once.ticks), once.estimated)
