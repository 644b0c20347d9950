"""The log of a container, gathered by and by into a file: no line is lost, and none comes twice.

A node keeps the newest 10 MiB of a log at hand and puts the rest away, where `kubectl logs` does not reach it. Lines
come with their times, so whoever reads again knows what is there already.
https://kubernetes.io/docs/concepts/cluster-administration/logging/#log-rotation
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

from trainyard.errors import TrainyardError

GAP = "trainyard: lines may be missing here: the node has put away what came before"
"""Stands in a log where the last lines that were gathered are not at hand any more."""
_MOST_BYTES = 4 * 2**30
# A time that is asked for is cut to whole seconds, and output and errors of a container may be a little out of order.
# https://github.com/kubernetes/apimachinery/blob/master/pkg/apis/meta/v1/time.go: MarshalQueryParameter
_ONCE_MORE = timedelta(seconds=2)
_SECOND = 19  # letters of 2026-11-22T04:05:06


class GatheredLog:
    """A log, as far as it was gathered."""

    def __init__(self, file: Path) -> None:
        """Go on with the file, if there is one: what a call left that was killed may end within a line."""
        self.file = file
        self._recent: list[str] = []
        for line in _lines_of(file):
            self._remember(line)

    @property
    def since(self) -> str | None:
        """Return the time from which on lines are wanted, None for all."""
        if not self._recent:
            return None
        last = self._recent[-1].partition(" ")[0]
        begin = datetime.fromisoformat(last[:_SECOND]) - _ONCE_MORE
        return f"{begin.isoformat()}{last[_SECOND:].lstrip('.0123456789')}"

    def add(self, lines: Iterable[str]) -> None:
        """Write down what is new of lines that begin with their times.

        The last line counts once the reading has ended well: one that has not may have cut it.
        Raises TrainyardError where the file cannot be written, and what the reading raises.
        """
        remaining, held = Counter(self._recent), bool(self._recent)
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            _refuse_endless(self.file)
            with self.file.open("a", encoding="utf-8", newline="") as stream:
                for line in _all_but_torn(line for line in lines if time_of(line) is not None):
                    if remaining[line] > 0:
                        remaining[line] -= 1
                        held = False
                        continue
                    if held:
                        stream.write(f"{line.partition(' ')[0]} {GAP}\n")
                        held = False
                    stream.write(f"{line}\n")
                    self._remember(line)
        except OSError as error:
            hint = "make room or name another folder with --results; then repeat the command, jobs are not run again"
            problem = f"could not write {self.file}: {error.strerror}"
            raise TrainyardError(problem, where=str(self.file), hint=hint) from error

    def lines(self) -> Iterator[bytes]:
        """Yield the lines without their times."""
        for line in _lines_of(self.file):
            yield f"{line.partition(' ')[2]}\n".encode()

    def _remember(self, line: str) -> None:
        """Keep the lines of the last seconds, which come once more the next time."""
        if self._recent and self._recent[-1][:_SECOND] != line[:_SECOND]:
            first = (datetime.fromisoformat(line[:_SECOND]) - _ONCE_MORE).isoformat()
            self._recent = [line for line in self._recent if line[:_SECOND] >= first]
        self._recent.append(line)


def time_of(line: str) -> str | None:
    """Return the time that a line begins with, None where it is none: then the line is not the container's."""
    time = line.partition(" ")[0]
    try:
        datetime.fromisoformat(time)
    except ValueError:
        return None
    return time if "T" in time else None


def _all_but_torn(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines, each once the next one has come or the reading has ended well."""
    last: str | None = None
    for line in lines:
        if last is not None:
            yield last
        last = line
    if last is not None:
        yield last


def _lines_of(file: Path) -> Iterator[str]:
    """Yield the whole lines of a file, and cut off what follows them."""
    whole = 0
    try:
        with file.open("rb") as stream:
            for line in stream:
                if not line.endswith(b"\n"):
                    break
                whole += len(line)
                yield line[:-1].decode("utf-8", "replace")
    except FileNotFoundError:
        return
    if file.stat().st_size > whole:
        with file.open("r+b") as stream:
            stream.truncate(whole)


def _refuse_endless(file: Path) -> None:
    if file.exists() and file.stat().st_size > _MOST_BYTES:
        problem = f"the log has more than {_MOST_BYTES:,} bytes"
        raise TrainyardError(
            problem, where=str(file), hint="see what in it repeats, and take the job back with --cancel"
        )
