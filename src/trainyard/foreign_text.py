"""Text that nodes, jobs, pods and logs wrote, shown so that it commands neither a terminal nor its reader.

Whoever runs a job decides what stands in its logs, its name and the record of its node. So such text never stands where
our own words do: it is a quotation, or a line of a log with a bar before it, which no shell takes for a command.
"""

from __future__ import annotations

import re

MOST_LETTERS = 300
BAR = "| "
# A name, a path or a code. Whatever has a blank in it could be a sentence, and whatever has a scheme could be opened.
_WORD = re.compile(r"[A-Za-z0-9_/.][\w./:@+=,#[\]-]{0,255}", re.ASCII)
_QUOTES = str.maketrans(dict.fromkeys('"“”„‟«»`', "'"))


def one_line(text: str) -> str:
    """Return text with everything escaped that would break the line, turn it round or command the terminal."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode() for character in text
    )


def cut_line(text: str, most: int) -> str:
    """Return text on one line of that many characters at most."""
    line = one_line(text[:most])
    return line if len(text) <= most and len(line) <= most else f"{line[: most - 1]}…"


def quoted(text: str, most: int = MOST_LETTERS) -> str:
    """Return text as a quotation on one line of that many characters at most, which it cannot end by itself."""
    return f'"{cut_line(" ".join(text.split()), most).translate(_QUOTES)}"'


def quoted_or(text: str, otherwise: str) -> str:
    """Return text as a quotation, and our own words where there is none."""
    return quoted(text) if text.strip() else otherwise


def word_or_quoted(text: str, most: int = MOST_LETTERS) -> str:
    """Return text as it is where it is one plain word, such as a name or a code, and otherwise as a quotation."""
    return text if _WORD.fullmatch(text) and "://" not in text else quoted(text, most)


def reason_and_message(reason: str, message: str, most: int = MOST_LETTERS) -> str:
    """Return a code and what is said to it, as far as there are any, such as those of a condition of Kubernetes."""
    return ": ".join([word_or_quoted(reason)] * bool(reason) + [quoted(message, most)] * bool(message.strip()))
