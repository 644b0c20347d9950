"""Long logs copied without the secrets in them, at the speed of a search for the words that stand beside secrets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import IO, Any

import re2  # type: ignore[import-untyped]  # it has no stubs

from trainyard.redaction.key_lines import LONGEST_KEY, headless_keys_of, may_go_on
from trainyard.redaction.secrets import secret_forms, without_secrets

_BLOCK_BYTES = 1 << 20
_LONGEST_BEFORE = 100
_KEY = b"-----BEGIN "
_KEY_END = b"-----END "
# What is asked for in one line and told in one of the next: by expect, and in files as chap-secrets and netrc.
_QUESTION = re.compile(
    rb"(?i:expect\b[^\n]{0,100}(?:assword|passphrase|passcode)|#[ \t]*client[ \t]+server[ \t]+secret|machine[ \t])"
)
_LINES_TO_ANSWER = 3
_KEY_LINES = re.compile(rb"(?:[^\n]{0,100}(?<![A-Za-z0-9+/=])[A-Za-z0-9+/=]{40,100}\r?\n?){0,400}")


def copy_without_secrets(source: IO[bytes], target: IO[bytes]) -> None:
    """Copy what is left of a file. A secret is found within a line of at most 1 MiB; a private key, over its lines."""
    while block := source.read(_BLOCK_BYTES):
        block += source.readline(_BLOCK_BYTES)
        if block.rfind(_KEY) > block.rfind(_KEY_END) or may_go_on(block[block.rfind(b"\n", 0, -1) + 1 :]):
            block += source.read(LONGEST_KEY) + source.readline(_BLOCK_BYTES)
        target.writelines(_redacted(block))


def _redacted(block: bytes) -> Iterator[bytes]:
    place, keys = 0, list(reversed(headless_keys_of(block)))
    while match := _any_word().search(block, place):
        start = block.rfind(b"\n", place, match.start()) + 1 or place
        end = _end(block, start, match.start())
        while keys and keys[-1][1] <= place:
            keys.pop()
        if keys and keys[-1][0] < end:
            start, end = max(place, min(start, keys[-1][0])), keys[-1][1]
        yield block[place:start]
        text = block[start:end].decode(errors="surrogateescape")
        yield without_secrets(text).encode(errors="surrogateescape")
        place = end
        if place == len(block):
            return
    yield block[place:]


def _end(block: bytes, start: int, word: int) -> int:
    """Return where the line ends that has a word at a place, or the private key that begins in it."""
    end = block.find(b"\n", word)
    end = len(block) if end < 0 else end
    if (key := block.find(_KEY, start, end)) < 0 or b"PRIVATE KEY" not in block[key:end]:
        return _answer_end(block, end) if _QUESTION.search(block, start, end) else end
    key_end = block.find(_KEY_END, key, key + LONGEST_KEY)
    if key_end >= 0:
        line_end = block.find(b"\n", key_end)
        return len(block) if line_end < 0 else line_end
    lines = _KEY_LINES.match(block, min(end + 1, len(block)))
    place = end + 1 if lines is None else lines.end()
    if (last := _cut_line(block[start:key]).match(block, min(place, len(block)))) is not None:
        return last.end()
    # The end of the last of them is that of a line, which stays.
    return end if lines is None or not lines[0] else lines.start() + len(lines[0].rstrip(b"\r\n"))


def _answer_end(block: bytes, line_end: int) -> int:
    for _ in range(_LINES_TO_ANSWER):
        if (line_end := block.find(b"\n", line_end + 1)) < 0:
            return len(block)
    return line_end


def _cut_line(before: bytes) -> re.Pattern[bytes]:
    """Return an expression of the last line of a key that was cut: what stands before its lines, and few letters."""
    shape = re.sub(rb"[0-9]+", rb"[0-9]+", re.escape(before[-_LONGEST_BEFORE:]))
    return re.compile(
        rb"[^\n]{0,100}?" * (len(before) > _LONGEST_BEFORE) + shape + rb"[A-Za-z0-9+/=]{1,39}(?=\r?\n|\Z)"
    )


@cache
def _any_word() -> Any:
    """Return an expression that finds where any form of a secret may stand."""
    options = re2.Options()
    options.case_sensitive = False
    options.max_mem = 64 << 20
    words = sorted({word for form in secret_forms() for word in form.words})
    alone = "[A-Za-z0-9/+]{40}"  # secret-access-key, the one form that has no word
    return re2.compile("|".join([*map(re2.escape, words), alone]).encode(), options)
