"""Reads the text of expressions and conditions with explicit stacks: no recursion, so no text can exhaust the interpreter's.

Operators of one level are gathered and applied together (`a + b + c` is one sum). `/` stays a ratio until something needs an integer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from att.errors import ModelError, ParseError
from att.expr.core import Expr, Int, Sym, integer
from att.expr.logic import FALSE, TRUE, Cond
from att.expr.meaning import ARITY, LEVELS, Slash, Value, call, combine, is_number, whole
from att.expr.names import RESERVED
from att.expr.tokens import MAX_DIGITS, Token, parse_error, tokenize

MAX_DEPTH: Final = 200
"""Levels of operations that an expression may have."""

MAX_WRITTEN_OUT: Final = 10_000
"""Operands that a power may have once it is written out as a product."""

_PREFIXES: Final = ("not", "negative")


@dataclass(frozen=True, slots=True)
class _Item:
    """A value with its place in the text."""

    value: Value
    start: int
    stop: int
    depth: int = 0
    size: int = 1
    """Operands, with powers written out."""


@dataclass(slots=True)
class _Bracket:
    """An open bracket or call, or the whole text, and what has been read in it."""

    opener: Token
    function: str = ""
    items: list[_Item] = field(default_factory=list[_Item])
    operators: list[Token] = field(default_factory=list[Token])
    arguments: list[_Item] = field(default_factory=list[_Item])


def read(text: str, symbols: Mapping[str, Sym], slash: Slash) -> Expr | Cond:
    """The expression or condition that a text means. Raises ParseError with the place and what to write instead."""
    return _Reader(text, symbols, slash).read()


class _Reader:
    """The state of reading one text."""

    def __init__(self, text: str, symbols: Mapping[str, Sym], slash: Slash) -> None:
        self.text = text
        self.symbols = symbols
        self.slash: Slash = slash
        self.tokens = tokenize(text)
        self.position = 0
        self.brackets = [_Bracket(Token("end", "", 0, 0))]

    def read(self) -> Expr | Cond:
        """The value of the whole text."""
        wants_value = True
        while self.position < len(self.tokens):
            token = self._next()
            wants_value = self._take_value(token) if wants_value else self._take_operator(token)
        value = self.brackets[0].items[0].value
        if isinstance(value, Cond):
            return value
        self._check_number(self.brackets[0].items[0])
        return whole(value, self.slash)

    def _next(self) -> Token:
        self.position += 1
        return self.tokens[self.position - 1]

    def _take_value(self, token: Token) -> bool:
        """Reads the first token of a value; True if the value is still to come (after a prefix or an opening bracket)."""
        bracket = self.brackets[-1]
        if token.text in ("-", "not"):
            bracket.operators.append(token._replace(text="negative") if token.text == "-" else token)
            return True
        if token.text == "(":
            self.brackets.append(_Bracket(token))
            return True
        if token.kind == "name" and token.text not in RESERVED and self.tokens[self.position].text == "(":
            self._open_call(token)
            return True
        bracket.items.append(self._table(token) if token.text == "[" else self._leaf(token))
        return False

    def _take_operator(self, token: Token) -> bool:
        """Reads a token after a value; True if a value must follow."""
        if token.text in LEVELS and token.text not in _PREFIXES:
            self._apply_above(LEVELS[token.text])
            self.brackets[-1].operators.append(token)
            return True
        self._apply_above(0)
        bracket = self.brackets[-1]
        if token.text == "," and bracket.function:
            bracket.arguments.append(bracket.items.pop())
            return True
        if token.text == ")" and len(self.brackets) > 1:
            self._close(token)
        elif token.kind != "end" or len(self.brackets) > 1:
            raise self._unexpected(token)
        return False

    def _unexpected(self, token: Token) -> ParseError:
        """What is wrong with a token after a value."""
        if token.kind == "end":
            return self._error("this bracket is never closed", self.brackets[-1].opener)
        if token.text == ")":
            return self._error("this bracket is never opened", token)
        if token.text == ",":
            return self._error("a comma belongs between the arguments of a function", token)
        return self._error(f"expected an operator, got {token.text!r}", token)

    def _leaf(self, token: Token) -> _Item:
        if token.kind == "number":
            return _Item(integer(int(token.text)), token.start, token.stop)
        if token.text in ("true", "false"):
            return _Item(TRUE if token.text == "true" else FALSE, token.start, token.stop)
        if token.kind == "name" and token.text in self.symbols:
            return _Item(self.symbols[token.text], token.start, token.stop)
        if token.kind == "name" and token.text not in RESERVED:
            known = ", ".join(sorted(self.symbols)) or "none"
            raise self._error(f"unknown symbol {token.text}", token, hint=f"known symbols: {known}")
        got = f"got {token.text!r}" if token.text else "the text ends"
        raise self._error(f"expected a number, a symbol or an opening bracket, {got}", token)

    def _table(self, opener: Token) -> _Item:
        """Reads `1, -2, 3]` after the opening bracket."""
        entries: list[int] = []
        while True:
            token = self._next()
            sign = -1 if token.text == "-" else 1
            token = self._next() if token.text == "-" else token
            if token.kind != "number":
                raise self._error("a table holds integers", token)
            entries.append(sign * int(token.text))
            token = self._next()
            if token.text == "]":
                return _Item(tuple(entries), opener.start, token.stop)
            if token.text != ",":
                raise self._error("expected `,` or `]` in a table", token)

    def _open_call(self, token: Token) -> None:
        if token.text not in ARITY:
            raise self._error(f"unknown function {token.text}", token, hint=f"known functions: {', '.join(ARITY)}")
        self.position += 1
        self.brackets.append(_Bracket(token, token.text))

    def _close(self, closer: Token) -> None:
        bracket = self.brackets.pop()
        function, items = bracket.function, [*bracket.arguments, bracket.items[0]]
        if function:
            self._check_arguments(function, items, bracket.opener)
            item = self._made(lambda values: call(function, values, self._rounding()), items)
        else:
            item = items[0]
        self.brackets[-1].items.append(replace(item, start=bracket.opener.start, stop=closer.stop))

    def _check_arguments(self, function: str, items: Sequence[_Item], place: Token) -> None:
        wanted = ARITY[function]
        if wanted is not None and len(items) != wanted:
            raise self._error(f"{function} takes {wanted} argument{'s' if wanted > 1 else ''}, got {len(items)}", place)
        if function == "Where":
            self._check_condition(items[0])
        elif function == "Lookup" and not isinstance(items[0].value, tuple):
            raise self._error("expected a table such as [1, 2]", items[0])
        for item in items[1:] if function in ("Where", "Lookup") else items:
            self._check_number(item)

    def _apply_above(self, level: int) -> None:
        """Applies the operators of the innermost bracket that bind more tightly than `level`."""
        operators = self.brackets[-1].operators
        while operators and LEVELS[operators[-1].text] > level:
            self._apply_last()

    def _apply_last(self) -> None:
        """Applies the last operator, and with it those of its level right before it, unless it stands alone (`-a`, `not a`, `a**b`)."""
        bracket = self.brackets[-1]
        last = bracket.operators[-1].text
        prefix = last in _PREFIXES
        count = 1
        while not prefix and last != "**" and [LEVELS[o.text] for o in bracket.operators[-count - 1 : -count]] == [LEVELS[last]]:
            count += 1
        operators = [o.text for o in bracket.operators[-count:]]
        items = bracket.items[-count - (not prefix) :]
        del bracket.operators[-count:], bracket.items[-len(items) :]
        for item in items:
            (self._check_condition if LEVELS[last] <= LEVELS["not"] else self._check_number)(item)
        if last == "**":
            items[0] = self._written_out(*items)
        bracket.items.append(self._made(lambda values: combine(operators, values, self._rounding()), items))

    def _written_out(self, base: _Item, exponent: _Item) -> _Item:
        times = exponent.value.value if isinstance(exponent.value, Int) else 1
        if base.size * times > MAX_WRITTEN_OUT and not isinstance(base.value, Int):
            raise self._error(f"this power has more than {MAX_WRITTEN_OUT} factors written out", base)
        return replace(base, size=base.size * max(1, times))

    def _made(self, make: Callable[[Sequence[Value]], Value], items: Sequence[_Item]) -> _Item:
        """The value made of items, within the limits."""
        start, stop = items[0].start, items[-1].stop
        try:
            value = make([item.value for item in items])
        except ModelError as error:
            raise parse_error(error.message, self.text, start, stop, hint=error.hint) from None
        made = _Item(value, start, stop, 1 + max(item.depth for item in items), sum(item.size for item in items))
        if made.depth > MAX_DEPTH:
            raise self._error(f"operations are nested more than {MAX_DEPTH} levels deep", made)
        if isinstance(value, Int) and abs(value.value) >= 10**MAX_DIGITS:
            raise self._error(f"this constant has more than {MAX_DIGITS} digits", made)
        return made

    def _rounding(self) -> Slash | None:
        """How a ratio is rounded here: not at all below an open `Ceiling(` or `Floor(`, which could mean either."""
        return None if any(b.function in ("Ceiling", "Floor") for b in self.brackets) else self.slash

    def _check_number(self, item: _Item) -> None:
        if not is_number(item.value):
            kind = "a table" if isinstance(item.value, tuple) else "a condition"
            raise self._error(f"expected an integer expression, got {kind}", item)

    def _check_condition(self, item: _Item) -> None:
        if not isinstance(item.value, Cond):
            raise self._error("expected a condition such as `a <= b`, got an integer expression", item)

    def _error(self, message: str, place: Token | _Item, *, hint: str = "") -> ParseError:
        return parse_error(message, self.text, place.start, place.stop, hint=hint)
