"""A graph on its way to a template: what it is now, and the steps that made it so.

The steps are kept as texts on the ImplGraph (`trace`), so that anyone can apply them again to the HintGraph and get the same graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from att.errors import ScheduleError
from att.ir.graph import Graph, HintGraph, ImplGraph
from schedule.apart import KeepStores
from schedule.axes import DropIdleAxes, MergeAxes, NumberAxes, RenameAxes
from schedule.buffers import Place
from schedule.casts import DropNeedlessCasts
from schedule.cleanup import DropCopies, DropUnread, FoldScalarCasts, JoinBroadcasts
from schedule.hoist import LoadOncePerCore, SpreadOncePerCore
from schedule.inline import InlineBroadcasts
from schedule.joins import OverAllAxes, StorePart, StoreParts
from schedule.kept import WalkAndKeep
from schedule.legalize import Legalize
from schedule.lookups import LoadRows
from schedule.means import MeanAsSum
from schedule.online import SumOnline
from schedule.order import GatherLoop, Reorder
from schedule.packed import PackStores
from schedule.phases import FirstPhase, SecondPhase
from schedule.reduced_parts import KeepNest, ReduceParts
from schedule.redundant import DropRedundantBroadcasts
from schedule.share import ShareQueues
from schedule.split import BindBlock, BindCores, Fuse, Split
from schedule.splits import TakeSlices
from schedule.stages import WalkPerReduce
from schedule.transform import Transform, from_text, to_text
from schedule.transposes import FoldTransposes
from schedule.unaligned import PackRows
from schedule.unroll import UnrollReduce
from schedule.vectorize import Align, Vectorize

KINDS: Final[Mapping[str, type[Transform]]] = MappingProxyType({
    kind.__name__: kind
    for kind in (
        TakeSlices, FoldScalarCasts, DropCopies, JoinBroadcasts, DropUnread, Legalize, DropNeedlessCasts, MeanAsSum,
        RenameAxes, OverAllAxes, FoldTransposes, UnrollReduce, MergeAxes, LoadRows, DropIdleAxes, NumberAxes,
        StoreParts, StorePart, ReduceParts, KeepNest, KeepStores,
        FirstPhase, SecondPhase, SumOnline, WalkPerReduce, WalkAndKeep,
        Split, Fuse, BindBlock, BindCores, Reorder, GatherLoop, LoadOncePerCore,
        Vectorize, Align, DropRedundantBroadcasts, InlineBroadcasts, PackRows, PackStores, SpreadOncePerCore, Place, ShareQueues,
    )
})  # fmt: skip
"""Every transform, by its name in a trace."""


@dataclass(frozen=True, slots=True)
class Traced:
    """A graph and the steps that led to it."""

    graph: Graph
    steps: tuple[Transform, ...] = ()

    def then(self, steps: Iterable[Transform]) -> Traced:
        """After more steps. Raises ScheduleError where one does not fit."""
        graph, done = self.graph, self.steps
        for step in steps:
            graph, done = step.apply(graph), (*done, step)
        return Traced(graph, done)

    def finished(self, name: str) -> ImplGraph:
        """The loop nest under its own name, with its trace."""
        if not isinstance(self.graph, ImplGraph):
            raise ScheduleError(
                "the steps end before the graph has loops", where=self.graph.name, hint="order its axes and lay out its values"
            )
        return replace(self.graph, name=name, trace=tuple(to_text(step) for step in self.steps))


def replay(graph: HintGraph, trace: Iterable[str], name: str) -> ImplGraph:
    """The loop nest that a trace makes of a graph. Raises ParseError for a text that is no step, ScheduleError where one does not fit."""
    return Traced(graph).then(from_text(text, KINDS) for text in trace).finished(name)
