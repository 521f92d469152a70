"""DMA limits are stated where a tiling that fits in UB could exceed a field, and nowhere else."""

from __future__ import annotations

from att.chips import load_chip
from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.ir.dtype import DType
from att.ir.graph import HintGraph
from att.model.bind import bind
from att.model.build import build_model
from att.model.check import check
from att.model.dma_limits import FAMILY
from att.model.options import ModelOptions
from benchmarks.make_graphs import dynamic_graph
from schedule.generate import schedule_graph

CHIP = load_chip("ascend910b1")


def _apart(stride: int, dtype: DType = DType.FLOAT16) -> HintGraph:
    """Every element of the input lies `stride` elements from the next."""
    n = Size(name="n", maximum=1_000_000)
    g = GraphBuilder("apart", {"a": n.symbol}, (n,))
    g.store("y", g.op("Abs", g.load("x", ("a",), dtype, strides=(stride,))))
    return g.build()


def _subjects(graph: HintGraph) -> list[tuple[str, str]]:
    models = [build_model(t, CHIP, ModelOptions()) for t in schedule_graph(graph, CHIP).templates]
    return [(c.origin.subject, c.origin.text.partition(" of ")[0]) for m in models for c in m.constraints if c.origin.family == FAMILY]


def test_rows_of_a_double_buffered_queue_fill_ub_first() -> None:
    for name in ("abs", "layer_norm", "swiglu"):
        assert _subjects(dynamic_graph(name)) == []


def test_partial_results_leave_one_by_one() -> None:
    """Those of one chunk lie apart in the workspace, a row's side by side."""
    assert _subjects(dynamic_graph("amax_keep")) == [("max_store", "blocks")]


def test_single_elements_are_limited() -> None:
    graph = _apart(3)
    assert _subjects(graph) == [("load", "blocks")]
    (template,) = schedule_graph(graph, CHIP).templates
    problem = bind(build_model(template, CHIP, ModelOptions(align_bytes=None)), {"n": 100_000})
    (violation,) = check(problem, {"z0t_size": 4096, "z0Tb_size": 25})
    assert (violation.family, violation.got, violation.allowed) == (FAMILY, 4096, 4095)
    assert check(problem, {"z0t_size": 4095, "z0Tb_size": 25}) == ()


def test_gaps_beyond_the_field_are_refused() -> None:
    far = _apart(2**31 - 1, DType.FLOAT32)
    assert _subjects(far) == [("load", "blocks"), ("load", "the gap between blocks in GM")]


def test_stored_blocks_that_may_overlap_are_kept_apart() -> None:
    """Rows of n elements, s elements from one to the next: a tile of whole rows needs n <= s; where s is n or more nothing is stated."""
    sizes = tuple(Size(name=name, maximum=1000) for name in "mns")
    m, n, s = (size.symbol for size in sizes)
    for stride, expected in ((s, [("store", "the blocks")]), (n, []), (n * 2, []), (n + 5, [])):
        g = GraphBuilder("rows", {"a": m, "b": n}, sizes)
        g.store("y", g.op("Abs", g.load("x", ("a", "b"))), strides=(stride, 1))
        assert _subjects(g.build()) == expected
