"""One of several values: the smallest, the largest, by a condition, by an index into a table."""

from __future__ import annotations

from collections.abc import Iterable
from operator import index as plain_index

from att.errors import ModelError
from att.expr import ranges
from att.expr.core import Expr, Lookup, Max, Min, Where, integer, lift
from att.expr.logic import FALSE, TRUE, Cond
from att.expr.node import intern


def _flat(kind: type[Min | Max], operands: Iterable[Expr | int]) -> dict[Expr, None]:
    """Operands, with those of nested nodes of the kind; each once, in their order."""
    lifted = map(lift, operands)
    return dict.fromkeys(arg for operand in lifted for arg in (operand.args if isinstance(operand, kind) else (operand,)))


def minimum(*args: Expr | int) -> Expr:
    """Smallest; arguments that are never below another one are dropped."""
    flat = _flat(Min, args)
    least = min(flat, key=lambda a: (a.hi, a.lo))
    kept = [a for a in flat if a is least or a.lo < least.hi]
    return kept[0] if len(kept) == 1 else intern(Min, (tuple(kept),), ranges.smallest_of([a.range for a in kept]))


def maximum(*args: Expr | int) -> Expr:
    """Largest; arguments that are never above another one are dropped."""
    flat = _flat(Max, args)
    most = max(flat, key=lambda a: (a.lo, a.hi))
    kept = [a for a in flat if a is most or a.hi > most.lo]
    return kept[0] if len(kept) == 1 else intern(Max, (tuple(kept),), ranges.largest_of([a.range for a in kept]))


def where(cond: Cond, then: Expr | int, orelse: Expr | int) -> Expr:
    """`then` if the condition holds, else `orelse`."""
    a, b = lift(then), lift(orelse)
    if cond is TRUE or a is b:
        return a
    return b if cond is FALSE else intern(Where, (cond, a, b), ranges.either(a.range, b.range))


def lookup(table: Iterable[int], index: Expr | int) -> Expr:
    """Entry of a table at a 0-based index. Raises ModelError if the index can leave the table."""
    entries, i = tuple(map(plain_index, table)), lift(index)
    if i.lo < 0 or i.hi >= len(entries):
        raise ModelError(f"lookup index {i!r} ranges over {i.lo}..{i.hi}, the table has {len(entries)} entries, counted from 0")
    known = ranges.table_entries(entries, i.range)
    return integer(known.lo) if known.lo == known.hi else intern(Lookup, (entries, i), known)
