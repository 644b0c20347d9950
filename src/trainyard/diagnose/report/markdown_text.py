"""Text of logs in Markdown, where it can neither end the block that it stands in nor command a terminal."""

from __future__ import annotations

import re

_RUNS = re.compile(r"`+")


def printable(text: str) -> str:
    """Return text on one line, with everything escaped that is not to be seen, or that turns a line round."""
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)


def code(text: str) -> str:
    """Return text as a span of code: https://spec.commonmark.org/0.31.2/#code-spans."""
    shown = printable(text) or " "
    if (runs := _longest_run(shown)) == 0:
        return f"`{shown}`"
    ticks = "`" * (runs + 1)
    return f"{ticks} {shown} {ticks}"


def code_block(texts: list[str]) -> list[str]:
    """Return lines of text as a block of code: https://spec.commonmark.org/0.31.2/#fenced-code-blocks."""
    shown = [printable(text) for text in texts]
    fence = "`" * max(3, max(map(_longest_run, shown), default=0) + 1)
    return [f"{fence}text", *shown, fence]


def _longest_run(text: str) -> int:
    return max((len(run) for run in _RUNS.findall(text)), default=0)
