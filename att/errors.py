"""Every error a person can meet, each with the exit code of the command line.

A message says what is wrong, where, what was got against what is allowed (with units), and `hint` what to change.
Exit codes: 0 ok, 1 infeasible or violated, 2 bad input or usage, 3 limit reached without a proof, 4 a bug of ours.
"""

from __future__ import annotations


class AttError(Exception):
    """Root of all errors of this project."""

    exit_code = 2

    def __init__(self, message: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        text = f"{self.where}: {self.message}" if self.where else self.message
        return f"{text}; {self.hint}" if self.hint else text


class UsageError(AttError):
    """The command line or a library argument is wrong."""


class GraphError(AttError):
    """A graph is structurally wrong."""


class ParseError(AttError):
    """A text could not be read. `span` is the half-open character range of the offending part of `text`."""

    def __init__(self, message: str, *, text: str = "", span: tuple[int, int] = (0, 0), where: str = "", hint: str = "") -> None:
        super().__init__(message, where=where, hint=hint)
        self.text = text
        self.span = span

    def __str__(self) -> str:
        base = super().__str__()
        if not self.text:
            return base
        start, stop = self.span
        return f"{base}\n  {self.text}\n  {' ' * start}{'^' * max(1, stop - start)}"


class ScheduleError(AttError):
    """A graph cannot be scheduled into one kernel, or not on this chip."""


class ModelError(AttError):
    """A template cannot be turned into an integer model."""


class ChipError(AttError):
    """A chip file is missing, unreadable or inconsistent."""


class EmitError(AttError):
    """A template cannot be printed as code."""


class InfeasibleError(AttError):
    """No tiling satisfies the constraints. `reasons` holds one sentence per template."""

    exit_code = 1

    def __init__(self, message: str, *, reasons: tuple[str, ...] = (), where: str = "", hint: str = "") -> None:
        super().__init__(message, where=where, hint=hint)
        self.reasons = reasons


class SolverTimeout(AttError):
    """A limit was reached before any plan was found."""

    exit_code = 3


class BackendBug(AttError):
    """A solver gave an answer that the independent check or evaluation refutes: our bug, never a result."""

    exit_code = 4
