"""Whether two expressions can be told apart by trying values.

Structural equality is too narrow (`ceil(ceil(n/t)/b)` and `ceil(n/(t*b))` are equal for all values), so expressions count as different
only where a sample of the symbols' domains tells them apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from att.expr.core import Expr, Sym
from att.expr.evaluate import evaluate_all
from att.expr.node import topological

_SAMPLES: Final = 8
_STRIDE: Final = 7919
"""Primes that spread sample values over a domain and make them differ between symbols."""
_SHIFT: Final = 104729


def may_be_equal(expr: Expr, *candidates: Expr) -> bool:
    """False only if, for some values of the symbols, `expr` equals none of the candidates."""
    if expr in candidates:
        return True
    symbols = tuple(dict.fromkeys(n for n in topological(expr, *candidates) if isinstance(n, Sym)))
    for env in _samples(symbols):
        value, *others = evaluate_all((expr, *candidates), env)
        if value not in others:
            return False
    return True


def _samples(symbols: tuple[Sym, ...]) -> Iterator[Mapping[str, int]]:
    if not symbols:
        yield {}
        return
    for k in range(_SAMPLES):
        yield {s.name: _value(s, k, i) for i, s in enumerate(symbols)}


def _value(symbol: Sym, k: int, position: int) -> int:
    """Sample `k` of a symbol: the ends of its domain first, then values between them, small ones included."""
    step = max(1, symbol.multiple)
    first, last = -(-symbol.lo // step), symbol.hi // step
    count = max(1, last - first + 1)
    offsets = (count - 1, 0, 2 + position, 30 + 7 * position)
    offset = offsets[k] if k < len(offsets) else _STRIDE * k + _SHIFT * position
    return (first + offset % count) * step
