"""Rays: where each kind of move leads, step by step."""

from __future__ import annotations

from att.model.bind import bind
from att.solve.rays import Heading, headings, ray
from att.solve.terrain import Terrain
from benchmarks import waist_models as waist

TERRAIN = Terrain(bind(waist.reduce_rows(), {"A": 4096, "R": 1013}))
NAMES = [v.name for v in TERRAIN.variables]
ROWS, COLUMNS, SHARE = (NAMES.index(name) for name in ("z0t_size", "z1t_size", "z0Tb_size"))
START = TERRAIN.point({"z0t_size": 4, "z1t_size": 512, "z0Tb_size": 32})


def ends(heading, *steps):
    """The tilings after so many steps, as `(z0t, z1t, z0Tb)`."""
    line = ray(TERRAIN, START, heading)
    points = [line.at(s) for s in steps]
    tilings = [None if p is None else TERRAIN.tiling(p) for p in points]
    return [None if t is None else (t["z0t_size"], t["z1t_size"], t["z0Tb_size"]) for t in tilings]


def test_rungs_are_values_of_the_ladder_up_to_the_whole_axis():
    assert ends(Heading("rung", COLUMNS, 1), 1, 2, 62, 63, 64) == [(4, 520, 32), (4, 528, 32), (4, 1008, 32), (4, 1013, 32), None]
    assert ends(Heading("rung", COLUMNS, -1), 1, 63, 64) == [(4, 504, 32), (4, 8, 32), None]


def test_counts_are_the_smallest_values_that_make_so_many_parts():
    assert ends(Heading("count", COLUMNS, 1), 1, 2, 3) == [(4, 344, 32), (4, 256, 32), (4, 208, 32)]
    assert ends(Heading("count", COLUMNS, -1), 1, 2) == [(4, 1013, 32), None]
    assert ends(Heading("count", SHARE, 1), 1, 2, 15) == [None, (4, 512, 31), (4, 512, 22)], "33 parts need the share that 32 need"
    assert ends(Heading("count", SHARE, -1), 1, 31, 32) == [(4, 512, 34), (4, 512, 1024), None]


def test_scales_multiply_and_divide():
    assert ends(Heading("scale", ROWS, 1, carries=True), 1, 2, 7) == [(8, 512, 16), (12, 512, 11), (32, 512, 4)]
    assert ends(Heading("scale", ROWS, -1, carries=True), 1, 2, 3) == [(2, 512, 64), (2, 512, 64), (1, 512, 128)]


def test_followers_keep_their_counts_or_stay():
    assert ends(Heading("rung", ROWS, 1, carries=True), 1, 4) == [(5, 512, 26), (8, 512, 16)]
    assert ends(Heading("rung", ROWS, 1), 1, 4) == [(5, 512, 32), (8, 512, 32)]


def test_trades_keep_the_product_of_two_tiles():
    assert ends(Heading("trade", ROWS, 1, carries=True, payer=COLUMNS), 1, 4) == [(5, 408, 26), (8, 256, 16)]
    assert ends(Heading("trade", ROWS, -1, carries=True, payer=COLUMNS), 2) == [(2, 1013, 64)]


def test_every_way_to_move_is_there_once():
    ways = headings(TERRAIN)
    assert len(set(ways)) == len(ways)
    scaled = {heading.variable for heading in ways if heading.kind == "scale"}
    assert scaled == {ROWS, COLUMNS}, "what follows a tile is counted, not scaled"
    traded = {(heading.variable, heading.payer) for heading in ways if heading.kind == "trade"}
    assert traded == {(ROWS, COLUMNS), (COLUMNS, ROWS)}
    carrying = {heading.variable for heading in ways if heading.carries and heading.kind == "rung"}
    assert carrying == {ROWS}


def test_a_fixed_variable_does_not_move():
    terrain = Terrain(bind(waist.reduce_rows(), {"A": 4096, "R": 1013}, fixed={"z0t_size": 4}))
    fixed = [v.name for v in terrain.variables].index("z0t_size")
    assert all(fixed not in (heading.variable, heading.payer) for heading in headings(terrain))


def test_a_step_back_is_recognised():
    up, down = Heading("rung", ROWS, 1, carries=True), Heading("rung", ROWS, -1)
    assert down.reverses(up)
    assert up.reverses(down)
    assert not up.reverses(up)
    assert not Heading("count", ROWS, -1).reverses(up)
    assert not Heading("rung", COLUMNS, -1).reverses(up)
