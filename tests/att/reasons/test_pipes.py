"""What is said about the pipe that decides: what takes most of it, and how many cores start."""

from __future__ import annotations

from att.formats.builder import GraphBuilder
from att.reasons.explain import explain
from att.solve.request import make_request


def sentences(rows: int, columns: int) -> str:
    g = GraphBuilder("relu", {"m": rows, "n": columns})
    g.store("y", g.op("Relu", g.load("x", ("m", "n"))))
    found = explain(g.build(), make_request(shape={}))
    return "\n".join(found.summary)


def test_what_is_short_waits_for_the_first_byte() -> None:
    said = sentences(3, 5)
    assert "of it the head that is paid once" in said
    assert "starting 1 core takes" in said


def test_what_is_long_moves_bytes() -> None:
    said = sentences(4096, 4096)
    assert "of it load" in said
    assert "starting 48 cores takes" in said
