"""The most unusual lines of logs in which nothing known was found: those that look like trouble, and are rare.

A line is compared by its words: numbers, ids, quoted names and the like are masked. Memory is bounded, and the same
logs give the same answer.
"""

from __future__ import annotations

import datetime as dt
import math
import re
import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from trainyard.diagnose.cause import Cause, Signature, signatures
from trainyard.diagnose.diagnosis import UnusualLine
from trainyard.diagnose.line_filter import EVERYTHING, LineFilter
from trainyard.diagnose.log_file import LogFile, UnreadableError
from trainyard.diagnose.scanning.block_pattern import block_pattern
from trainyard.diagnose.scanning.filtered_out import LineSelection
from trainyard.diagnose.scanning.known_patterns import patterns_of
from trainyard.diagnose.scanning.log_clock import decode_line
from trainyard.diagnose.scanning.patterns import compile_pattern
from trainyard.diagnose.scanning.pieces import Piece, pieces
from trainyard.diagnose.stated_versions import STATES_VERSION
from trainyard.diagnose.tried_again import is_tried_again

_DATA = Path(__file__).with_name("trouble_words.yaml")
# Quoted names, hexadecimal numbers and ids, paths, and whatever has a digit in it.
_MASKED = re.compile(
    r"""'[^']{1,200}'|"[^"]{1,200}"|\b(?=[0-9a-fA-F-]{0,63}\d)[0-9a-fA-F-]{6,64}\b|/[^\s:,;'"()]{1,200}"""
    r"|[A-Za-z0-9_.-]{0,99}\d[A-Za-z0-9_.-]{0,99}"
)
# Without any of these, nothing is masked.
_MAY_BE_MASKED = re.compile(r"""['"/\d]""")
# Of a line; what stands behind tells no more of what kind it is.
_COMPARED_BYTES = 400
_TEXT_BYTES = 2000
# Counts of kinds of lines, 2 MiB of them: two kinds share one seldom, and then both look less rare than they are.
_COUNTS = 2**19
_MOST_CANDIDATES = 4000
# From this weight of its words on, a line is of level error.
_ERROR_WEIGHT = 5
# What is found in a line and does not say what went wrong.
_NO_SIGNATURE = frozenset({STATES_VERSION})
# The weight of words that say that there is no trouble.
_NO_TROUBLE = 0


class _Candidate(NamedTuple):
    place: int
    """In the order of reading."""
    weight: int
    slot: int
    file: str
    line: int
    text: str


class UnusualLines:
    """Takes all lines of all logs and keeps the most unusual ones."""

    def __init__(self, signature_table: Mapping[str, tuple[Signature, Cause]] | None = None, most: int = 20) -> None:
        """Begin with none. known: signatures whose lines are not unusual."""
        self._patterns = patterns_of(signatures() if signature_table is None else signature_table)
        words = _words()
        self._none = re.compile(words.pop(_NO_TROUBLE))
        # It finds a few lines too many, which then have no weight.
        self._trouble = compile_pattern(block_pattern(word.decode() for word in words.values()).encode())
        self._weights: list[tuple[int, Any]] = [(weight, compile_pattern(pattern)) for weight, pattern in words.items()]
        self._most = most
        self._counts = array("I", bytes(4 * _COUNTS))
        self._candidates: dict[str, _Candidate] = {}
        self._taken = 0
        self._asked: LineSelection | None = None
        """Of the log that is being read; None where all of it is asked for."""

    @property
    def latest(self) -> dt.datetime | None:
        """The time that was read last, where only some lines are asked for."""
        return self._asked.latest if self._asked else None

    def take(
        self, file: LogFile, piece: Piece, line_filter: LineFilter = EVERYTHING, near: dt.datetime | None = None
    ) -> None:
        """Take some lines of a log, of which those count that are wanted. near: a time of logs beside it."""
        if piece.is_first:
            self._asked = None if line_filter.is_everything else LineSelection(file, line_filter, near)
        known_start: int | None = -1
        for number, start, end in _lines(piece, self._trouble):
            line = piece.data[start:end]
            if known_start is not None and known_start < start:
                known_start = self._patterns.first_start(piece.data, start)
            is_known = start == known_start and not _NO_SIGNATURE.issuperset(self._patterns.of_line(line))
            if not is_known and (self._asked is None or self._asked.have(piece, start, end)):
                self._line(file.name, number, line)
        if self._asked:
            self._asked.pass_by(piece)

    def lines(self) -> tuple[UnusualLine, ...]:
        """Return the most unusual lines, the first of each kind, the most unusual first."""
        best = sorted(self._candidates.values(), key=self._order)[: self._most]
        return tuple(
            UnusualLine(
                candidate.file,
                candidate.line,
                candidate.text,
                self._counts[candidate.slot],
                candidate.weight >= _ERROR_WEIGHT,
            )
            for candidate in best
        )

    def _line(self, file: str, number: int, line: bytes) -> None:
        plain = line if len(line) > _TEXT_BYTES else self._none.sub(b"", line)
        weight = next((weight for weight, pattern in self._weights if pattern.search(plain)), None)
        if weight is None:  # it says that there is no trouble
            return
        if weight >= _ERROR_WEIGHT and is_tried_again(
            decode_line(plain[:_TEXT_BYTES]), by_itself=True
        ):  # the last attempt says so
            weight = _ERROR_WEIGHT - 1
        words = decode_line(line[:_COMPARED_BYTES])
        if _MAY_BE_MASKED.search(words):
            words = _MASKED.sub("#", words)
        slot = zlib.crc32(words.encode()) % _COUNTS
        self._counts[slot] = min(self._counts[slot] + 1, 2**32 - 1)
        self._taken += 1
        if self._counts[slot] > 1:  # its first line is a candidate, or was too common to remain one
            return
        text = decode_line(line[:_TEXT_BYTES])
        self._candidates[words] = _Candidate(self._taken, weight, slot, file, number, text)
        if len(self._candidates) > 2 * _MOST_CANDIDATES:
            self._forget()

    def _forget(self) -> None:
        best = sorted(self._candidates.items(), key=lambda item: self._order(item[1]))
        self._candidates = dict(best[:_MOST_CANDIDATES])

    def _order(self, candidate: _Candidate) -> tuple[float, int]:
        return -candidate.weight / (1 + math.log2(self._counts[candidate.slot])), candidate.place


def unusual_lines(
    files: Iterable[LogFile],
    *,
    signature_table: Mapping[str, tuple[Signature, Cause]] | None = None,
    most: int = 20,
    line_filter: LineFilter = EVERYTHING,
) -> tuple[UnusualLine, ...]:
    """Return the most unusual of the wanted lines of logs. What cannot be read is left out: the scan has listed it."""
    unusual = UnusualLines(signature_table, most)
    near: dt.datetime | None = None
    for file in files:
        try:
            for piece in pieces(file.blocks):
                unusual.take(file, piece, line_filter, near)
        except UnreadableError:
            continue
        finally:
            near = unusual.latest or near
    return unusual.lines()


def _words() -> dict[int, bytes]:
    """Return one pattern for each weight, the heaviest first."""
    content = yaml.load(_DATA.read_bytes(), Loader=yaml.CSafeLoader)
    return {entry["weight"]: "|".join(entry["words"]).encode() for entry in content}


def _lines(piece: Piece, trouble: Any) -> Iterator[tuple[int, int, int]]:
    """Yield the lines that look like trouble: their numbers, and where they begin and end."""
    number, place, data = piece.line, piece.repeated_bytes, piece.data
    counted = 0
    while place < len(data) and (match := trouble.search(data, place)):
        start = data.rfind(b"\n", 0, match.start()) + 1
        end = data.find(b"\n", match.end())
        end = len(data) if end < 0 else end
        number += data.count(b"\n", counted, start)
        yield number, start, end
        counted, place = start, end + 1
