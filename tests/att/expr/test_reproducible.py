"""The same program prints the same text whatever the hash seed and whatever was built before."""

from __future__ import annotations

import os
import subprocess
import sys

PROGRAM = """
from att.expr.compare import le, lt
from att.expr.choice import lookup, maximum, minimum, where
from att.expr.core import ceil_div, mod, mul, add, symbol
from att.expr.logic import conj, disj
from att.expr.node import topological
from att.expr.program import compile_program
from att.expr.substitute import free_symbols, substitute
from att.expr.text import to_text

names = ["ks0", "z0t_size", "z0Tb_size", "z1t_size", "h", "w"]
s = {n: symbol(n, 1, 4096, 1 + i % 3) for i, n in enumerate(names)}
tiles = ceil_div(s["ks0"], s["z0t_size"])
terms = [mul(i + 1, x, y) for i, x in enumerate(s.values()) for y in reversed(s.values())]
total = add(*terms, maximum(*s.values(), tiles), minimum(tiles, *s.values()))
chosen = where(disj(conj(le(tiles, s["h"]), lt(s["w"], tiles)), le(s["h"], s["w"])), total, mod(total, s["h"]))
wanted = lookup(range(7), mod(chosen, 7))
print(to_text(wanted))
print(to_text(substitute(wanted, {"h": s["w"] + 1})))
print([to_text(n)[:40] for n in topological(wanted)])
print(list(free_symbols(wanted)), compile_program((wanted,)).symbols)
"""


def _printed(seed: str) -> bytes:
    env = {**os.environ, "PYTHONHASHSEED": seed}
    return subprocess.run([sys.executable, "-c", PROGRAM], env=env, check=True, capture_output=True).stdout


def test_output_does_not_depend_on_the_hash_seed():
    outputs = {_printed(seed) for seed in ("0", "1", "2")}
    assert len(outputs) == 1
    assert outputs.pop().startswith(b"Lookup([0, 1, 2, 3, 4, 5, 6], ")
