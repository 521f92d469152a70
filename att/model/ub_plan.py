"""Addresses in UB for one loop nest with known sizes: first fit over lifetimes.

    position  0123456          q0  [    0,  8192)  always
    q0        #######          a   [ 8192, 12288)  1..3
    a         .###...          b   [ 8192, 10240)  5..6     a is dead, so b takes its place
    b         .....##

Kernels place their queues and buffers one after another (AscendC `InitBuffer` hands out addresses in call order, ascendc_api_facts §3);
that takes what the model counts. First fit may do better, because it places every value by itself; where it does worse, the kernel's order
is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

from att.errors import BackendBug


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """What needs a place: a queue with all its buffers, values that share memory in a TBuf, or the temporary area."""

    name: str
    block: str
    """The queue, TBuf or area that the kernel keeps it in."""
    size_bytes: int
    start: int
    stop: int
    """First and last position in the loop nest at which it is alive, both included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Area:
    """An item with its place."""

    item: Item
    offset_bytes: int

    @property
    def end_bytes(self) -> int:
        """The first byte behind it."""
        return self.offset_bytes + self.item.size_bytes


class Placement(StrEnum):
    """How the addresses of a plan came about."""

    FIRST_FIT = "first fit over lifetimes"
    IN_ORDER = "the kernel's order"


@dataclass(frozen=True, slots=True, kw_only=True)
class UbPlan:
    """Where everything lies in UB."""

    areas: tuple[Area, ...]
    """In the order of the items."""
    placement: Placement
    scratch_bytes: int
    """What instructions overwrite at the top of UB, outside all areas."""
    in_order_bytes: int
    """What the kernel takes by placing its blocks one after another, scratch included: the model's `ub_bytes`."""

    @property
    def peak_bytes(self) -> int:
        """UB in use, scratch included; at most `in_order_bytes`."""
        return _peak(self.areas) + self.scratch_bytes


def plan_ub(items: Sequence[Item], *, scratch_bytes: int = 0) -> UbPlan:
    """The addresses that take less UB: by first fit, or in the order of the blocks.

    Raises BackendBug if two items would be alive in one place.
    """
    in_order, fitted = _in_order(items), _first_fit(items)
    better = _peak(fitted) <= _peak(in_order)
    found = UbPlan(
        areas=fitted if better else in_order,
        placement=Placement.FIRST_FIT if better else Placement.IN_ORDER,
        scratch_bytes=scratch_bytes,
        in_order_bytes=_peak(in_order) + scratch_bytes,
    )
    for a, b in clashes(found.areas):
        raise BackendBug(f"{a.item.name} and {b.item.name} are alive in one place of UB, at byte {max(a.offset_bytes, b.offset_bytes)}")
    return found


def _peak(areas: Sequence[Area]) -> int:
    return max((area.end_bytes for area in areas), default=0)


def _in_order(items: Sequence[Item]) -> tuple[Area, ...]:
    """Every item at the start of its block, blocks one after another, each as large as its largest item."""
    sizes: dict[str, int] = {}
    for item in items:
        sizes[item.block] = max(sizes.get(item.block, 0), item.size_bytes)
    offsets: dict[str, int] = {}
    running = 0
    for block, size in sizes.items():
        offsets[block] = running
        running += size
    return tuple(Area(item=item, offset_bytes=offsets[item.block]) for item in items)


def _first_fit(items: Sequence[Item]) -> tuple[Area, ...]:
    """Items by first position, the larger first, each at the lowest place that is free while it is alive."""
    placed: dict[int, Area] = {}
    for i in sorted(range(len(items)), key=lambda i: (items[i].start, -items[i].size_bytes, i)):
        placed[i] = Area(item=items[i], offset_bytes=_lowest(items[i], tuple(placed.values())))
    return tuple(placed[i] for i in range(len(items)))


def _lowest(item: Item, placed: Sequence[Area]) -> int:
    taken = sorted((a.offset_bytes, a.end_bytes) for a in placed if _together(a.item, item))
    offset = 0
    for start, end in taken:
        if offset + item.size_bytes <= start:
            break
        offset = max(offset, end)
    return offset


def _together(a: Item, b: Item) -> bool:
    return a.start <= b.stop and b.start <= a.stop


def clashes(areas: Sequence[Area]) -> Iterator[tuple[Area, Area]]:
    """Pairs that are alive at one time and share a byte."""
    for a, b in combinations(areas, 2):
        if _together(a.item, b.item) and a.offset_bytes < b.end_bytes and b.offset_bytes < a.end_bytes:
            yield a, b
