"""Text that nodes, jobs, pods and logs wrote, shown so that it commands neither a terminal nor its reader.

Whoever runs a job decides what stands in its logs, its name and the record of its node. So such text never stands where
our own words do: it is a quotation, or a line of a log with a bar before it, which no shell takes for a command.
"""

from __future__ import annotations

MOST_LETTERS = 300
BAR = "| "
_QUOTES = str.maketrans(dict.fromkeys('"“”„‟«»`', "'"))


def one_line(text: str) -> str:
    """Return text with everything escaped that would break the line, turn it round or command the terminal."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode() for character in text
    )


def quoted(text: str, most: int = MOST_LETTERS) -> str:
    """Return text as a quotation on one line of that many characters at most, which it cannot end by itself."""
    line = one_line(" ".join(text.split())).translate(_QUOTES)
    return f'"{line if len(line) <= most else line[: most - 1] + "…"}"'
