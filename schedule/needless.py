"""Templates that nothing can be gained from, known before any shape is.

A chunked template loads and computes its rows once per reduce. Where a full-load template holds every row of the declared range, it does
the same once and can only win, unless some rows share what they read and others do not (a weight per group of rows and column): then
several short chunks may load it less often than one whole row at a time, and the prices must decide. What all rows share, full load loads
once per core (`schedule.hoist`). An online template, which walks its rows once less, is left out for the same reason. Keeping a value
between the chunks gains nothing in any of these. An unaligned template is a general one where rows are whole blocks of UB. Where joined
rows fit, their parts are not reduced one by one: that takes several nests, between which all cores meet. Nor do cores share a row that is
walked again where it fits, on chips of table v1. Measured there: full load is twice as fast for 1 to 16 rows of softmax and rms_norm, of
1024 to 6000 elements; by the prices of table v2 sharing is up to 1.2 times as fast.
"""

from __future__ import annotations

from collections.abc import Sequence

from att.ir.graph import Graph, Template
from att.ir.roles import varying_axes
from att.ops.registry import spec_of
from att.ops.spec import ComputeType
from hwmodels.model import Chip
from schedule.cases import AGAIN_KINDS, Kind, TilingCase
from schedule.ub_filter import most_bytes
from schedule.unaligned import why_packed_already


def why_needless(graph: Graph, case: TilingCase, template: Template, others: Sequence[Template], chip: Chip) -> str:
    """The sentence that says why a case is not worth solving beside the templates made before it, `""` where it may be."""
    if case.kind is Kind.UNALIGNED:
        return why_packed_already(template.phases[0])
    if case.kind is Kind.CONCAT_REDUCE:
        return _fits_whole(Kind.CONCAT, others, chip, "handing partial results over in workspace")
    kind = Kind.GATHER_ROWS if any(_kind(other) == Kind.GATHER_ROWS for other in others) else Kind.FULL_LOAD
    if case.kind in AGAIN_KINDS:
        return _fits_whole(kind, others, chip, "sharing it among cores") if chip.cost_table == "v1" else ""
    if not case.walks_again or (_rows_share_loads(graph, case) and not case.kept):
        return ""
    return _fits_whole(kind, others, chip, "walking it several times")


def _fits_whole(kind: Kind, others: Sequence[Template], chip: Chip, instead: str) -> str:
    """The sentence that says which template of a kind holds every row in UB; `""` where none is known to."""
    for other in others:
        need_bytes = max(most_bytes(phase, chip) for phase in other.phases)
        if _kind(other) == kind and need_bytes <= chip.ub_usable_bytes:
            return (
                f"every row of the declared range fits in UB ({other.name} needs at most {need_bytes} B of {chip.ub_usable_bytes} B "
                f"at its smallest tile), so {instead} gains nothing"
            )
    return ""


def _kind(template: Template) -> str:
    return template.name.split(".")[0]


def _rows_share_loads(graph: Graph, case: TilingCase) -> bool:
    """Whether something is loaded that varies over a reduced axis, and over some parallel axes but not all."""
    loads = (set(varying_axes(n.output)) for n in graph.nodes if spec_of(n.op).compute is ComputeType.LOAD)
    rows = set(case.groups.y)
    return any(axes & set(case.groups.r) and axes & rows and not axes >= rows for axes in loads)
