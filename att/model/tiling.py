"""The narrow waist: one integer model per template. Rules write it; every solver, checker and printer reads it.

The time of a kernel is `sum over phases of (launch + max over pipes)`; a pipe's time is its head plus the larger of what the first and the
last core spend (`PipeTime.cores`), because a core in between never spends more than both. Under the pipeline objective chains of pipes
stand in place of the pipes (`Chain`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType

from att.expr.choice import maximum, where
from att.expr.compare import eq
from att.expr.core import Expr, Sym, add, integer, mul
from att.ir.axis import Size
from att.model.policy import Policy
from att.ops.call import CostSet, Pipe

_ZERO, _ONE = integer(0), integer(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Which rule produced a constraint, on what, in a sentence."""

    family: str
    """One constraint family: `ub_capacity`, `core_count`, `axis_bounds`, `divisibility`, `alignment`, `queue_count` …"""
    subject: str
    """The tensor, axis, queue or resource it is about."""
    text: str
    """A sentence a person can read."""


class VarRole(StrEnum):
    """What a variable sizes."""

    TILE = "tile"
    """Elements of an axis per UB iteration."""
    BLOCK = "block"
    """UB iterations per core."""
    BUFFER = "buffer"
    """Buffers of the queues between two pipes, 1 or 2; the pipeline objective only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Var:
    """An unknown. Its symbol carries the domain `lower..upper` in steps of `multiple_of`."""

    symbol: Sym
    role: VarRole
    axis: str
    """The TILE_IN or BLOCK_IN axis it sizes; for buffers the queues, `q0,q1`."""
    upper: Expr
    """Upper bound in terms of shapes and other variables (for a block variable: the number of iterations to share)."""
    rank: int
    """Solving order of the axis-sorting heuristic: the axis that is cut last has the smallest rank (S1 §5.3.2)."""
    rank_of_short_rows: int | None = None
    """The rank where `TilingModel.short_rows` is 1; None: `rank`."""
    soft_align: int = 1
    """The heuristic rounds the tile down to a multiple of so many elements, 32 bytes, unless it is tiny (att_facts §2.4)."""
    cache_line_elems: Expr = _ONE
    """Smallest tile whose transfers reach a cache line while other tiles are large, elements (att_facts §2.5)."""

    @property
    def name(self) -> str:
        """Variable name, `<axis>_size`."""
        return self.symbol.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Leq:
    """`lhs <= rhs`."""

    lhs: Expr
    rhs: Expr
    origin: Origin
    unit: str = ""
    """`B`, `cores`, `elements` …, for messages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Divides:
    """`dividend` is a multiple of `divisor`."""

    divisor: Expr
    dividend: Expr
    origin: Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A variable takes one of the listed values."""

    var: str
    values: tuple[int, ...]
    origin: Origin


Constraint = Leq | Divides | Member


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeTime:
    """What one node costs one core on one pipe."""

    node: str
    ticks: Expr
    """Paid once."""
    full: Expr = _ZERO
    """Paid in every pass with a whole block tile."""
    tail: Expr = _ZERO
    """Paid in every pass with the last, shorter block tile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreTime:
    """What one core spends on one pipe, without the head."""

    ticks: Expr
    """The sum over `nodes`, factored so that it has few products."""
    nodes: tuple[NodeTime, ...]
    """The same time by node, for reports; a problem may leave it out."""
    fulls: Expr = _ZERO
    """Passes with a whole block tile."""
    tails: Expr = _ZERO
    """Passes with the last block tile."""

    def ticks_of(self, node: NodeTime) -> Expr:
        """What one of its nodes costs over the whole kernel."""
        return add(node.ticks, mul(self.fulls, node.full), mul(self.tails, node.tail))


@dataclass(frozen=True, slots=True, kw_only=True)
class PipeTime:
    """Time of one pipe, ticks."""

    pipe: Pipe
    head: Expr
    """Fixed cost of using the pipe, ticks."""
    cores: tuple[CoreTime, ...]
    """For each distinguished core (first, last) what it spends; the slower one counts."""

    @property
    def total(self) -> Expr:
        """Head plus the slowest core's work, ticks."""
        return add(self.head, maximum(*(core.ticks for core in self.cores)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """Pipes whose work adds up, with what comes before and after them (`att.model.overlap`), ticks."""

    pipes: tuple[Pipe, ...]
    """One pipe, or two that take turns."""
    buffers: Expr
    """Two pipes take turns where this is 1, and overlap elsewhere; 1 for a pipe by itself."""
    fill: Expr
    """What is done before the first of them can start."""
    drain: Expr
    """What is left to do when the last of them ends."""

    def ticks(self, totals: Mapping[Pipe, Expr]) -> Expr:
        """Fill, the time of each of its pipes, and drain; 0 where the pipes overlap."""
        return where(eq(self.buffers, 1), add(self.fill, *(totals[pipe] for pipe in self.pipes), self.drain), 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Makespan:
    """Modelled time of one phase."""

    launch: Expr
    """Cost of starting the cores in use, ticks."""
    pipes: tuple[PipeTime, ...]
    block_dim: Expr
    """Cores in use."""
    ub_bytes: Expr
    """UB in use, without the reserved part, bytes."""
    chains: tuple[Chain, ...] = ()
    """The pipeline objective's; none for the bottleneck objective."""

    @property
    def ticks(self) -> Expr:
        """`launch + max over pipes`, or over chains where there are any, ticks."""
        return add(self.launch, self.busiest({pipe.pipe: pipe.total for pipe in self.pipes}))

    def busiest(self, totals: Mapping[Pipe, Expr]) -> Expr:
        """The largest of the times of the pipes, given by pipe, or of what the chains make of them, ticks."""
        return maximum(*(chain.ticks(totals) for chain in self.chains) if self.chains else totals.values())


@dataclass(frozen=True, kw_only=True)
class TilingModel:
    """The integer model of one template, its shape symbols still free."""

    template: str
    tiling_key: int
    chip: str
    cost: CostSet
    ub_capacity_bytes: int
    sizes: tuple[Size, ...]
    variables: tuple[Var, ...]
    constraints: tuple[Constraint, ...]
    phases: tuple[Makespan, ...]
    tie_break: tuple[Expr, ...]
    """Minimised in order among tilings of equal time; total, so that every exact solver returns the same tiling."""
    workspace_bytes: Expr
    estimated_ops: tuple[str, ...] = ()
    """Ops whose cost is an estimate or borrowed."""
    short_rows: Expr = _ZERO
    """1 where the axis-sorting heuristic gives UB to rows before reduced axes (att_facts §4.1), else 0."""
    policy: Policy = Policy()  # noqa: RUF009 (immutable)
    """Settings of the axis-sorting heuristic."""

    @cached_property
    def objective(self) -> Expr:
        """Time of the kernel, ticks."""
        return add(*(p.ticks for p in self.phases))


@dataclass(frozen=True, kw_only=True)
class Problem(TilingModel):
    """A TilingModel with every shape known: the only free symbols are its variables, whose domains are tight.

    Its expressions are simplified for those domains and mean nothing outside them; `check` and `evaluate` read `source`.
    """

    shape: Mapping[str, int]
    source: TilingModel
    """The model it was bound from."""
    fixed: Mapping[str, int] = field(default_factory=dict[str, int])
    """Variables the user fixed."""
    contradiction: Constraint | None = None
    """A constraint that intervals alone refute: no tiling exists. Domains are then the last ones before it."""


Tiling = Mapping[str, int]
"""A value for every variable, by name."""

EMPTY: Tiling = MappingProxyType({})
