"""What is wrong by logs in files: one file, a folder, an archive, or standard input."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from trainyard.counts import count_text
from trainyard.diagnose.combined_scan import CombinedScan
from trainyard.diagnose.diagnosis import Diagnosis, UnusualLine
from trainyard.diagnose.line_filter import EVERYTHING, LineFilter
from trainyard.diagnose.reading import LogSource, log_files
from trainyard.diagnose.report.sentences import size
from trainyard.diagnose.scanning.result import Progress
from trainyard.diagnose.scanning.scan import scan
from trainyard.diagnose.unusual import UnusualLines, unusual_lines
from trainyard.errors import InputError
from trainyard.foreign_text import word_or_quoted

_MOST_NODES_SHOWN = 8


def diagnose_files(
    source: str, line_filter: LineFilter = EVERYTHING, report: Callable[[str], None] = lambda _: None
) -> Diagnosis:
    """Return what is wrong by the logs in a file, a folder or an archive, or of standard input for ``-``.

    Raises InputError where nothing of it can be read.
    """
    collected = CombinedScan()
    with log_files(source) as logs:
        unusual = None if logs.repeatable else UnusualLines()
        progress = _progress_of(logs, report)
        collected.add(scan(logs.files, unread=logs.unread, progress=progress, unusual=unusual, line_filter=line_filter))
    is_nothing = not collected.size_bytes or (logs.binary_files == collected.files and not collected.hits)
    if collected.unread and is_nothing and collected.files <= collected.unread_count:
        first = collected.unread[0]
        raise InputError(f"nothing in {source} can be read: {word_or_quoted(first.name)}: {first.why}", where=source)
    _refuse_unknown_nodes(source, collected)
    lines = partial(_unusual_lines_of, source, line_filter) if unusual is None else unusual.lines
    return collected.diagnosis(source, line_filter, lines)


def _refuse_unknown_nodes(source: str, collected: CombinedScan) -> None:
    """Raise InputError where a node is asked for that no log names: that nothing is known of it is no good news."""
    for left_out in collected.left_out:
        for node in sorted(left_out.unknown):
            shown = ", ".join(map(word_or_quoted, list(left_out.nodes)[:_MOST_NODES_SHOWN]))
            more = ", …" if len(left_out.nodes) > _MOST_NODES_SHOWN else ""
            nodes_text = f"nodes seen: {shown}{more}" if shown else "no line tells its node"
            hint = "leave --node out to see what is wrong on any"
            raise InputError(f"no line of {source} is of node {node}; {nodes_text}", where="--node", hint=hint)


def _unusual_lines_of(source: str, line_filter: LineFilter) -> tuple[UnusualLine, ...]:
    """Return the most unusual lines of a source that can be read a second time."""
    with log_files(source) as logs:
        return unusual_lines(logs.files, line_filter=line_filter)


def _progress_of(logs: LogSource, report: Callable[[str], None]) -> Callable[[Progress], None]:
    def show(done: Progress) -> None:
        share = f", {logs.read_bytes / logs.size_bytes:.0%}" if logs.size_bytes else ""
        report(f"{count_text(done.files, 'log')} read, {size(done.size_bytes)}{share}")

    return show
