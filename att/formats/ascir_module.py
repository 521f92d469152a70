"""The modules that a builder script imports: `autofuse`, `autofuse.pyautofuse`, `autofuse.compile_adapter` and `ascir`.

They are made for one script and never enter `sys.modules`, so it does not matter whether a package of that name is installed, and scripts
can be read in many threads at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType, ModuleType
from typing import Final

from att.errors import GraphError
from att.formats.ascir import AscBackend, FusedGraph, HintGraph
from att.formats.ascir_base import UnknownAttributeError
from att.formats.ascir_ops import Axis, Graph, Operator, Output
from att.formats.attrs import DTYPES, OP_ALIASES, did_you_mean, find_op, op_hint
from att.formats.size_expr import SizeExpr, ceil_div_of, max_of, min_of, mod_of
from att.ir.dtype import DType
from att.ops.registry import OPS

SCRIPT_NAMES: Final[Mapping[str, object]] = MappingProxyType({"Max": max_of, "Min": min_of, "CeilDiv": ceil_div_of})
"""What a script may use without importing it: the client prints `Max` and `Min` in sizes without defining them (contract §3.4)."""

PLACEHOLDER: Final = "// not generated while a graph script is being read"
"""What `Autofuser.codegen` returns for each of its three texts."""


class Session:
    """What one script has built so far."""

    def __init__(self) -> None:
        self.hint_graphs: list[HintGraph] = []
        self.fused_graphs: list[FusedGraph] = []
        self.backends: list[AscBackend] = []

    def hint_graph(self, name: str | None = None) -> HintGraph:
        """`ascir.HintGraph(name)`."""
        self.hint_graphs.append(HintGraph(name))
        return self.hint_graphs[-1]

    def fused_graph(self, name: str | None = None) -> FusedGraph:
        """`ascir.FusedGraph(name)`."""
        self.fused_graphs.append(FusedGraph(name))
        return self.fused_graphs[-1]

    def backend(self, name: object, hint_graph: object, *arguments: object) -> AscBackend:
        """`ascir.ops.AscBackend(name, hint_graph, fused_graph)`."""
        self.backends.append(AscBackend(name, hint_graph, *arguments))
        return self.backends[-1]

    def modules(self) -> Mapping[str, ModuleType]:
        """The modules by their import name, bound to this session."""
        ascir = _module(
            "ascir",
            HintGraph=self.hint_graph,
            FusedGraph=self.fused_graph,
            SizeExpr=SizeExpr,
            Axis=Axis,
            Operator=Operator,
            OpsOperatorOutput=Output,
            Max=max_of,
            Min=min_of,
            Mod=mod_of,
            dtypes=_Dtypes(),
            ops=_Ops(self.backend),
        )
        pyautofuse = _module("autofuse.pyautofuse", ascir=ascir, Autofuser=Autofuser, AutofuserOptions=AutofuserOptions)
        adapter = _module("autofuse.compile_adapter", jit_compile=jit_compile)
        top = _module("autofuse", pyautofuse=pyautofuse, compile_adapter=adapter)
        return {"autofuse": top, "autofuse.pyautofuse": pyautofuse, "autofuse.compile_adapter": adapter, "ascir": ascir}


def _module(name: str, **members: object) -> ModuleType:
    module = ModuleType(name)
    module.__dict__.update(members)
    return module


class _Dtypes:
    """`ascir.dtypes`."""

    def __getattr__(self, name: str) -> DType:
        if name not in DTYPES:
            raise UnknownAttributeError(f"ascir.dtypes has no {name!r}", hint=did_you_mean(name, DTYPES))
        return DTYPES[name]


class _Ops:
    """`ascir.ops`: one constructor for each op."""

    def __init__(self, backend: Callable[..., AscBackend]) -> None:
        self.AscBackend = backend

    def __getattr__(self, name: str) -> Callable[..., Operator]:
        spec = find_op(name)
        if spec is None:
            raise UnknownAttributeError(f"ascir.ops has no op {name!r}", hint=op_hint(name, (*OPS, *OP_ALIASES)))
        return lambda *arguments: Operator(spec, *arguments)


class AutofuserOptions:
    """Accepts every option and uses none, as the real one does with unknown keywords."""

    def __init__(self, **options: object) -> None:
        self.options = options


class Autofuser:
    """Stands in for the compiler while a script is being read: nothing is scheduled."""

    def __init__(self, options: object = None) -> None:
        if not isinstance(options, AutofuserOptions):
            raise GraphError(f"Autofuser takes AutofuserOptions, got {options!r}", hint="Autofuser(AutofuserOptions(graph_type=1))")

    def schedule(self, graph: object) -> Token:
        """A token for the graph."""
        if not isinstance(graph, Graph):
            raise GraphError(f"schedule takes a HintGraph or a FusedGraph, got {graph!r}")
        return Token(graph)

    def codegen(self, result: object) -> tuple[str, str, str]:
        """Three placeholders."""
        if not isinstance(result, Token):
            raise GraphError(f"codegen takes what schedule returned, got {result!r}")
        return PLACEHOLDER, PLACEHOLDER, PLACEHOLDER

    def autofuse_backend(self, graph: object) -> tuple[str, str, str]:
        """Schedule and codegen in one."""
        return self.codegen(self.schedule(graph))


class Token:
    """Opaque result of `Autofuser.schedule`."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph


def jit_compile(*arguments: object, **options: object) -> None:
    """Compiles nothing while a script is being read."""
