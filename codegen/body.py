"""The statements of a kernel function while they are written, and which of them the vector pipe must keep apart.

Vector instructions are issued in order but may overlap; one that depends on an earlier one needs `PipeBarrier<PIPE_V>()` between them
(ascendc_api_facts §4). Storage that was written or read since the last barrier is remembered, so a barrier is written only where an
instruction touches such storage again. What a loop did in its last turn is unknown to its next, so there everything counts as touched.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from att.expr.core import Expr, mul
from codegen.helpers import helper_names
from codegen.writer import Writer

BARRIER: Final = "PipeBarrier<PIPE_V>();"

BEGIN: Final = "@begin "
END: Final = "@end "
COUNT: Final = "@count "
"""Marker lines, which `codegen.assemble` takes out: where a node's text begins and ends, and which line is a counted call."""

_CALLED: Final = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class CountedCall:
    """A public API call in the text of a node."""

    node: str
    api: str
    turns: Expr
    """How often it runs in one call of the node: the turns of the loops around it."""


class Body:
    """Writes statements; vector calls say what storage they read and write."""

    def __init__(self) -> None:
        self.writer = Writer()
        self.helpers: dict[str, None] = {}
        """Helper functions that the text calls, in order of first use."""
        self.expression_helpers: dict[str, None] = {}
        """Functions of `codegen.cxx_expr` that it calls outside printed expressions."""
        self.counted: list[CountedCall] = []
        self._node: str | None = None
        self._turns: list[Expr] = []
        self._conditions = 0
        self._read: set[str] = set()
        self._written: set[str] = set()
        self._unknown = False

    def line(self, text: str) -> None:
        """A statement that is no call to count."""
        self.writer.line(text)

    def transfer(self, text: str) -> None:
        """A load or store."""
        self._count(text)
        self.writer.line(text)

    @contextmanager
    def node(self, name: str) -> Generator[None]:
        """What is written inside is the text of a node."""
        self.writer.line(f"{BEGIN}{name}")
        outer, self._node, self._turns = self._turns, name, []
        yield
        self._node, self._turns = None, outer
        self.writer.line(f"{END}{name}")

    def _count(self, text: str) -> None:
        """Marks a public API call that runs at every turn of the loops around it."""
        if self._node is None or self._conditions:
            return
        called = _CALLED.match(text)
        if called is None or called.group() in helper_names():
            return
        self.writer.line(f"{COUNT}{len(self.counted)}")
        self.counted.append(CountedCall(self._node, called.group(), mul(*self._turns)))

    def comment(self, text: str) -> None:
        """A `//` comment, set off from what is above it."""
        self.writer.blank()
        self.writer.comment(text)

    def uses(self, *helpers: str) -> None:
        """Notes that the text calls these helper functions."""
        self.helpers.update(dict.fromkeys(helpers))

    def uses_expression(self, helper: str) -> None:
        """Notes that the text calls a function of `codegen.cxx_expr`."""
        self.expression_helpers[helper] = None

    def vector(self, text: str, *, reads: Iterable[str] = (), writes: Iterable[str] = ()) -> None:
        """A vector call, after a barrier if it depends on a call since the last one."""
        reading, writing = set(reads), set(writes)
        if self._unknown or reading & self._written or writing & (self._written | self._read):
            self.barrier()
        self._count(text)
        self.writer.line(text)
        self._read |= reading
        self._written |= writing

    def barrier(self) -> None:
        """All earlier vector calls are complete before later ones start."""
        self.writer.line(BARRIER)
        self._read.clear()
        self._written.clear()
        self._unknown = False

    @contextmanager
    def loop(self, head: str, turns: Expr | None = None) -> Generator[None]:
        """A loop with so many turns, or (None) a condition. What ran before its first statement and before what follows is not known."""
        self._unknown = True
        if turns is None:
            self._conditions += 1
        else:
            self._turns.append(turns)
        with self.writer.block(head):
            yield
        if turns is None:
            self._conditions -= 1
        else:
            self._turns.pop()
        self._unknown = True

    def branch(self, condition: str, then: Callable[[], None], otherwise: Callable[[], None]) -> None:
        """`if … else …`; calls in it are not counted, for how often they run is not known here."""
        self._unknown, self._conditions = True, self._conditions + 1
        with self.writer.block(f"if ({condition})", tail=""):
            then()
        self._unknown = True
        with self.writer.block("} else"):
            otherwise()
        self._unknown, self._conditions = True, self._conditions - 1
