"""What the emission of one call sees: its operands as C++ texts, its place in the loop nest, and where its text goes."""

from __future__ import annotations

from dataclasses import dataclass

from att.errors import EmitError
from att.expr.core import Expr, Sym
from att.ir.dtype import DType
from att.ir.node import Node
from att.model.ub_capacity import partial_bytes
from att.ops.call import Call, View
from att.ops.spec import Costs, OpSpec
from codegen.body import Body
from codegen.dtypes import cxx_type
from codegen.scope import Scope

TMP: str = "tmp"
"""The shared temporary area, a `LocalTensor<uint8_t>`; also its name as storage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operand:
    """A value in UB, or a Scalar."""

    text: str
    """Its `LocalTensor`, or the literal of a Scalar."""
    view: View
    storage: str
    """Values with the same storage may share memory; `""` for a Scalar."""

    @property
    def is_scalar(self) -> bool:
        """Whether it is a number."""
        return not self.storage

    @property
    def dtype(self) -> DType:
        """Element type."""
        return self.view.dtype

    @property
    def cxx_type(self) -> str:
        """Element type in C++."""
        return cxx_type(self.view.dtype)


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """One call to emit."""

    scope: Scope
    body: Body
    node: Node
    spec: OpSpec
    call: Call
    """Dims are the actual ones, strides those of the full tile."""
    inputs: tuple[Operand, ...]
    output: Operand
    costs: Costs
    """The chip and cost set that temporary memory is counted with."""
    turn: Sym | None
    """Position in the inner loop, for a reduce that accumulates over it."""
    kept: str = ""
    """The `LocalTensor<uint8_t>` of what the node keeps from turn to turn (`att.model.ub_capacity.loop_areas`); `""`: nothing."""

    @property
    def api(self) -> str:
        """Public name of the AscendC call."""
        if self.spec.api is None:
            raise self.error("it names no AscendC call")
        return self.spec.api.name

    def count(self, operand: Operand | None = None) -> str:
        """Elements a flat call runs over: the whole padded tile of the output, or of another operand."""
        return self.scope.text(self.scope.elements((operand or self.output).view))

    def vector(self, text: str, *operands: Operand, scratch: bool = False) -> None:
        """A call that reads these operands (all inputs if none are given) and writes the output; `scratch`: and uses the temporary area."""
        reads = {o.storage for o in (operands or self.inputs) if o.storage}
        extra = {TMP} if scratch else set[str]()
        self.body.vector(text, reads=reads | extra, writes={self.output.storage} | extra)

    def again(self, text: str, *, scratch: bool = False) -> None:
        """A call that continues on the output in place."""
        extra = {TMP} if scratch else set[str]()
        self.body.vector(text, reads={self.output.storage} | extra, writes={self.output.storage} | extra)

    def partial_bytes(self) -> Expr:
        """Bytes of the partial result at the start of the temporary area; 0 if the call makes none."""
        return partial_bytes(self.scope.graph, self.scope.nest, self.node.name)

    def error(self, message: str, hint: str = "") -> EmitError:
        """An error about this node."""
        form = self.spec.api.form if self.spec.api else "…"
        return EmitError(
            f"{self.node.op} {self.node.name}: {message}", where=self.scope.graph.name, hint=hint or f"add it to codegen/calls/{form}.py"
        )
