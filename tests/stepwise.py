"""A template's steps one by one, each with numbers: what the graph computes after it, against what the HintGraph computes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from att.expr.evaluate import evaluate
from att.ir.graph import ImplGraph
from att.ops.gm import input_elements, output_elements
from att.ops.reference import run_reference
from att.ops.spec import numpy_dtype
from schedule.trace import KINDS
from schedule.transform import from_text

SELECTING = {"FirstPhase", "SecondPhase", "StorePart", "KeepStores", "KeepNest"}
"""After these a graph computes a part of what it did: the rest is left to other phases."""
WORKSPACES = 1000
"""Workspaces become inputs and outputs with indices from here on."""


def unwritten(dtype):
    """A value that no graph here computes from its inputs."""
    return np.array(np.nan if dtype.kind not in "iub" else np.iinfo(dtype).max, dtype)


def written(array):
    """Which elements have been stored."""
    return ~np.isnan(array.astype(np.float64)) if array.dtype.kind not in "iub" else array != unwritten(array.dtype)


def numbers(graph, shape):
    """Kernel inputs by index; indices that pick are 0 and 1."""
    rng = np.random.default_rng(5)
    counts = zip(graph.data_nodes, input_elements(graph, shape), strict=True)
    return {int(node.attrs["index"]): rng.uniform(0.5, 2, n).astype(numpy_dtype(node.output.dtype)) for node, n in counts}


def blanks(graph, values, sizes=MappingProxyType({})):
    """Outputs in which nothing is stored yet, by the order of the Output nodes; `sizes`: elements by index, else as many as are needed."""
    counts = zip(graph.output_nodes, output_elements(graph, values), strict=True)
    return [np.full(sizes.get(int(node.attrs["index"]), needed), unwritten(numpy_dtype(node.output.dtype))) for node, needed in counts]


def close(got, expected, message):
    """Sums that are cut add in another order; all else is equal to the last bit."""
    tolerance = {2: 2e-2, 4: 1e-5}.get(got.dtype.itemsize, 0) if got.dtype.kind not in "iub" else 0
    np.testing.assert_allclose(got.astype(np.float64), expected.astype(np.float64), rtol=tolerance, atol=0, err_msg=message)


@dataclass
class Stepwise:
    """One template at one shape; `pick(n)` chooses each new tile size, or tiles for each core, among those that divide n."""

    graph: object
    shape: dict
    pick: object

    def __post_init__(self):
        self.inputs = numbers(self.graph, self.shape)
        start = blanks(self.graph, self.shape)
        found = run_reference(self.graph, [self.inputs[i] for i in sorted(self.inputs)], self.shape, start)
        self.expected = {int(node.attrs["index"]): array for node, array in zip(self.graph.output_nodes, found, strict=True)}
        self.known = {}

    def check(self, template):
        """Runs every step of every phase; the kinds of those that ran. Raises AssertionError at the first that changes what is computed."""
        self.values, self.workspaces, self.partials = dict(self.shape), {}, {}
        done = {i: np.zeros(array.shape, bool) for i, array in self.expected.items()}
        kinds = set()
        for phase in template.phases:
            for i, array in self._phase(phase, template.name).items():
                if i in self.expected:
                    done[i] |= written(array)
                else:
                    self.workspaces[i] = array
            kinds |= {text.partition("(")[0] for text in phase.trace}
        for i, array in self.expected.items():
            np.testing.assert_array_equal(done[i], written(array), err_msg=f"{template.name} stores output {i}")
        return kinds

    def _phase(self, phase, name):
        """What the finished phase stores, by index of the output or name of the workspace."""
        current, found = self.graph, None
        for done, text in enumerate(phase.trace, 1):
            current = from_text(text, KINDS).apply(current)
            self._choose(current)
            before, found = found, self._results(current, phase.trace[:done])
            message = f"{name} after {text} with {self.values}"
            self._compare(found, message)
            if before is not None and text.partition("(")[0] not in SELECTING:
                self._compare_places(before, found, message)
        return found

    def _compare(self, found, message):
        """What is stored in outputs is what the HintGraph stores there, and in workspaces what the first step that had them stored."""
        for i, array in found.items():
            expected = self.expected[i] if i in self.expected else self.partials.setdefault(i, array)
            stored = written(array)
            close(array[stored], expected[stored], message)

    def _compare_places(self, before, found, message):
        for i, expected in self.expected.items():
            nothing = np.full_like(expected, unwritten(expected.dtype))
            np.testing.assert_array_equal(written(before.get(i, nothing)), written(found.get(i, nothing)), err_msg=message)

    def _choose(self, graph):
        for variable in graph.variables if isinstance(graph, ImplGraph) else ():
            if variable.name not in self.values:
                (parent,) = graph.axis_of[variable.axis].parents
                self.values[variable.name] = self.pick(evaluate(graph.axis_of[parent].size, self.values))

    def _results(self, graph, trace):
        """What the graph stores, by index of an output or name of a workspace; workspaces that it only reads are inputs."""
        used = tuple(sorted((v.name, self.values[v.name]) for v in graph.variables)) if isinstance(graph, ImplGraph) else ()
        reads = any(node.op == "Workspace" and not node.inputs for node in graph.nodes)
        key = (trace, used)
        if reads or key not in self.known:
            self.known[key] = self._run(graph)
        return self.known[key]

    def _run(self, graph):
        nodes, names = [], {}
        for node in graph.nodes:
            if node.op == "Workspace":
                names[WORKSPACES + len(names)] = node.name
                node = replace(node, op="Output" if node.inputs else "Data", attrs={"index": WORKSPACES + len(names) - 1})
            nodes.append(node)
        whole = replace(graph, nodes=tuple(nodes))
        given = {**self.inputs, **{i: self.workspaces.get(name) for i, name in names.items()}}
        arrays = [given[int(node.attrs["index"])] for node in whole.data_nodes]
        found = run_reference(whole, arrays, self.values, blanks(whole, self.values, {i: array.size for i, array in self.expected.items()}))
        indices = (int(node.attrs["index"]) for node in whole.output_nodes)
        return {names.get(i, i): array for i, array in zip(indices, found, strict=True)}
