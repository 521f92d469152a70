"""V2 vector calls: register instructions of a recipe (att_facts §3.8).

    cycles = 20 + largest latency + sum over instructions of throughput * times issued

A repeat is one 256-byte vector. `published` sees what the reference sees, mostly the first dim only; `mended` counts all elements
(att_facts §5.1 no. 18). An instruction that the table does not list for a dtype is free in `published`; the chip's estimates fill such gaps
for `mended`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from att.errors import ChipError
from att.expr.choice import maximum, where
from att.expr.compare import eq, le
from att.expr.core import Expr, add, ceil_div, integer, mul
from att.ir.dtype import DType
from att.ops.call import Call, CostSet
from att.ops.extents import ONE, data_view, elements, padded_dims
from att.ops.price import Cycles, Price, choose, cycles
from att.ops.rows import constant
from att.ops.spec import Costs, PriceRule
from hwmodels.model import Chip, Instruction, Recipe, RecipeStep

DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class _Types:
    """What the dtype words of a recipe stand for."""

    source: DType
    target: DType

    def resolve(self, word: str) -> str:
        """`in->float32` with the dtypes put in."""
        return "->".join({"in": self.source.value, "out": self.target.value}.get(part, part) for part in word.split("->"))


def recipe(op: str, *, variant: str = "") -> PriceRule:
    """Price of an op by its recipe; 64-bit operands take the `64bit` variant where there is one, Cast that of its dtype pair."""

    def rule(call: Call, costs: Costs) -> Price:
        return price_of(_recipe_for(op, variant, call, costs), call, costs)

    return rule


def price_of(found: Recipe, call: Call, costs: Costs) -> Price:
    """Price of one call by a recipe."""
    if costs.cost_set is CostSet.MENDED:
        return Price.of(issue(found, call, costs, _units(found, call, costs, _all_elements(call))))
    match found.repeats_over:
        case "first_dim":
            return Price.of(issue(found, call, costs, _units(found, call, costs, _first_dim(call))))
        case "last_two":
            return _last_two(found, call, costs)
        case "cast":
            return _cast(found, call, costs)
        case "tree":
            return Price.of(issue(found, call, costs, _tree(found, call, costs)))
        case _:
            return Price.of(issue(found, call, costs, _units(found, call, costs, mul(1, *padded_dims(data_view(call))))))


def issue(found: Recipe, call: Call, costs: Costs, repeats: Expr) -> Cycles:
    """Head, largest latency and throughputs for so many repeats."""
    types = _Types(data_view(call).dtype, call.output.dtype)
    steps = [(s, i) for s, i in _listed(found.steps, types, costs) if i is not None]
    latency = max((i.latency_cycles for _, i in steps), default=Fraction(0))
    amount = cycles(constant(costs.chip, "vector_function_head_cycles") + latency, estimated=found.estimated)
    inputs = len(call.inputs)
    for step, instruction in steps:
        slope = instruction.throughput_cycles * step.per_repeat
        fixed = instruction.throughput_cycles * (step.fixed + step.per_input * inputs)
        amount = amount + cycles(slope, repeats, estimated=instruction.estimated) + cycles(fixed)
    return amount


def instruction(costs: Costs, name: str, dtype: str) -> Instruction | None:
    """An instruction of the chip; a pair `a->b` also matches a default on either side. None: not listed."""
    return next((i for i in (_usable(costs, name, key) for key in _keys(dtype)) if i is not None), None)


def reduce(op: str) -> PriceRule:
    """`mended` reduce: every input vector is joined and stored once, every result of a reduced last axis takes one cross-lane instruction.

    The reference's exact fold (att_facts §3.9) joins up to 16 vectors before it stores, and in-place folds store each.
    """

    def rule(call: Call, costs: Costs) -> Price:
        source, types = data_view(call), _Types(data_view(call).dtype, data_view(call).dtype)
        wide = source.dtype.bytes == 8
        join = _variant(op, "binary64" if wide and (op, "binary64") in costs.chip.recipes else "binary", costs.chip)
        across = _variant(op, "reduce", costs.chip)
        vectors = ceil_div(elements(source), _lanes(join, call, costs.chip))
        last_reduced = bool(source.dims) and call.output.dims[-1] == ONE and source.dims[-1] != ONE
        rows = mul(1, *call.output.dims) if last_reduced else integer(0)
        store = instruction(costs, "Store", types.source.value)
        stores = cycles(store.throughput_cycles, vectors, estimated=store.estimated) if store else Cycles()
        return Price.of(issue(join, call, costs, vectors) + issue(across, call, costs, rows) + stores + _scale(op, call, costs))

    return rule


def _scale(op: str, call: Call, costs: Costs) -> Cycles:
    """Mean multiplies its sums by 1/n."""
    found = costs.chip.recipes.get((op, "scale"))
    if found is None:
        return Cycles()
    return issue(found, call, costs, ceil_div(elements(call.output), _lanes(found, call, costs.chip)))


def _recipe_for(op: str, variant: str, call: Call, costs: Costs) -> Recipe:
    source = data_view(call).dtype
    if op == "Cast":
        pair = f"{source.value}->{call.output.dtype.value}"
        return costs.chip.recipes.get((op, pair)) or _variant(op, f"{DEFAULT}->{DEFAULT}", costs.chip)
    if source.bytes == 8 and (op, "64bit") in costs.chip.recipes:
        return costs.chip.recipes[op, "64bit"]
    return _variant(op, variant, costs.chip)


def _variant(op: str, variant: str, chip: Chip) -> Recipe:
    found = chip.recipes.get((op, variant))
    if found is None:
        label = f"{op} ({variant})" if variant else op
        raise ChipError(f"no instruction recipe for {label}", where=f"chip {chip.name}", hint="add it to the cost table")
    return found


def _listed(steps: Iterable[RecipeStep], types: _Types, costs: Costs) -> Iterator[tuple[RecipeStep, Instruction | None]]:
    for step in steps:
        if not step.only or types.source.value in step.only:
            yield step, instruction(costs, step.instruction, types.resolve(step.dtype))


def _keys(dtype: str) -> tuple[str, ...]:
    if "->" not in dtype:
        return (dtype,)
    source, target = dtype.split("->")
    return (dtype, f"{source}->{DEFAULT}", f"{DEFAULT}->{target}", f"{DEFAULT}->{DEFAULT}")


def _usable(costs: Costs, name: str, key: str) -> Instruction | None:
    found = costs.chip.instructions.get((name, key))
    return found if found is not None and (found.published or costs.cost_set is not CostSet.PUBLISHED) else None


def _lanes(found: Recipe, call: Call, chip: Chip) -> int:
    source, target = data_view(call).dtype, call.output.dtype
    width = max(source.bytes, target.bytes) if found.op == "Cast" else source.bytes
    return (found.lanes or chip.vector_bytes // width) * found.lanes_factor


def _units(found: Recipe, call: Call, costs: Costs, elems: Expr) -> Expr:
    return ceil_div(elems, _lanes(found, call, costs.chip))


def _all_elements(call: Call) -> Expr:
    return maximum(elements(data_view(call)), elements(call.output))


def _first_dim(call: Call) -> Expr:
    dims = padded_dims(data_view(call))
    return dims[0] if dims else ONE


def _last_two(found: Recipe, call: Call, costs: Costs) -> Price:
    dims = padded_dims(data_view(call)) or (ONE,)
    repeats = _units(found, call, costs, dims[-2:][0])
    return Price.of(issue(found, call, costs, repeats).times(mul(1, *dims[:-2])))


def _cast(found: Recipe, call: Call, costs: Costs) -> Price:
    """One call over everything where both sides lie without gaps, else one per row (att_facts §3.8; recipe note on Cast)."""
    source, target = data_view(call), call.output
    if len(source.dims) != 2:
        return Price.of(issue(found, call, costs, _units(found, call, costs, mul(1, *source.dims))))
    rows, cols = source.dims
    whole = Price.of(issue(found, call, costs, _units(found, call, costs, mul(rows, cols))))
    by_row = Price.of(issue(found, call, costs, _units(found, call, costs, cols)).times(rows))
    if source.ub_strides[0] != target.ub_strides[0] or _same_bits(source.dtype, target.dtype):
        return by_row
    return choose(eq(target.ub_strides[0], cols), whole, by_row)


def _same_bits(source: DType, target: DType) -> bool:
    """Integers of one width: the reference copies them row by row, whatever the layout."""
    return source.bytes == target.bytes and not source.is_float and not target.is_float


def _tree(found: Recipe, call: Call, costs: Costs) -> Expr:
    """Instructions of a pairwise sum over the first dim: levels of one vector, of two, of three."""
    lanes = _lanes(found, call, costs.chip)
    n = _first_dim(call)
    first = ceil_div(n, lanes)
    second = ceil_div(first, lanes)
    return where(le(n, lanes), ONE, where(le(n, lanes * lanes), add(first, 1), add(first, second, 1)))
