"""What the structural checks share: where a fault is, and which symbols an expression may use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from att.errors import GraphError
from att.expr.core import Expr, Sym
from att.expr.node import topological
from att.ir.axis import MAX_SIZE, Size
from att.ir.graph import Graph, TileVar

MAX_TENSOR_ELEMS = 2**36
"""Largest tensor, elements (design §4, Shapes)."""


def at(graph: Graph, part: str = "") -> str:
    """`graph g` or `graph g, node n`."""
    return f"graph {graph.name}, {part}" if part else f"graph {graph.name}"


@dataclass(frozen=True, slots=True)
class Scope:
    """The symbols that expressions of a graph may use."""

    symbols: Mapping[str, Sym]
    variables: tuple[TileVar, ...]
    """Own variables, and those of earlier phases."""

    @classmethod
    def of(cls, sizes: Iterable[Size], variables: tuple[TileVar, ...]) -> Scope:
        """Declared sizes, whose ranges are sound, and variables. A variable with an empty range is left out."""
        shapes = {s.name: s.symbol for s in sizes}
        tiles = {v.name: v.symbol for v in variables if v.maximum >= 1}
        return cls(MappingProxyType({**shapes, **tiles}), variables)

    def require_known(self, expr: Expr, where: str, what: str) -> None:
        """Raises GraphError if a symbol of the expression is not declared, or is declared with another range."""
        for node in topological(expr):
            if not isinstance(node, Sym):
                continue
            declared = self.symbols.get(node.name)
            if declared is None:
                raise GraphError(
                    f"{what} uses the size {node.name}, which is not declared",
                    where=where,
                    hint=f"declare it, or use one of: {', '.join(sorted(self.symbols)) or 'none is declared'}",
                )
            if declared != node:
                raise GraphError(
                    f"{what} uses {node.name} with the range {_span(node)}, but it is declared with {_span(declared)}",
                    where=where,
                    hint="take the symbol from the declaration",
                )

    def require_extent(self, expr: Expr, where: str, what: str) -> None:
        """Raises GraphError unless the expression uses declared symbols and can lie in 0..MAX_SIZE, elements."""
        self.require_known(expr, where, what)
        if expr.hi < 0:
            raise GraphError(f"{what} is negative ({_span(expr)})", where=where, hint=f"allowed are 0..{MAX_SIZE} elements")
        if expr.lo > MAX_SIZE:
            raise GraphError(f"{what} is {_span(expr)}, above the limit of {MAX_SIZE} elements", where=where, hint="split the tensor")


def _span(expr: Expr) -> str:
    steps = f" in steps of {expr.multiple}" if isinstance(expr, Sym) and expr.multiple > 1 else ""
    return f"{expr.lo}" if expr.lo == expr.hi else f"{expr.lo}..{expr.hi}{steps}"
