"""Box evaluation: bounds that hold for every point of a box, exact on points, whatever the numbers' size."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from att.expr.choice import lookup, maximum
from att.expr.core import Expr, ceil_div, floor_div, integer, mod, symbol
from att.expr.evaluate import evaluate_all
from att.model.bind import bind
from att.model.tiling import VarRole
from att.solve.box_program import BoxProgram, VarBounds
from att.solve.boxes import Boxes, BoxProblem
from att.solve.saturating import LIMIT
from tests.small_models import is_legal, model_of, random_conds, random_exprs, random_problems, random_symbols, tiny_cases

SLOW = [HealthCheck.too_slow, HealthCheck.filter_too_much]


def rows_of(symbols, boxes):
    """Rows of each variable for boxes given as dicts of (low, high)."""
    return [np.array([[box[s.name][0] for box in boxes], [box[s.name][1] for box in boxes]], dtype=np.int64) for s in symbols]


@st.composite
def nodes_and_boxes(draw):
    symbols = draw(random_symbols())
    nodes = [draw(random_exprs(symbols)) for _ in range(3)] + [draw(random_conds(symbols)) for _ in range(2)]
    boxes = []
    for _ in range(4):
        box = {}
        for s in symbols:
            ends = sorted(draw(st.integers(s.lo, s.hi)) // s.multiple * s.multiple for _ in range(2))
            box[s.name] = tuple(max(s.lo, end) for end in ends)
        boxes.append(box)
    return symbols, nodes, boxes


@settings(max_examples=120, suppress_health_check=SLOW)
@given(nodes_and_boxes(), st.data())
def test_every_point_of_a_box_lies_within_its_bounds(case, data):
    symbols, nodes, boxes = case
    values = BoxProgram(nodes, [VarBounds(s) for s in symbols]).run(rows_of(symbols, boxes)).roots
    for column, box in enumerate(boxes):
        for _ in range(5):
            point = {name: data.draw(st.integers(lo, hi)) for name, (lo, hi) in box.items()}
            for node, rows, exact in zip(nodes, values, evaluate_all(tuple(nodes), point), strict=True):
                if isinstance(node, Expr):
                    assert rows[0, column] <= exact <= rows[1, column]
                else:
                    assert not rows[0, column] or exact
                    assert rows[1, column] or not exact


@settings(max_examples=120, suppress_health_check=SLOW)
@given(nodes_and_boxes())
def test_a_point_is_exact(case):
    symbols, nodes, boxes = case
    points = [{name: (lo, lo) for name, (lo, _) in box.items()} for box in boxes]
    values = BoxProgram(nodes, [VarBounds(s) for s in symbols]).run(rows_of(symbols, points)).roots
    for column, point in enumerate(points):
        exact = evaluate_all(tuple(nodes), {name: lo for name, (lo, _) in point.items()})
        assert [tuple(rows[:, column]) for rows in values] == [(v, v) for v in exact]


@settings(max_examples=80)
@given(st.data())
def test_values_beyond_64_bits_keep_true_bounds(data):
    big = symbol("x", 1, 2**40), symbol("y", 1, 2**40)
    x, y = big
    product = x * y * data.draw(st.sampled_from([3, 1000, 2**20, -7]))
    nodes = [
        product,
        floor_div(product, 10_000),
        ceil_div(product + x, 7),
        maximum(product, y),
        product - x * x,
        mod(product, 97),
        x * y - product,
    ]
    ends = {s.name: sorted(data.draw(st.integers(1, 2**40)) for _ in range(2)) for s in big}
    points = [{"x": (v, v), "y": (w, w)} for v in ends["x"] for w in ends["y"]]
    rows = rows_of(big, [{n: tuple(e) for n, e in ends.items()}, *points])
    values = BoxProgram(nodes, [VarBounds(s) for s in big]).run(rows).roots
    for column, point in enumerate(points, start=1):
        exact = evaluate_all(tuple(nodes), {name: lo for name, (lo, _) in point.items()})
        for found, value in zip(values, exact, strict=True):
            for c in (0, column):
                low, high = int(found[0, c]), int(found[1, c])
                assert low <= value or low == -LIMIT
                assert value <= high or high == LIMIT
                assert low <= max(value, -LIMIT)
            if abs(value) < LIMIT and found[0, column] == found[1, column]:
                assert found[0, column] == value


def test_tables_that_rise_and_fall_are_searched_over_the_stretch():
    x = symbol("x", 0, 6)
    table = (5, 1, 9, 9, -4, 3, 8)
    boxes = [(i, j) for i in range(7) for j in range(i, 7)]
    rows = np.array(boxes, dtype=np.int64).T
    (found,) = BoxProgram([lookup(table, x)], [VarBounds(x)]).run([rows]).roots
    assert found.T.tolist() == [[min(table[i : j + 1]), max(table[i : j + 1])] for i, j in boxes]


@settings(max_examples=60, suppress_health_check=SLOW)
@given(random_problems(), st.data())
def test_a_box_is_only_dropped_if_all_its_tilings_are_illegal(problem, data):
    if problem.contradiction is not None:
        return
    boxes = BoxProblem(problem, relaxed=True)
    if any(g.size == 0 for g in boxes.grids):
        return
    ends = [sorted(data.draw(st.integers(0, g.size - 1)) for _ in range(2)) for g in boxes.grids]
    low, high = (np.array([[e[i]] for e in ends], dtype=np.int64) for i in (0, 1))
    judged = boxes.evaluate(Boxes(low, high))
    (objective,) = (problem.objective,)
    for _ in range(6):
        index = np.array([[data.draw(st.integers(a, b))] for a, b in ends], dtype=np.int64)
        tiling = dict(zip(boxes.names, map(int, boxes.values_of(index)[:, 0]), strict=True))
        if is_legal(problem, tiling):
            assert judged.possible[0]
            assert (judged.boxes.low <= index).all()
            assert (index <= judged.boxes.high).all()
            (time,) = evaluate_all((objective,), tiling)
            assert judged.time[0, 0] <= time


def test_grids_hold_every_legal_value_and_no_other():
    for model, shape in tiny_cases().values():
        problem = bind(model, shape)
        boxes = BoxProblem(problem)
        for name, grid in zip(boxes.names, boxes.grids, strict=True):
            values = grid.values(np.arange(grid.size)).tolist()
            assert values == sorted(set(values))
            domain = next(v.symbol for v in problem.variables if v.name == name)
            assert all(domain.lo <= v <= domain.hi for v in values)


def test_the_grid_of_an_aligned_tile_is_the_multiples_and_the_whole_axis():
    model, _ = tiny_cases()["elementwise"]
    problem = bind(model, {"Z": 53})
    boxes = BoxProblem(problem)
    grid = boxes.grids[boxes.names.index("z0t_size")]
    assert grid.values(np.arange(grid.size)).tolist() == [8, 16, 24, 32, 40, 48, 53]
    wanted = np.array([1, 8, 9, 48, 49, 53, 54])
    assert grid.first_at_least(wanted).tolist() == [0, 0, 1, 5, 6, 6, 7]
    assert grid.last_at_most(wanted).tolist() == [-1, 0, 0, 5, 5, 6, 6]


def test_numbers_too_large_for_a_divisor_are_refused_with_a_note():
    from att.solve.base import SolveOptions, SolveStatus
    from att.solve.enumerate import EnumerateSolver

    x, y = symbol("x", 1, 2**40), symbol("y", 1, 2**40)
    problem = bind(model_of([(x, VarRole.TILE), (y, VarRole.BLOCK)], [], integer(0), [floor_div(2**80, x * y)]), {})
    result = EnumerateSolver().solve(problem, SolveOptions())
    assert result.status is SolveStatus.UNSUPPORTED
    assert "64 bits" in result.note
