"""Builder scripts: runs one as Python and takes the graph it has built (design §7).

A script is executed with the rights of the user; only run scripts you trust. What it imports as `autofuse` or `ascir` comes from
`att.formats.ascir_module`; what it prints goes to stderr. Whatever goes wrong in it becomes a GraphError or ParseError with its line.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from types import CodeType, ModuleType, TracebackType
from typing import NoReturn

from att.errors import AttError, GraphError, ParseError
from att.formats.ascir_module import SCRIPT_NAMES, Session
from att.formats.checked import checked
from att.formats.files import as_text, read_bytes
from att.formats.recorded import recorded_graph
from att.formats.script_write import to_script
from att.ir.graph import HintGraph

__all__ = ["load_script", "run_script", "to_script"]


def load_script(path: str | Path) -> HintGraph:
    """The graph that the script at `path` builds. Raises ParseError (not Python) or GraphError (anything else), with its line."""
    return run_script(as_text(read_bytes(Path(path)), str(path)), str(path), Path(path).stem)


def run_script(source: str, where: str, stem: str) -> HintGraph:
    """The graph that a script builds. `where` names it in errors, `stem` names the graph if it does not."""
    session = Session()
    _execute(_compile(source, where), where, session)
    try:
        graph = recorded_graph(session, stem)
    except GraphError as error:
        raise GraphError(error.message, where=where, hint=error.hint) from None
    return checked(graph, where)


def _compile(source: str, where: str) -> CodeType:
    try:
        return compile(source, where, "exec", dont_inherit=True)
    except SyntaxError as error:
        line = (error.text or "").rstrip()
        start = max(0, (error.offset or 1) - 1)
        stop = (error.end_offset or 0) - 1 if error.end_lineno == error.lineno else len(line)
        place = f"{where}, line {error.lineno}" if error.lineno else where
        raise ParseError(f"it is not Python: {error.msg}", text=line, span=(start, stop), where=place) from None
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        raise ParseError(f"it is not Python: {error or 'nested too deeply'}", where=where) from None


def _execute(code: CodeType, where: str, session: Session) -> None:
    modules = session.modules()
    names = {**vars(builtins), **SCRIPT_NAMES, "__import__": partial(_import, modules), "print": partial(print, file=sys.stderr)}
    try:
        exec(code, {"__name__": "__main__", "__file__": where, "__builtins__": names})
    except (Exception, SystemExit) as error:
        _raise_at_line(error, where)


def _import(
    modules: Mapping[str, ModuleType],
    name: str,
    globals_: Mapping[str, object] | None = None,
    locals_: Mapping[str, object] | None = None,
    fromlist: Sequence[str] | None = (),
    level: int = 0,
) -> ModuleType:
    """`__import__` of a script: our modules by name, everything else from Python."""
    top = name.partition(".")[0]
    if level or top not in modules:
        return builtins.__import__(name, globals_, locals_, fromlist or (), level)
    if name not in modules:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    return modules[name] if fromlist else modules[top]


def _raise_at_line(error: BaseException, where: str) -> NoReturn:
    line = _last_line(error.__traceback__, where)
    place = f"{where}, line {line}" if line else where
    match error:
        case AttError():
            raise GraphError(error.message, where=place, hint=error.hint) from None
        case SystemExit():
            raise GraphError("the script ends the program (sys.exit) instead of building a graph", where=place) from None
        case RecursionError():
            raise GraphError("the script calls itself without end", where=place) from None
        case ImportError():
            raise GraphError(
                f"the script imports what is not there: {error}", where=place, hint="install it, or remove the import"
            ) from None
        case _:
            raise GraphError(f"the script fails with {type(error).__name__}: {error}", where=place) from None


def _last_line(traceback: TracebackType | None, where: str) -> int | None:
    """The innermost line of the script itself."""
    line = None
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == where:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line
