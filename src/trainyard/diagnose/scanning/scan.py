"""Signatures over logs, one after another."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from trainyard.diagnose.cause import Cause, Signature, signatures
from trainyard.diagnose.line_filter import EVERYTHING, LineFilter
from trainyard.diagnose.log_file import LogFile, UnreadableError, UnreadList
from trainyard.diagnose.log_kind import applies, kind_of
from trainyard.diagnose.node_logs import NodeLogs
from trainyard.diagnose.scanning.filtered_out import FilteredOut
from trainyard.diagnose.scanning.known_patterns import patterns_of
from trainyard.diagnose.scanning.log_clock import LogClock
from trainyard.diagnose.scanning.log_hits import LogHits, Sorts
from trainyard.diagnose.scanning.pieces import Piece, pieces
from trainyard.diagnose.scanning.result import Progress, Scan, Tally
from trainyard.diagnose.scanning.success_lines import SuccessLines, SuccessPattern, success_patterns
from trainyard.diagnose.stated_versions import StatedVersions
from trainyard.diagnose.success import successes
from trainyard.diagnose.unusual import UnusualLines

Known = Mapping[str, tuple[Signature, Cause]]

_PROGRESS_EVERY_S = 0.2


def scan(  # noqa: PLR0913  what is read, what is asked for, and who goes along
    files: Iterable[LogFile],
    *,
    unread: UnreadList | None = None,
    progress: Callable[[Progress], None] | None = None,
    signature_table: Known | None = None,
    unusual: UnusualLines | None = None,
    line_filter: LineFilter = EVERYTHING,
) -> Scan:
    """Return what signatures find in logs, each of which is read to its end before the next one is asked for.

    unread: where the reader of the logs lists what it cannot read; known: other signatures than all that there are;
    unusual: takes every line as well, where logs cannot be read a second time; wanted: the lines that count.
    """
    # An empty list is one that somebody else fills.
    scanner = _Scanner(
        signatures() if signature_table is None else signature_table,
        UnreadList() if unread is None else unread,
        line_filter,
    )
    reporter = _ProgressReporter(progress)
    for file in files:
        scanner.files += 1
        for read_bytes in scanner.read(file, unusual):
            scanner.size_bytes += read_bytes
            reporter.tell(Progress(scanner.files, scanner.size_bytes))
    reporter.tell(Progress(scanner.files, scanner.size_bytes), at_once=True)
    return scanner.result()


class _Meanings(NamedTuple):
    """What lines mean in logs of a kind."""

    sorts: Sorts
    successes: tuple[SuccessPattern, ...]


class _Scanner:
    def __init__(self, signature_table: Known, unread: UnreadList, line_filter: LineFilter) -> None:
        self.files = self.size_bytes = 0
        self._known, self._unread, self._wanted = signature_table, unread, line_filter
        self._patterns, self._tally = patterns_of(signature_table), Tally()
        self._left_out = None if line_filter.is_everything else FilteredOut(line_filter)
        self._harmless = frozenset(name for name, (_, cause) in signature_table.items() if cause.severity == "harmless")
        self._near: dt.datetime | None = None
        self._successes = success_patterns(signature_table)
        self._meanings: dict[str | None, _Meanings] = {}
        """By the kind of a log."""
        self._versions, self._node_logs = StatedVersions(), NodeLogs()

    def read(self, file: LogFile, unusual: UnusualLines | None) -> Iterable[int]:
        """Scan one log to its end, or to where it cannot be read on; yield how many bytes were read each time."""
        clock = LogClock(file, self._near)
        hits: LogHits | None = None
        first: Piece | None = None
        if self._left_out:
            self._left_out.begin(file, self._near)
        try:
            for piece in pieces(file.blocks):
                # An archive can have many empty logs, and telling the kind of one takes longer than reading it.
                hits = hits or self._hits(file.name, clock)
                if unusual:
                    unusual.take(file, piece, self._wanted, self._near)
                if piece.is_first:
                    first = piece
                if self._left_out:
                    self._left_out.look(file.name, piece)
                hits.take(piece, self._tally)
                yield len(piece.data)
        except UnreadableError as error:
            self._unread.add(file.name, str(error))
        if hits and first:
            self._finish(file, hits, first, piece)
        if self._left_out:
            self._left_out.end()
        self._near = clock.latest or self._near

    def result(self) -> Scan:
        signature_hits = self._tally.signature_hits([*self._known, *successes()])
        return Scan(
            signature_hits, self.files, self.size_bytes, self._unread.listed, self._unread.count, self._left_out,
            self._versions, self._node_logs,
        )  # fmt: skip

    def _finish(self, file: LogFile, hits: LogHits, first: Piece, last: Piece) -> None:
        hits.finish(self._tally)
        if hits.states_version:
            self._versions.take(file.name, first)
        self._node_logs.take(file, first, last, self._near)

    def _hits(self, name: str, clock: LogClock) -> LogHits:
        sorts, successes_there = self._meanings_of(kind_of(name))
        success_lines = SuccessLines(successes_there, name)
        return LogHits(name, clock, self._patterns, sorts, self._left_out, success_lines=success_lines)

    def _meanings_of(self, kind: str | None) -> _Meanings:
        if kind not in self._meanings:
            ids = (name for name, (signature, _) in self._known.items() if applies(signature.logs, kind))
            there = tuple(one for one in self._successes if applies(one.success.logs, kind))
            self._meanings[kind] = _Meanings(Sorts(frozenset(ids), self._harmless), there)
        return self._meanings[kind]


class _ProgressReporter:
    """Tells the user how far it is, now and then."""

    def __init__(self, progress: Callable[[Progress], None] | None) -> None:
        self._progress = progress
        self._at = time.monotonic()

    def tell(self, how_far: Progress, *, at_once: bool = False) -> None:
        if self._progress and (at_once or time.monotonic() > self._at + _PROGRESS_EVERY_S):
            self._at = time.monotonic()
            self._progress(how_far)
