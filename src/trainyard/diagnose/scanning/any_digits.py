"""Patterns that find the same lines with any other digits, so that lines that differ in digits alone are asked once."""

from __future__ import annotations

import re

_DIGITS = "0123456789"
_NAMES_DIGITS = re.compile(r"[0-9]")
# An escape, a class, a count, the name of a group, or a character. What is left out finds everything: a character by
# its number, and a class that holds another one.
_PART = re.compile(
    r"\\[^xpPQ0-9]|\[\^?\]?(?:[^\]\\[]|\\[^xpPQ0-9]|\[(?!:))*\]|\{\d+(?:,\d*)?\}|\(\?P<\w+>|[^\\\[]", re.DOTALL
)


def with_any_digits(pattern: str) -> str:
    """Return a pattern of RE2 that also finds what has other digits where this one names some."""
    if not _NAMES_DIGITS.search(pattern):
        return pattern
    parts: list[str] = []
    at = 0
    while at < len(pattern):
        match = _PART.match(pattern, at)
        if match is None:
            return ""
        parts.append(_with_any_digits(match[0]))
        at = match.end()
    return "".join(parts)


def _with_any_digits(part: str) -> str:
    if part.isdigit():
        return "[0-9]"
    if not part.startswith("["):
        return part
    members = [digit for digit in _DIGITS if re.fullmatch(part, digit)]
    return f"(?:{part}|[0-9])" if 0 < len(members) < len(_DIGITS) else part
