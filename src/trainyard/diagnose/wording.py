"""Patterns that also find what other versions of a program say: other tenses, quotes, capitals and an added word.

Only what a pattern has as literal text is widened. What it has as classes, groups and repetitions stays as it is, so
that `failed[ ]to` is found only as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

_OTHER = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?[a-zA-Z:-]*[:)]|[()|^$.*+?]|\{[0-9,]+\}")
_REPEATS = ("*", "+", "?", "{")
_BEGINS = ("", "|", "(", "(?:")
# What data writes as a class though it only leaves the case of a letter or the quote open.
_OPEN_CASE = re.compile(r"\[([A-Z])([a-z])\](?=nable to|ailed to|ould not|annot|an't|an not)")
_OPEN_QUOTE = re.compile(r"(?<=n)\.(?=t\b)")
_NEGATED = ("[Ff]ailed to", "[Uu]nable to", "[Cc]ould not", "[Cc]ouldn't", "[Cc]annot", "[Cc]an't", "[Cc]an not")
_ANY_NEGATED = f"(?:{'|'.join(_NEGATED)})"
_FIRST_LETTER = re.compile(r"[A-Za-z](?=[a-z]+ )")


def _negated(match: re.Match[str]) -> str:
    verb = match["verb"]
    return _ANY_NEGATED + (f"{verb}(?:the |a )?" if verb else "")


def _after_colon(match: re.Match[str]) -> str:
    # Slurm's daemons write the name of the function there, or not.
    level = f"{match['level']}: {{1,2}}(?:_?[a-z]+_[a-z_]+: )?" if match["level"] else ": {1,2}"
    return level + (_any_case(match["capital"]) if match["capital"] else "")


# Each with what other versions of the same programs say instead of it.
_WORDS: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (rf"\b{_ANY_NEGATED}\b(?P<verb> [a-z]+ (?=[A-Za-z/]))?", _negated),
    (r"\b(?:(?:is|was|are|were) not|(?:is|was|are|were)n't)\b", "(?:is|was|are|were)(?: [a-z]+)?(?: not|n't)"),
    (r"\b(?:(?:does|did|do) not|(?:does|did|do)n't)\b", "(?:does|did|do)(?: not|n't)"),
    (r"\b(?:was|were|has been|have been)\b", "(?:was|were|is|are|has been|have been)"),
    (r"(?<= )(?:has )?failed\b", "(?:has |have )?failed"),
    (r"(?<= )(?:has )?timed out\b", "(?:has |have )?timed out"),
    (r"(?<= )(?:was )?not found\b", "(?:was |is )?not found"),
    (r"(?<= in )(?=[a-z])", "(?:the )?"),
    (
        rf"(?P<level>\b[Ee]rror)?: (?P<capital>(?!{_ANY_NEGATED}\b)[A-Za-z](?=[a-z]+ ))?(?=[A-Za-z]|$)",
        _after_colon,
    ),
    (r"['\"`]", "['\"`]"),
)
_ANY_WORD = re.compile("|".join(f"(?P<w{number}>{word})" for number, (word, _) in enumerate(_WORDS)))


def widened(pattern: str) -> str:
    """Return a pattern of RE2 that finds what this one finds, and the same in other words."""
    plain = _OPEN_QUOTE.sub("'", _OPEN_CASE.sub(r"\2", pattern))
    before, wide = "", []
    for part, is_text in _parts(plain):
        wide.append(_widened_text(part, begins=before in _BEGINS) if is_text else part)
        before = part or before
    return "".join(wide)


def _parts(pattern: str) -> Iterator[tuple[str, bool]]:
    """Yield the parts of a pattern, each with whether it is literal text."""
    place = 0
    for match in _OTHER.finditer(pattern):
        text = pattern[place : match.start()]
        place = match.end()
        # What is repeated is the last character alone.
        if text and match[0].startswith(_REPEATS):
            yield text[:-1], True
            yield text[-1:], False
        elif text:
            yield text, True
        yield match[0], False
    yield pattern[place:], True


def _widened_text(text: str, *, begins: bool) -> str:
    first = _FIRST_LETTER.match(text) if begins and not _ANY_WORD.match(text) else None
    head = _any_case(first[0]) if first else ""
    return head + _ANY_WORD.sub(_wide_word, text[len(first[0]) if first else 0 :])


def _wide_word(match: re.Match[str]) -> str:
    wide = next(wide for number, (_, wide) in enumerate(_WORDS) if match[f"w{number}"] is not None)
    return wide if isinstance(wide, str) else wide(match)


def _any_case(letter: str) -> str:
    return f"[{letter.upper()}{letter.lower()}]"
