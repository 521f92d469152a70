"""ScaledSum: what has accumulated is brought to the exponents of this turn, which are kept for the next one (`att.ops.scaled`)."""

from __future__ import annotations

from codegen.calls.reduce import reduce
from codegen.literals import literal
from codegen.operands import Site


def scaled_sum(site: Site) -> None:
    """The sum of the tile, merged into the sum so far."""
    if site.turn is None or not site.kept:
        raise site.error("no loop accumulates it", "schedule the graph again")
    y, (_, now), n = site.output, site.inputs, site.count()
    before = site.scope.names.fresh(f"{y.text.removesuffix('Local')}Before")
    site.body.line(f"const LocalTensor<{now.cxx_type}> {before} = {site.kept}.ReinterpretCast<{now.cxx_type}>();")
    with site.body.loop(f"if ({site.turn.name} > 0)"):
        site.body.vector(f"Sub({before}, {before}, {now.text}, {n});", reads={before, now.storage}, writes={before})
        site.body.vector(f"Exp({before}, {before}, {n});", reads={before}, writes={before})
        site.body.vector(f"Mul({y.text}, {y.text}, {before}, {n});", reads={y.storage, before}, writes={y.storage})
    reduce(site)
    one = literal(1.0, now.dtype)
    site.body.vector(f"Muls({before}, {now.text}, {one}, {n});", reads={now.storage}, writes={before})
