"""No two items are ever alive in one place, and the plan takes no more than the kernel's own order."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from att.model.ub_plan import Area, Item, Placement, clashes, plan_ub


@st.composite
def items(draw):
    count = draw(st.integers(1, 12))
    found = []
    for i in range(count):
        start = draw(st.integers(0, 15))
        found.append(
            Item(name=f"v{i}", block=f"b{i}", size_bytes=32 * draw(st.integers(0, 40)), start=start, stop=draw(st.integers(start, 16)))
        )
    return found


def brute_peak(found):
    """Most bytes alive at one position: no plan takes less."""
    return max(sum(i.size_bytes for i in found if i.start <= at <= i.stop) for at in range(17))


@given(items())
def test_live_items_never_share_a_byte(found):
    plan = plan_ub(found, scratch_bytes=64)
    assert [a.item for a in plan.areas] == found
    for position in range(17):
        alive = sorted((a.offset_bytes, a.end_bytes) for a in plan.areas if a.item.start <= position <= a.item.stop and a.item.size_bytes)
        assert all(end <= start for (_, end), (start, _) in pairwise(alive))
    assert brute_peak(found) + 64 <= plan.peak_bytes <= plan.in_order_bytes == sum(i.size_bytes for i in found) + 64


def test_a_dead_value_leaves_its_place():
    queue = Item(name="q0", block="q0", size_bytes=8192, start=0, stop=6)
    a = Item(name="a", block="b0", size_bytes=4096, start=1, stop=3)
    b = Item(name="b", block="b1", size_bytes=2048, start=5, stop=6)
    plan = plan_ub([queue, a, b])
    assert [area.offset_bytes for area in plan.areas] == [0, 8192, 8192]
    assert (plan.placement, plan.peak_bytes, plan.in_order_bytes) == (Placement.FIRST_FIT, 12288, 14336)


def test_the_kernels_order_is_kept_where_first_fit_takes_more():
    """`b` lies above `a`, so that `c` and `d` fit neither below nor beside it."""

    def item(name, block, size, start, stop):
        return Item(name=name, block=block, size_bytes=size, start=start, stop=stop)

    found = [item("a", "b0", 64, 0, 0), item("b", "b1", 32, 0, 2), item("c", "b0", 96, 1, 1), item("d", "b0", 96, 2, 3)]
    plan = plan_ub(found)
    assert (plan.placement, plan.peak_bytes, plan.in_order_bytes) == (Placement.IN_ORDER, 128, 128)


def test_a_clash_is_seen():
    a = Item(name="a", block="a", size_bytes=64, start=0, stop=2)
    b = Item(name="b", block="b", size_bytes=64, start=2, stop=3)
    assert list(clashes([Area(item=a, offset_bytes=0), Area(item=b, offset_bytes=32)]))
    assert not list(clashes([Area(item=a, offset_bytes=0), Area(item=b, offset_bytes=64)]))
