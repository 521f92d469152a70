"""The loop nest of an ImplGraph, read back from its axes.

    for zTB in block_dim:                  # one core each
      for zTb in min(per_core, rest):      # block loop: tiles of this core
        for rT in loops:                   # inner loops: tiles of the reduced axis
          call on the vectorized axes      # zt, rt and whole axes, in UB

The block loop may run over a MERGED axis (rows x tiles of a row); the tile axis is then its innermost part. Where cores share a reduced
axis, its tiles are cut into chunks, one for each core, and the inner loop walks the tiles of a chunk:

    for rTTzTB in block_dim:               # a chunk of tiles of r, and a tile of z
      for rTt in min(chunk, rest):         # inner loop: tiles of the chunk
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from att.errors import ModelError
from att.expr.core import Expr, add, integer, mod, mul
from att.ir.axis import Axis, AxisKind
from att.ir.graph import ImplGraph
from att.ir.node import Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Tile:
    """One cut axis: `count` tiles of `size` elements cover `extent`, the last one has `tail`."""

    inner: str
    """TILE_IN axis."""
    outer: str
    """TILE_OUT axis."""
    extent: Expr
    size: Expr
    count: Expr

    @property
    def tail(self) -> Expr:
        """Elements of the last tile, `1 .. size`."""
        return add(mod(add(self.extent, -1), self.size), 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockLoop:
    """The loop that cores share: `count` iterations, `per_core` of them on each core but the last."""

    outer: str
    """BLOCK_OUT axis: the core."""
    inner: str
    """BLOCK_IN axis: the iteration of a core."""
    fused: str
    """The axis both were split from."""
    count: Expr
    per_core: Expr
    block_dim: Expr
    tile: Tile | None
    """The tiled axis among the fused ones, always the innermost of them."""

    @property
    def last_core(self) -> Expr:
        """Iterations of the last core, `1 .. per_core`."""
        return add(mod(add(self.count, -1), self.per_core), 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopNest:
    """Loops and vector axes of one ImplGraph."""

    block: BlockLoop | None
    """None: everything runs on one core."""
    inner: tuple[str, ...]
    """Loops inside the block loop, outermost first."""
    chunk: Tile | None
    """The tiles of a reduced axis cut once more: `size` tiles are walked by the inner loop, the last of `count` chunks has `tail`."""
    vectorized: tuple[str, ...]
    """Axes that lie whole in UB per call, outermost first."""
    tiles: Mapping[str, Tile]
    """Every cut axis, by its TILE_IN name."""

    @property
    def block_dim(self) -> Expr:
        """Cores in use."""
        return self.block.block_dim if self.block else integer(1)

    def inner_tile(self) -> Tile | None:
        """The tile whose outer axis is (the innermost part of) an inner loop: the cut of a reduced axis."""
        for tile in self.tiles.values():
            if self.block is None or tile is not self.block.tile:
                return tile
        return None


def loop_nest(graph: ImplGraph) -> LoopNest:
    """The nest of a graph. Raises ModelError for a nest that this version cannot price."""
    order = _longest_axes(graph)
    loops = _longest_loops(graph)
    cuts = [_tile(graph, axis) for axis in graph.axes if axis.kind is AxisKind.TILE_IN]
    tiles = {tile.inner: tile for tile in cuts if not is_chunk(graph, tile.inner)}
    chunks = [tile for tile in cuts if is_chunk(graph, tile.inner)]
    block = _block_loop(graph, loops, tiles)
    inner = tuple(a for a in loops if block is None or a not in (block.outer, block.inner))
    chunk = chunks[0] if chunks else None
    nest = LoopNest(block=block, inner=inner, chunk=chunk, vectorized=tuple(a for a in order if a not in loops), tiles=tiles)
    _refuse_unknown_cuts(graph, nest)
    return nest


def _longest_axes(graph: ImplGraph) -> tuple[str, ...]:
    return max((n.axes for n in graph.nodes), key=len, default=())


def _longest_loops(graph: ImplGraph) -> tuple[str, ...]:
    return max((n.loops for n in graph.nodes), key=len, default=())


def is_chunk(graph: ImplGraph, inner: str) -> bool:
    """Whether a TILE_IN axis counts tiles of a chunk, not elements of a tile."""
    axis = graph.axis_of[inner]
    return axis.kind is AxisKind.TILE_IN and graph.axis_of[axis.parents[0]].kind is AxisKind.TILE_OUT


def _tile(graph: ImplGraph, inner: Axis) -> Tile:
    outer = next((a for a in graph.axes if a.kind is AxisKind.TILE_OUT and a.parents == inner.parents), None)
    if outer is None:
        raise ModelError(f"tile axis {inner.name} has no TILE_OUT partner", where=graph.name)
    extent = graph.axis_of[inner.parents[0]].size
    return Tile(inner=inner.name, outer=outer.name, extent=extent, size=inner.size, count=outer.size)


def _block_loop(graph: ImplGraph, loops: tuple[str, ...], tiles: Mapping[str, Tile]) -> BlockLoop | None:
    outer = [graph.axis_of[a] for a in loops if graph.axis_of[a].kind is AxisKind.BLOCK_OUT]
    inner = [graph.axis_of[a] for a in loops if graph.axis_of[a].kind is AxisKind.BLOCK_IN]
    if not outer and not inner:
        return None
    if len(outer) != 1 or len(inner) != 1 or outer[0].parents != inner[0].parents:
        raise ModelError("a nest needs exactly one BLOCK_OUT axis with its BLOCK_IN partner", where=graph.name)
    fused = graph.axis_of[outer[0].parents[0]]
    parts = fused.parents if fused.kind is AxisKind.MERGED else (fused.name,)
    cut = [tile for tile in tiles.values() if tile.outer in parts]
    if len(cut) > 1 or (cut and cut[0].outer != parts[-1]):
        raise ModelError(
            f"the block loop {fused.name} fuses the tiles of {len(cut)} axes; this version prices one, innermost", where=graph.name
        )
    return BlockLoop(
        outer=outer[0].name,
        inner=inner[0].name,
        fused=fused.name,
        count=fused.size,
        per_core=inner[0].size,
        block_dim=outer[0].size,
        tile=cut[0] if cut else None,
    )


def _refuse_unknown_cuts(graph: ImplGraph, nest: LoopNest) -> None:
    reached = {nest.block.tile.inner} if nest.block and nest.block.tile else set[str]()
    for loop in nest.inner:
        reached.update(_cut_of_loop(graph, nest, loop))
    if len(nest.inner) > 1 or reached != set(nest.tiles):
        raise ModelError(
            f"loops {', '.join(nest.inner) or '(none)'} and cuts {', '.join(nest.tiles) or '(none)'} do not form a nest this version knows",
            where=graph.name,
        )


def _cut_of_loop(graph: ImplGraph, nest: LoopNest, loop: str) -> tuple[str, ...]:
    """The TILE_IN axes whose tiles an inner loop walks, whole or chunk by chunk."""
    parts = parts_of(graph, loop)
    if nest.chunk is not None and nest.chunk.inner in parts:
        if nest.block is None or nest.chunk.outer not in parts_of(graph, nest.block.fused) or nest.chunk.inner != parts[0]:
            raise ModelError(f"cores do not share the chunks that loop {loop} walks, tile by tile", where=graph.name)
        chunked = graph.axis_of[nest.chunk.inner].parents[0]
        return tuple(t.inner for t in nest.tiles.values() if t.outer == chunked)
    cut = tuple(t.inner for t in nest.tiles.values() if t.outer in parts)
    if cut and nest.tiles[cut[0]].outer != parts[-1]:
        raise ModelError(f"loop {loop} fuses a tile that is not its innermost part", where=graph.name)
    return cut


def parts_of(graph: ImplGraph, axis: str) -> tuple[str, ...]:
    """The axes a MERGED axis was made of, outermost first; other axes are their own only part."""
    found = graph.axis_of[axis]
    return found.parents if found.kind is AxisKind.MERGED and found.parents else (axis,)


def unvaried_loops(graph: ImplGraph, nest: LoopNest, node: Node) -> tuple[str, ...]:
    """Looped axes around a node over which its value does not vary, fused ones apart: every turn of theirs makes the same value.

    A Store writes it in the first turn only, else cores would write the same bytes.
    """
    fused = (*((nest.block.fused,) if nest.block else ()), *(axis for axis in nest.inner if axis in node.loops))
    parts = [part for axis in fused for part in parts_of(graph, axis)]
    view, one = node.output, integer(1)
    still = [axis for axis in parts if axis not in view.axes or view.repeat_of(axis) == one]
    return tuple(axis for axis in still if graph.axis_of[axis].size != one)


def elements_before(graph: ImplGraph, nest: LoopNest, index: Callable[[str], Expr]) -> Expr:
    """How many elements of the axes that the inner loop walks lie before the tile of a turn, from the position on each part of the loop."""
    *outer, tiles = parts_of(graph, nest.inner[-1])
    tile = next(tile for tile in nest.tiles.values() if tile.outer == tiles)
    found, step = mul(index(tiles), tile.size), tile.extent
    for part in reversed(outer):
        found, step = add(found, mul(index(part), step)), mul(step, graph.axis_of[part].size)
    return found


def flat_strides(graph: ImplGraph, parts: tuple[str, ...]) -> tuple[Expr, ...]:
    """How many iterations of a fused axis one step along each part is."""
    strides: list[Expr] = []
    running: Expr = integer(1)
    for part in reversed(parts):
        strides.append(running)
        running = mul(running, graph.axis_of[part].size)
    return tuple(reversed(strides))
