"""The last step of every reader: a graph is checked before anyone sees it."""

from __future__ import annotations

from typing import TypeVar

from att.errors import GraphError
from att.ir.graph import HintGraph, Template
from att.ir.verify import verify_template
from att.ops.verify import verify_graph, verify_ops

G = TypeVar("G", HintGraph, Template)


def checked(graph: G, where: str) -> G:
    """The graph itself. Raises GraphError with the source in its `where` if it is structurally wrong."""
    try:
        if isinstance(graph, HintGraph):
            verify_graph(graph)
        else:
            verify_template(graph)
            for phase in graph.phases:
                verify_ops(phase)
    except GraphError as error:
        place = f"{where}: {error.where}" if error.where else where
        raise GraphError(error.message, where=place, hint=error.hint) from None
    return graph
