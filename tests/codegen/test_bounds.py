"""The reference run refuses values of which the hardware leaves open what becomes of them."""

from __future__ import annotations

import numpy as np
import pytest

from att.errors import GraphError
from att.formats.builder import GraphBuilder
from att.ir.dtype import DType
from codegen.bounds import BoundedRun

NARROWED = {DType.INT64: DType.INT32, DType.INT32: DType.INT16}


@pytest.mark.parametrize(("wide", "narrow"), NARROWED.items())
def test_an_integer_too_large_for_its_cast_is_refused(wide: DType, narrow: DType) -> None:
    g = GraphBuilder("narrowed", {"a": 3})
    g.store("y", g.cast(g.load("x", ("a",), wide), narrow))
    graph, largest = g.build(), np.iinfo(narrow).max
    fits = np.array([-largest - 1, 0, largest], wide)
    assert np.array_equal(BoundedRun(graph, {}, (fits,)).outputs[0].values, fits)
    with pytest.raises(GraphError, match=f"Cast cast makes {narrow} of a larger integer"):
        BoundedRun(graph, {}, (fits + 1,))
