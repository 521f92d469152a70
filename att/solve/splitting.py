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
    whole, points, amounts = boxes.take(wide), boxes.take(~wide), counted[:, wide]
    if not whole.count:
        return boxes, counted
    low, high = problem.values_of(whole.low), problem.values_of(whole.high)
    chosen = _widest(problem, whole, low, high)
    left, right = whole.high.copy(), whole.low.copy()
    for i, grid in enumerate(problem.grids):
        mine = chosen == i
        start = _break_point(low[i, mine], high[i, mine], amounts[i, mine])
        first = np.clip(grid.first_at_least(start), whole.low[i, mine] + 1, whole.high[i, mine])
        left[i, mine] = first - 1
        right[i, mine] = first
    halves = Boxes(whole.low, left).joined(Boxes(right, whole.high))
    return points.joined(halves), np.concatenate((counted[:, ~wide], amounts, amounts), axis=1)


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
