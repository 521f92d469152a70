"""How long expressions take to build, evaluate, print and read. Run: `python benchmarks/bench_expr.py`.

Prints the best of several runs, on expressions of the shape of a tiling model: tiles per row, cores in use, bytes, cost with tails.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

import numpy as np

from att.expr.choice import maximum, minimum, where
from att.expr.compare import le
from att.expr.core import Expr, Sym, add, ceil_div, mod, mul, symbol
from att.expr.evaluate import compile_program, evaluate_all
from att.expr.node import topological
from att.expr.substitute import substitute_all
from att.expr.text import parse, to_text
from att.expr.vector import evaluate_many

REPEATS = 7
AXES = 40
POINTS = 10_000


def model(axes: int, version: int = 0) -> tuple[Expr, ...]:
    """Some 25 nodes for each axis, none shared between axes or versions except small constants."""
    exprs: list[Expr] = []
    for i in range(axes):
        size, tile, block = (symbol(f"{kind}{i}_{version}", 1, 65536) for kind in ("z", "t", "b"))
        tiles = ceil_div(size, tile)
        block_dim = ceil_div(tiles, block)
        full = block - block // tiles
        tail = where(le(tiles * tile, size), tile, mod(size, tile))
        ub_bytes = mul(2, align(tile * 4, 32)) + align(tile * 2, 32) + 8192
        cost = add(mul(full, tile, 1000), mul(block // tiles, maximum(tail, 16), 1000), mul(block_dim, 77_000))
        exprs += [ub_bytes, cost, minimum(block_dim, 48)]
    return tuple(exprs)


def align(value: Expr, step: int) -> Expr:
    """The next multiple of a step."""
    return ceil_div(value, step) * step


def best(run: Callable[[], object]) -> float:
    """Shortest time of several runs, seconds."""
    times: list[float] = []
    for _ in range(REPEATS):
        gc.collect()
        start = time.perf_counter()
        kept = run()
        times.append(time.perf_counter() - start)
        del kept
    return min(times)


def nodes_in(exprs: tuple[Expr, ...]) -> int:
    """Distinct nodes."""
    return sum(1 for _ in topological(*exprs))


def building() -> float:
    """Shortest time to build a model that shares nothing with one that still lives, seconds."""
    versions = iter(range(1, REPEATS + 1))
    return best(lambda: model(AXES, next(versions)))


def main() -> None:
    """Measures and prints."""
    exprs = model(AXES)
    count = nodes_in(exprs)
    symbols = {n.name: n for n in topological(*exprs) if isinstance(n, Sym)}
    env = {name: 1 + 37 * i % 4096 for i, name in enumerate(sorted(symbols))}
    arrays = {name: np.full(POINTS, value) for name, value in env.items()}
    renamed = {name: symbol(f"new_{name}", s.lo, s.hi) for name, s in symbols.items()}
    program = compile_program(exprs)
    texts = [to_text(e) for e in exprs]
    print(f"{count} distinct nodes, {POINTS} points")
    for label, seconds, per, unit in [
        ("build (per 1,000 nodes)", building(), count / 1000, "ms"),
        ("look up again (per 1,000 nodes)", best(lambda: model(AXES)), count / 1000, "ms"),
        ("evaluate_all, per node", best(lambda: evaluate_all(exprs, env)), count, "us"),
        ("compile_program, per node", best(lambda: compile_program(exprs)), count, "us"),
        ("Program.run, per node", best(lambda: program.run(env)), count, "us"),
        ("evaluate_many, per node and point", best(lambda: evaluate_many(exprs, arrays)), count * POINTS, "us"),
        ("substitute_all, per node", best(lambda: substitute_all(exprs, renamed)), count, "us"),
        ("to_text, per node", best(lambda: [to_text(e) for e in exprs]), count, "us"),
        ("parse, per character", best(lambda: [parse(t, symbols) for t in texts]), sum(map(len, texts)), "us"),
    ]:
        print(f"{label:36} {seconds / per * (1e3 if unit == 'ms' else 1e6):10.4f} {unit}")


if __name__ == "__main__":
    main()
