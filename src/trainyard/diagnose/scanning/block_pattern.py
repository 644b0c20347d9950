"""One pattern in place of many, for blocks: it finds every line in which one of them does, and some lines more.

RE2 makes the states of its automaton as it meets them. With whole patterns, text that is random meets a new one at
nearly every byte: each repetition that has begun in a line goes on beside all others. So only the part of a pattern is
looked for that names most characters and has no long repetition; and what begins alike stands together, as each state
has to hold the beginnings of all patterns.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

# Longer repetitions end a part.
_MOST_REPEATED = 4
_COUNT = r"(?P<count>[*+?]\??|\{\d+(?:,\d*)?\}\??)?"
# Text that is not repeated, the beginning of a group, another alternative, the end of a group, an atom.
_TOKEN = re.compile(
    r"(?P<text>(?:[^\\\[\](){}*+?|.^$]|\\[^\w])+(?![*+?{]))|(?P<open>\((?:\?(?:P<\w+>|:))?)|(?P<other>\|)|(?P<close>\))"
    rf"{_COUNT}|(?P<atom>\[\^?\]?(?:[^\]\\]|\\.)*\]|\\.|.){_COUNT.replace('count', 'repeated')}",
    re.DOTALL,
)
# Flags, and escapes and classes of which a token would be a part.
_NOT_READ = re.compile(r"\(\?(?!:|P<)|\\[xpPQCz0-9]|\[\[?[^\]]*\[:")
# What says little: a class of many characters, a digit, a place, and the backslash itself.
_SAYS_LITTLE = re.compile(r"\[(?:\^.*|[^\]]*-.*|.{4,})\]|\\[bBdDwWsSA]|[.^$0-9\\]", re.DOTALL)
_NUMBERS = re.compile(r"\{(\d+)(,?)(\d*)\}")


class _Part(NamedTuple):
    """What stands together in a pattern, without long repetitions."""

    characters: int
    """How many it names at least."""
    atoms: tuple[str, ...]

    @property
    def text(self) -> str:
        return "".join(self.atoms)

    def followed_by(self, characters: int, atom: str) -> _Part:
        return _Part(self.characters + characters, (*self.atoms, atom))


_EMPTY = _Part(0, ())


def block_pattern(patterns: Iterable[str]) -> str:
    """Return a pattern of RE2 that finds something in each line in which one of these does."""
    return _any_of({part.atoms for pattern in patterns for part in _parts_of(pattern)})


def _parts_of(pattern: str) -> list[_Part]:
    """Return for each alternative of a pattern the part that names most."""
    if _NOT_READ.search(pattern):
        return [_Part(0, (f"(?:{pattern})",))]
    parts, _, _ = _alternatives(_TOKEN.finditer(f"{pattern})"))
    return parts


def _any_of(parts: Iterable[tuple[str, ...]]) -> str:
    """Return a pattern of parts, with those together that begin with the same group, and others in their order.

    RE2 itself puts together what begins with the same text, where it stands together.
    """
    by_group: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    texts: list[str] = []
    for atoms in parts:
        if len(atoms) > 1 and atoms[0].startswith("("):
            by_group[atoms[0]].add(atoms[1:])
        else:
            texts.append("".join(atoms))
    texts += [f"{group}(?:{_any_of(behind)})" for group, behind in by_group.items()]
    return "|".join(sorted(texts))


def _alternatives(tokens: Iterator[re.Match[str]]) -> tuple[list[_Part], bool, str]:
    """Return the best part of each alternative up to the end of a group, whether it is all of it, and its count."""
    parts: list[_Part] = []
    seen: list[_Part] = []
    part, is_whole = _EMPTY, True
    for token in tokens:
        if token["other"] or token["close"]:
            parts.append(max(*seen, part, _EMPTY, key=lambda one: one.characters))
            part, seen = _EMPTY, []
            if token["close"]:
                return parts, is_whole, token["count"] or ""
            continue
        if token["open"]:
            inner, is_short, count = _alternatives(tokens)
            atom = f"(?:{'|'.join(one.text for one in inner)})"
            characters = min(one.characters for one in inner)
        else:
            atom, is_short, count = token["text"] or token["atom"], True, token["repeated"] or ""
            characters = _named_characters(atom)
        least, most = _repeated(count)
        if is_short and most is not None:
            part = part.followed_by(least * characters, f"{atom}{count}")
            continue
        is_whole = False
        # What comes at least once stands behind what is before it, and before what is behind it.
        once = (characters, atom) if least else None
        seen.append(part.followed_by(*once) if once and is_short else part)
        seen += [_EMPTY.followed_by(*once)] if once and not is_short else []
        part = _EMPTY.followed_by(*once) if once and is_short else _EMPTY
    raise AssertionError("a group has no end")


@cache
def _named_characters(atom: str) -> int:
    """Return how many characters a text, or something that stands for one, names."""
    named = _SAYS_LITTLE.sub("", atom)
    return 1 if named.startswith("[") else len(named)


@cache
def _repeated(count: str) -> tuple[int, int | None]:
    """Return how often something comes at least and at most; None for too often."""
    if numbers := _NUMBERS.match(count):
        least = int(numbers[1])
        most = int(numbers[3]) if numbers[3] else None if numbers[2] else least
        return least, most if most is not None and most <= _MOST_REPEATED else None
    # A second character only says that as little as possible is taken.
    return {"": (1, 1), "?": (0, 1), "*": (0, None), "+": (1, None)}[count[:1]]
