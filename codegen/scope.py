"""What the expressions of one kernel function mean in C++: names of sizes, positions and tile lengths, and the locals that hold them.

Three levels of nesting hold locals: the function, one pass of the block loop, one turn of the inner loop. A local is written at the level
where all it depends on is known, and only if something uses it.

    function   const int64_t z0T_size = DivideUp(ks0, z0t_size);
    pass       const int64_t z0t_actual = Smaller(z0t_size, ks0 - z0T * z0t_size);
    turn       const int64_t z1t_actual = Smaller(z1t_size, ks1 - z1T * z1t_size);
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum

from att.errors import EmitError
from att.expr.choice import minimum
from att.expr.core import Expr, Int, Sym, add, floor_div, integer, mod, mul, symbol
from att.expr.node import topological
from att.ir.axis import AxisKind
from att.ir.graph import ImplGraph
from att.ir.loops import LoopNest, Tile, flat_strides, parts_of
from att.ir.node import Node
from att.model.calls import Calls, call_of
from att.ops.call import Call, View
from att.ops.dma import Transfer, transfer_of
from att.ops.extents import elements
from codegen.cxx_expr import CxxPrinter
from codegen.names import Names
from hwmodels.model import Chip

ZERO = integer(0)


class Level(IntEnum):
    """Where a local is known."""

    FUNCTION = 0
    PASS = 1
    TURN = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Local:
    """One `const int64_t`."""

    name: str
    level: Level
    value: Expr | str
    """What it is; a text where it comes from outside (tiling data)."""


class Scope:
    """Names and locals of one ImplGraph, and its calls in terms of them."""

    def __init__(self, graph: ImplGraph, nest: LoopNest, names: Names, chip: Chip) -> None:
        self.graph = graph
        self.chip = chip
        self.nest = nest
        self.names = names
        self.printer = CxxPrinter(names={})
        self._locals: dict[str, Local] = {}
        self._named: dict[Expr, str] = {}
        self._level: dict[str, Level] = {}
        self._index: dict[str, Sym] = {}
        self._actual: dict[str, Sym] = {}
        self._parts: list[tuple[str, ...]] = []
        self._counts: dict[tuple[tuple[Expr, ...], tuple[Expr, ...]], Expr] = {}
        self._transfers: dict[View, Transfer] = {}
        self._printed: dict[str, tuple[str, CxxPrinter]] = {}
        self.printer.names = self._named
        self._declare_sizes()
        self._declare_positions()
        self._declare_strides()
        self._calls = Calls(graph, self._actual, nest.block_dim)

    # Declarations, in the order in which they may refer to each other.

    def _declare_sizes(self) -> None:
        own = (*(size.name for size in self.graph.sizes), *(v.name for v in self.graph.variables))
        earlier = (s.name for axis in self.graph.axes for s in topological(axis.size) if isinstance(s, Sym))
        for name in dict.fromkeys((*own, *earlier)):
            if self.names.fresh(name) != name:
                raise EmitError(f"the size {name} bears a name that C++ needs", where=self.graph.name, hint="rename it")
            self._add(name, Level.FUNCTION, f"tiling->{name}")
        for axis in self.graph.axes:
            if axis.kind is not AxisKind.BLOCK_OUT:
                self.name(axis.size, f"{axis.name}_size")

    def _declare_positions(self) -> None:
        block = self.nest.block
        if block is not None:
            self._declare_fused(block.fused, Level.PASS)
        for loop in self.nest.inner:
            self._declare_fused(loop, Level.TURN)
        if self.nest.chunk is not None:
            self._declare_actual(self.nest.chunk)
            self._declare_chunked(self.nest.chunk)
        for tile in self.nest.tiles.values():
            self._declare_actual(tile)

    def _declare_fused(self, axis: str, level: Level) -> None:
        """The position on a loop axis, and on each of the axes it was fused from."""
        position = self._position(axis, level)
        parts = parts_of(self.graph, axis)
        if parts == (axis,):
            return
        for i, (part, stride) in enumerate(zip(parts, flat_strides(self.graph, parts), strict=True)):
            value = floor_div(position, stride)
            if i > 0:
                value = mod(value, self.graph.axis_of[part].size)
            self._add(self._position(part, level).name, level, value)

    def _declare_chunked(self, chunk: Tile) -> None:
        """The tile that a turn works on, from its chunk and its place there."""
        tile = self._position(self.graph.axis_of[chunk.inner].parents[0], Level.TURN)
        self._add(tile.name, Level.TURN, add(mul(self._index[chunk.outer], chunk.size), self._index[chunk.inner]))

    def _position(self, axis: str, level: Level) -> Sym:
        name = self.names.fresh(axis)
        found = symbol(name, 0, max(0, self.graph.axis_of[axis].size.hi - 1))
        self._index[axis] = found
        self._level[name] = level
        return found

    def _declare_actual(self, tile: Tile) -> None:
        name = self.names.fresh(f"{tile.inner}_actual")
        outer = self._index[tile.outer]
        self._actual[tile.inner] = symbol(name, 1, max(1, tile.size.hi))
        self._add(name, self._level[outer.name], minimum(tile.size, add(tile.extent, mul(-1, outer, tile.size))))

    def _declare_strides(self) -> None:
        for node in self.graph.nodes:
            view = node.output
            for axis, stride in zip(view.vectorized_axes, view.vectorized_strides, strict=True):
                self.name(stride, f"{axis}_pitch")

    # What emission asks for.

    @property
    def turns(self) -> Expr:
        """Turns of the inner loop in this pass of the block loop."""
        loop, chunk = self.nest.inner[-1], self.nest.chunk
        parts = parts_of(self.graph, loop)
        return mul(*(self._actual[part] if chunk and part == chunk.inner else self.graph.axis_of[part].size for part in parts))

    def index(self, axis: str) -> Sym:
        """Position on a looped axis. Raises EmitError if it is not looped here."""
        if axis not in self._index:
            raise EmitError(f"axis {axis} is neither a loop nor in UB", where=self.graph.name, hint="its schedule has no loop for it")
        return self._index[axis]

    def call(self, node: Node) -> Call:
        """The call of a node, with the actual lengths of cut axes."""
        return self._calls.of(node)

    def full_call(self, node: Node) -> Call:
        """The call of a node with whole tiles: what buffers are sized for."""
        return call_of(self.graph, node, {}, self.nest.block_dim)

    def name(self, expr: Expr, wanted: str) -> None:
        """Gives an expression a local, unless it is a number, a symbol or has one already."""
        if isinstance(expr, (Int, Sym)) or expr in self._named:
            return
        name = self.names.fresh(wanted)
        self._add(name, self._level_of(expr), expr)
        self._named[expr] = name

    def elements(self, view: View) -> Expr:
        """Elements from the first to the last of an operand, row padding between them included, as a named expression."""
        key = view.dims, view.ub_strides
        if key in self._counts:
            return self._counts[key]
        count = self._counts[key] = elements(view)
        varying = [axis for axis, stride in zip(self.nest.vectorized, view.ub_strides, strict=False) if stride != ZERO]
        self.name(count, f"{'_'.join(varying)}_elems" if varying else "elems")
        return count

    def transfer(self, view: View) -> Transfer:
        """The instructions that move a view; many Loads of a nest move alike ones."""
        if view not in self._transfers:
            self._transfers[view] = transfer_of(view, self.chip)
        return self._transfers[view]

    def original_axes(self, axes: Iterable[str]) -> tuple[str, ...]:
        """The axes that some were cut from, each once."""
        return tuple(dict.fromkeys(self._original(axis) for axis in axes))

    def _original(self, axis: str) -> str:
        found = self.graph.axis_of[axis]
        return self._original(found.parents[0]) if found.kind in (AxisKind.TILE_IN, AxisKind.TILE_OUT) else axis

    def text(self, expr: Expr | int) -> str:
        """C++ text of an expression."""
        return self.printer.text(expr)

    # The locals that the text needs.

    @contextmanager
    def part(self) -> Generator[int]:
        """A part of the text that declares locals for itself; gives the number to ask `definitions` with."""
        printed, before = self.printer.used_names, dict(self.printer.used_names)
        number = len(self._parts)
        self._parts.append(())
        printed.clear()
        yield number
        self._parts[number] = tuple(printed)
        printed.update(before)

    def definitions(self, level: Level, part: int | None = None) -> list[str]:
        """`const int64_t …` lines of one level, of what a part or (None) all texts printed so far use.

        They stand in the order of declaration: each after what it needs.
        """
        needed = self._needed(self.printer.used_names if part is None else self._parts[part])
        return [
            f"const int64_t {name} = {self._value(local)};"
            for name, local in self._locals.items()
            if name in needed and local.level is level
        ]

    def _needed(self, used: Iterable[str]) -> set[str]:
        needed: set[str] = set()
        open_names = [name for name in used if name in self._locals]
        while open_names:
            name = open_names.pop()
            if name not in needed:
                needed.add(name)
                value = self._locals[name].value
                if not isinstance(value, str):
                    open_names += [used for used in self._printed_value(name, value)[1].used_names if used in self._locals]
        return needed

    def _value(self, local: Local) -> str:
        if isinstance(local.value, str):
            return local.value
        text, printer = self._printed_value(local.name, local.value)
        self.printer.used_helpers.update(printer.used_helpers)
        return text

    def _printed_value(self, name: str, value: Expr) -> tuple[str, CxxPrinter]:
        """The text of a local's expression, and the printer that noted what it uses; printed once."""
        if name not in self._printed:
            printer = self._printer_of(name)
            self._printed[name] = (printer.text(value), printer)
        return self._printed[name]

    def _printer_of(self, local: str) -> CxxPrinter:
        """A printer that knows every name but the local's own, and none declared after it."""
        known: dict[Expr, str] = {}
        for expr, name in self._named.items():
            if name == local:
                break
            known[expr] = name
        return CxxPrinter(names=known)

    def _add(self, name: str, level: Level, value: Expr | str) -> None:
        self._locals[name] = Local(name=name, level=level, value=value)
        self._level[name] = level

    def _level_of(self, expr: Expr) -> Level:
        return max((self._level.get(n.name, Level.FUNCTION) for n in topological(expr) if isinstance(n, Sym)), default=Level.FUNCTION)

    @property
    def actual_names(self) -> Mapping[str, str]:
        """The local that holds the actual length of a cut axis, by TILE_IN axis."""
        return {axis: found.name for axis, found in self._actual.items()}
