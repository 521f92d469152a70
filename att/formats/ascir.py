"""The graphs of the builder API, recording what a script builds (backend_client_contract §2.2, §2.3).

Strict where the real API is: an attribute that does not exist, an axis of another graph or a value of the wrong type is refused at
once, so the error names the line of the script. Unlike the real API, `/` floors, `Argmax` is `ArgMax`, `float64` is `double`, and
`create_size` and `create_axis` take the keywords that keep what graph files say of sizes and axes.
"""

from __future__ import annotations

from collections.abc import Sequence

from att.errors import GraphError
from att.formats.ascir_base import items, text
from att.formats.ascir_ops import NO_ATTRS, Axis, Graph, Operator, Output, graph_of
from att.formats.size_expr import SizeExpr, lift
from att.ir import axis as records
from att.ir.axis import MAX_SIZE
from att.ir.dtype import DType
from att.ops.infer import infer_dtype


class HintGraph(Graph):
    """A fused operator under construction."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.sizes: list[records.Size] = []
        self.axes: list[Axis] = []

    def create_size(self, name: str, *, min: int = 1, max: int = MAX_SIZE, multiple_of: int = 1) -> SizeExpr:
        """Declares a size known only at run time."""
        size = records.Size(name=text(self, name), minimum=min, maximum=max, multiple_of=multiple_of)
        self.sizes.append(size)
        return SizeExpr(size.symbol)

    def create_axis(
        self, name: str, size: object, *, align: int = 1, allow_oversize: bool = False, allow_unaligned_tail: bool = True
    ) -> Axis:
        """Declares an axis."""
        record = records.Axis(
            name=text(self, name),
            size=lift(size),
            align=align,
            allow_oversize=allow_oversize,
            allow_unaligned_tail=allow_unaligned_tail,
        )
        axis = Axis(self, len(self.axes), record)
        self.axes.append(axis)
        return axis

    def infer_dtypes(self) -> None:
        """Gives every output without a dtype the one its op derives from its inputs. Raises GraphError naming the node."""
        for operator in in_order(self.operators):
            if operator.y.dtype is None:
                operator.y.dtype = inferred_dtype(operator)

    def get_name(self) -> str | None:
        """Its name."""
        return self.name

    def set_name(self, name: str) -> None:
        """Renames it."""
        self.name = text(self, name)


class FusedGraph(Graph):
    """A kernel under construction: Data, AscBackend and Output."""


class AscBackend(Operator):
    """A HintGraph as one operator of a FusedGraph; entry i of `x` and `y` is the Data and Output with index i."""

    hint_graph: HintGraph

    def __init__(self, name: object, hint_graph: object, *arguments: object) -> None:
        if not isinstance(hint_graph, HintGraph):
            raise GraphError(
                f"AscBackend takes a HintGraph after its name, got {hint_graph!r}", hint="AscBackend(name, hint_graph, fused_graph)"
            )
        self.keep(
            name=text(self, name),
            type="AscBackend",
            graph=None,
            operands=("x",),
            attr_types=NO_ATTRS,
            linked={},
            hint_graph=hint_graph,
        )
        outputs = {o.attr.ir_attr.values.get("index") for o in hint_graph.operators if o.type == "Output"}
        self.keep(y=[Output(self, i) for i in range(len(outputs))])
        self.join(graph_of(self.name, arguments))

    def __setattr__(self, name: str, value: object) -> None:
        if name == "x":
            given = len(items(value, "inputs"))
            inputs = sum(o.type in ("Data", "ScalarData") for o in self.hint_graph.operators)
            if given != inputs:
                raise GraphError(f"{self.name}: x has {given} entries, its graph has {inputs} inputs", hint="link every input")
        super().__setattr__(name, value)


def in_order(operators: Sequence[Operator]) -> list[Operator]:
    """Operators after what they read, else in the order given. What lies on a cycle comes out in some order."""
    found: dict[Operator, None] = {}
    entered: set[Operator] = set()
    for root in operators:
        stack = [(root, False)]
        while stack:
            operator, done = stack.pop()
            if done:
                found[operator] = None
            elif operator not in entered:
                entered.add(operator)
                stack.append((operator, True))
                stack.extend((source.owner, False) for source in reversed(list(operator.sources)))
    return list(found)


def inferred_dtype(operator: Operator) -> DType:
    """The dtype its op derives from its inputs. Raises GraphError naming the operator if it cannot be derived."""
    dtypes = [source.dtype for source in operator.sources]
    known = tuple(dtype for dtype in dtypes if dtype is not None)
    if not dtypes or len(known) < len(dtypes):
        raise GraphError(f"{operator.name}: its dtype is not set and cannot be inferred from its inputs", hint="set its y.dtype")
    scalars = [source.owner.type == "Scalar" for source in operator.sources]
    try:
        return infer_dtype(operator.type, known, scalars if any(scalars) else ())
    except GraphError as error:
        raise GraphError(f"{operator.name}: {error.message}", hint="set its y.dtype") from None
