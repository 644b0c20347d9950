"""Pieces of Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def block(text: str, commands: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a text with the commands that belong to it."""
    yield text
    yield ""
    yield "```bash"
    yield from commands
    yield "```"
    yield ""
