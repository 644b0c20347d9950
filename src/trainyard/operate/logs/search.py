"""What is looked for in logs: a regular expression that takes linear time, whatever it is and whatever it reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import re2  # type: ignore[import-untyped]  # it has no stubs

from trainyard.edge.aws.log_events import pattern_of
from trainyard.errors import InputError

# What means something in an expression: a text without any of it is looked for as it is.
_SPECIAL = set(r".^$*+?{}[]\|()")
_MOST_MEMORY_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class TextSearch:
    """An expression to look for."""

    expression: Any
    pattern: str | None
    """The pattern by which CloudWatch looks ahead; None where it cannot."""

    def finds(self, message: str) -> bool:
        """Return whether it is in a message."""
        return self.expression.search(message) is not None


def search_for(text: str) -> TextSearch:
    """Return what to look for. Raises InputError where it is no expression of RE2."""
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MOST_MEMORY_BYTES
    try:
        expression = re2.compile(text, options)
    except re2.error as error:
        problem = str(error.args[0].decode(errors="replace") if isinstance(error.args[0], bytes) else error)
        hint = "it is of RE2, which has neither references back nor looks around: https://github.com/google/re2/wiki/Syntax"
        raise InputError(f"{text!r} is no expression: {problem}", where="--grep", hint=hint) from error
    return TextSearch(expression, None if _SPECIAL & set(text) else pattern_of(text))
