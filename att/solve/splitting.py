"""How boxes are cut and which of their tilings are tried: choices that affect speed only, never the answer."""

from __future__ import annotations

import numpy as np

from att.solve.boxes import Array, Boxes, BoxProblem, Judged


def cut(problem: BoxProblem, judged: Judged, target: int) -> Boxes:
    """The boxes cut in two again and again until there are about `target`, each at least once."""
    boxes, counted = judged.boxes, judged.counted
    for _ in range(max(1, int(np.log2(max(1, target // max(1, boxes.count)))))):
        boxes, counted = _halved(problem, boxes, counted)
    return boxes


def corners(problem: BoxProblem, judged: Judged) -> Boxes:
    """For each box two tilings: largest tiles with the smallest share per core, smallest tiles with the largest share."""
    low, high = judged.boxes.low, judged.boxes.high
    block = problem.is_block[:, None]
    points = np.concatenate((np.where(block, low, high), np.where(block, high, low)), axis=1)
    return Boxes(points, points)


def _halved(problem: BoxProblem, boxes: Boxes, counted: Array) -> tuple[Boxes, Array]:
    """Every box that is no point as two, cut along its widest variable near the geometric mean."""
    wide = ~boxes.is_point
    if not wide.any():
        return boxes, counted
    whole, amounts = (boxes, counted) if wide.all() else (boxes.take(wide), counted[:, wide])
    low, high = problem.values_of(whole.low), problem.values_of(whole.high)
    cell = _widest(problem, whole, low, high), np.arange(whole.count)
    start = _break_point(low[cell], high[cell], amounts[cell])
    first = np.minimum(np.maximum(_numbers(problem, cell[0], start), whole.low[cell] + 1), whole.high[cell])
    left, right = whole.high.copy(), whole.low.copy()
    left[cell], right[cell] = first - 1, first
    halves = Boxes(whole.low, left).joined(Boxes(right, whole.high))
    counts = np.concatenate((amounts, amounts), axis=1)
    if whole is boxes:
        return halves, counts
    return boxes.take(~wide).joined(halves), np.concatenate((counted[:, ~wide], counts), axis=1)


def _numbers(problem: BoxProblem, chosen: Array, values: Array) -> Array:
    """For each value the number of the first that is not below it, on the grid of the variable chosen for it."""
    found = np.empty_like(values)
    for i, grid in enumerate(problem.grids):
        mine = chosen == i
        if mine.any():
            found[mine] = grid.first_at_least(values[mine])
    return found


def _break_point(low: Array, high: Array, whole: Array) -> Array:
    """Where the upper half starts.

    At the smallest value with the count `ceil(whole/x)` of the geometric mean, or the next value where that count changes if the first
    is not above `low`; at the mean itself if neither lies in the box.
    """
    mean = np.maximum(np.sqrt(low * high.astype(np.float64)).astype(np.int64), low) + 1
    count = np.maximum(-(-whole // mean), 1)
    here = -(-whole // count)
    after = -(-whole // np.maximum(count - 1, 1))
    inside = (here > low) & (here <= high)
    return np.where(inside, here, np.where((after > low) & (after <= high), after, mean))


def _widest(problem: BoxProblem, boxes: Boxes, low: Array, high: Array) -> Array:
    """The variable to cut, per box: the one whose ends differ by the largest factor.

    A share per core follows the tiles it counts; its own freedom is what their spread leaves.
    """
    spread = np.log2(np.maximum(high, 1)) - np.log2(np.maximum(low, 1)) + 1e-9
    own = spread.copy()
    for i, leaders in enumerate(problem.leaders):
        for leader in leaders:
            own[i] -= spread[leader]
    score = np.maximum(own, spread * 1e-3)
    return np.where(boxes.low < boxes.high, score, -1.0).argmax(axis=0)
