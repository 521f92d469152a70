"""The fused operator as given (HintGraph), one scheduled loop nest of it (ImplGraph), and a template made of those."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

from att.expr.core import Sym, symbol
from att.ir.axis import Axis, Size
from att.ir.dtype import DType
from att.ir.node import Node


@dataclass(frozen=True, kw_only=True)
class Graph:
    """Nodes in topological order over declared axes and sizes."""

    name: str
    sizes: tuple[Size, ...] = ()
    """Shape symbols known only at run time."""
    axes: tuple[Axis, ...] = ()
    nodes: tuple[Node, ...] = ()

    @cached_property
    def node_of(self) -> Mapping[str, Node]:
        """Node by name."""
        return MappingProxyType({n.name: n for n in self.nodes})

    @cached_property
    def axis_of(self) -> Mapping[str, Axis]:
        """Axis by name."""
        return MappingProxyType({a.name: a for a in self.axes})

    @cached_property
    def consumers_of(self) -> Mapping[str, tuple[Node, ...]]:
        """Nodes that read a value, by the name of its producer, in graph order."""
        found: dict[str, list[Node]] = {n.name: [] for n in self.nodes}
        for node in self.nodes:
            for source in dict.fromkeys(node.inputs):
                found[source].append(node)
        return MappingProxyType({name: tuple(users) for name, users in found.items()})

    @property
    def data_nodes(self) -> tuple[Node, ...]:
        """Kernel inputs, by their index attribute."""
        return tuple(sorted((n for n in self.nodes if n.op == "Data"), key=lambda n: int(str(n.attrs["index"]))))

    @property
    def output_nodes(self) -> tuple[Node, ...]:
        """Kernel outputs, by their index attribute."""
        return tuple(sorted((n for n in self.nodes if n.op == "Output"), key=lambda n: int(str(n.attrs["index"]))))


@dataclass(frozen=True, kw_only=True)
class HintGraph(Graph):
    """The fused operator as given; nothing is scheduled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TileVar:
    """An unknown tile or block size of an ImplGraph, as written in its axis sizes."""

    name: str
    """`<inner axis>_size`."""
    axis: str
    """The TILE_IN or BLOCK_IN axis whose size it is."""
    maximum: int
    """Upper bound for every shape in the declared ranges."""

    @property
    def symbol(self) -> Sym:
        """The expression that stands for it."""
        return symbol(self.name, 1, self.maximum)


@dataclass(frozen=True, slots=True, kw_only=True)
class BufferVar:
    """An unknown number of buffers, shared by queues that hand over between the same pipes."""

    name: str
    """`<pipes>_buf_num`."""
    queues: tuple[int, ...]
    """Ids of the queues."""
    maximum: int

    @property
    def symbol(self) -> Sym:
        """The expression that stands for it."""
        return symbol(self.name, 1, self.maximum)


@dataclass(frozen=True, kw_only=True)
class ImplGraph(Graph):
    """One scheduled loop nest: axes split, loop and vector axes chosen, buffers placed; tile sizes are still unknowns."""

    variables: tuple[TileVar, ...] = ()
    buffer_vars: tuple[BufferVar, ...] = ()
    """Numbers of buffers that a solver chooses; no part of the graph's stored form (`att.model.buffers`)."""
    trace: tuple[str, ...] = ()
    """The steps that made it of its HintGraph, as the scheduler prints them; () where nobody knows."""


@dataclass(frozen=True, kw_only=True)
class Template:
    """A scheduled kernel: ImplGraphs that run one after another (one, except for reductions through workspace)."""

    name: str
    """Kind and cut axes, e.g. `general.z0.z1`."""
    tiling_key: int
    """Index among all templates generated for the graph, before any filter."""
    graph_name: str
    phases: tuple[ImplGraph, ...]
    axis_names: Mapping[str, str] = field(default_factory=dict[str, str])
    """Scheduler axis name (z0, z1 …) to the name in the HintGraph."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """A template that was considered and not kept."""

    name: str
    tiling_key: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """Why a template exists."""

    template: str
    purpose: str
    """What it does that others do not."""
    trigger: str
    """What in the graph called for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CastChange:
    """A Cast that the scheduler added for the chip's op table, or removed because it changes no value."""

    node: str
    """The Cast."""
    value: str
    """Node whose value it converts."""
    source: DType
    target: DType
    added: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """What the scheduler makes of one graph."""

    graph: HintGraph
    """The graph as scheduled, with its declared ranges."""
    templates: tuple[Template, ...]
    dropped: tuple[Dropped, ...]
    too_large: tuple[Template, ...] = ()
    """Dropped templates whose smallest tile exceeds UB, for whoever explains that."""
    whys: tuple[Why, ...] = ()
    """Purpose and trigger of the templates, where the scheduler made them."""
    casts: tuple[CastChange, ...] = ()
    """How the templates' casts differ from the graph's."""
    groups: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])
    """Group of every axis, X, Y, R or N, by the name of the loop nest, where the scheduler made it."""
