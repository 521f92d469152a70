"""How pipes overlap under the pipeline objective: what comes before and after the busiest of them, and which take turns.

    MTE2  |L|L|L|L|             every turn loads (L), computes (V) and stores (S); with two buffers in each queue n turns take
    VEC     |V  |V  |V  |V  |       L + V + S + (n - 1)*max(L, V, S)  =  the largest of  n*L + V + S,  L + n*V + S,  L + V + n*S
    MTE3        |S| |S| |S| |S|

which is the flow shop of identical jobs (derived in docs/objectives.md): a pipe's own work, what has to be done before it can start (fill),
and what is left to do when it ends (drain). With one buffer between MTE2 and VEC a turn loads only when the turn before has computed: these
two add up, `n*(L + V) + S`. Heads are latencies: whatever data waits for on its way pays that pipe's head once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from att.expr.choice import minimum
from att.expr.core import Expr, add, integer
from att.ir.graph import ImplGraph
from att.ir.loops import LoopNest
from att.ir.walks import Segment, once_per_core, segments
from att.model.buffers import Handover, handovers, is_refilled, queues_of
from att.model.calls import Calls
from att.model.prices import Prices
from att.model.tiling import Chain, PipeTime
from att.ops.call import Pipe
from att.ops.registry import spec_of

_ZERO, _ONE = integer(0), integer(1)

_Turn = Mapping[Pipe, Expr]
"""Ticks of one turn of a group of calls with whole tiles, by pipe."""


def chains(graph: ImplGraph, nest: LoopNest, pipes: Sequence[PipeTime], prices: Prices) -> tuple[Chain, ...]:
    """Every pipe by itself, then every two that take turns where the queues between them have one buffer."""
    first, *rest = segments(graph, nest)
    started = replace(first, nodes=(*once_per_core(graph, nest), *first.nodes))
    calls = prices.calls(graph, nest)
    later = [_turn(segment, calls, prices) for segment in rest]
    heads = {pipe.pipe: pipe.head for pipe in pipes}
    fill = _fills([_turn(started, calls, prices), *later], heads)
    drain = _drains([_turn(first, calls, prices), *later], heads)
    alone = (Chain(pipes=(p,), buffers=_ONE, fill=fill[p], drain=drain[p]) for p in heads)
    buffers = _buffers_between(graph, nest)
    together = (Chain(pipes=pair, buffers=number, fill=fill[pair[0]], drain=drain[pair[1]]) for pair, number in buffers.items())
    return (*alone, *together)


def _turn(segment: Segment, calls: Calls, prices: Prices) -> _Turn:
    found: dict[Pipe, Expr] = {}
    for node in segment.nodes:
        if spec_of(node.op).pipe is not None:
            for pipe, ticks in prices.cost(calls.of(node)).items():
                found[pipe] = add(found.get(pipe, _ZERO), ticks)
    return found


def _fills(turns: Sequence[_Turn], heads: Mapping[Pipe, Expr]) -> Mapping[Pipe, Expr]:
    """What is done before each pipe can start: the first turn's loads; for MTE3 also what is computed up to the first store."""
    load = _waits(Pipe.MTE2, _first(turns, Pipe.MTE2)[-1:], heads)
    compute = _waits(Pipe.VEC, _first(turns, Pipe.MTE3), heads)
    return {Pipe.MTE2: _ZERO, Pipe.VEC: load, Pipe.MTE3: add(load, compute)}


def _drains(turns: Sequence[_Turn], heads: Mapping[Pipe, Expr]) -> Mapping[Pipe, Expr]:
    """What is left when each pipe ends: the last turn's stores; for MTE2 also what is computed from the last load on."""
    backwards = turns[::-1]
    store = _waits(Pipe.MTE3, _first(backwards, Pipe.MTE3)[-1:], heads)
    compute = _waits(Pipe.VEC, _first(backwards, Pipe.MTE2), heads)
    return {Pipe.MTE2: add(compute, store), Pipe.VEC: store, Pipe.MTE3: _ZERO}


def _first(turns: Sequence[_Turn], pipe: Pipe) -> Sequence[_Turn]:
    """The turns up to the first one that uses a pipe."""
    return turns[: next((number for number, turn in enumerate(turns, start=1) if pipe in turn), 0)]


def _waits(pipe: Pipe, turns: Sequence[_Turn], heads: Mapping[Pipe, Expr]) -> Expr:
    """The head of a pipe and its part of some turns; 0 if it has none."""
    ticks = [turn[pipe] for turn in turns if pipe in turn]
    return add(heads[pipe], *ticks) if ticks else _ZERO


def _buffers_between(graph: ImplGraph, nest: LoopNest) -> Mapping[Handover, Expr]:
    """The least number of buffers in the queues between two pipes, where that may be 1."""
    found: dict[Handover, list[Expr]] = {}
    for pair, number in _refilled(graph, nest):
        found.setdefault(pair, []).append(number)
    least = {pair: minimum(*numbers) for pair, numbers in found.items()}
    return {pair: number for pair, number in least.items() if number.lo == 1}


def _refilled(graph: ImplGraph, nest: LoopNest) -> Iterator[tuple[Handover, Expr]]:
    for block in queues_of(graph):
        if is_refilled(graph, nest, block):
            yield from ((pair, block.buffers) for pair in handovers(graph, block))
