"""The text that nccl-tests and nccom-test print, with whatever stands around it, as runs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import ceil, floor

from trainyard.bench.log_facts import note
from trainyard.bench.log_scan import ScannedLog, scan
from trainyard.bench.nccom_table import columns_of, note_command, row_by_columns
from trainyard.bench.program_text import program_lines
from trainyard.bench.result import Device, Evidence, Row, Run
from trainyard.bench.table_row import DTYPE_BYTES, Start, is_continuation, row_of, start_of, usual_before

_COLLECTIVE = re.compile(
    r"\b(all_reduce|all_gather|reduce_scatter|alltoallv?|broadcast|reduce|gather|scatter|sendrecv|hypercube)_perf"
)
_PARAMETERS = re.compile(r"nThread \d+ nGpus \d+ .*")
_PARAMETER = re.compile(r"([A-Za-z]+(?: iters)?):? (\d+(?:\((?:factor|bytes)\))?)")
_DEVICE = re.compile(
    r"Rank\s+(\d+)\s+(?:Group\s+(\d+)\s+)?Pid\s+(\d+)\s+on\s+(\S+)\s+device\s+(\d+)\s+\[[^\]]*\]\s*(.*?)\s*$"
)
_AVERAGE = re.compile(r"Avg bus bandwidth\s*:\s*([\d.]+(?:e[+-]\d+)?)\s*(?:GB/s)?")
_A_NUMBER = re.compile(r"[=~]?-?\d+(?:\.\d+)?(?:e[+-]\d+)?[kmgsKMG]?")
_LINES_BELOW, _FEWEST_NUMBERS = 4, 2
# So many rows of which none can be read are a table of another form, and no damage.
_UNREAD_ROWS = 3
_SAME_LINE_TWICE = 2
_BOUNDS = re.compile(r"Out of bounds values\s*:\s*(\d+)\s+(OK|FAILED)")


def parse_log(blocks: Iterable[bytes]) -> list[Run]:
    """Return the tests of a log, in their order.

    A log without any table gives one run without rows where it says anything of a test, and none where it does not.
    """
    reader = _LogReader()
    for scanned in scan(blocks):
        reader.read(scanned)
    return reader.finished()


def collective_in(text: str) -> str | None:
    """Return the collective that a program named in a text measures, such as all_reduce of all_reduce_perf."""
    match = _COLLECTIVE.search(text)
    return None if match is None else match[1]


class _LogReader:
    """Reads line after line, and knows which test it is in."""

    def __init__(self) -> None:
        self.run = Run()
        self.runs: list[Run] = []
        self.torn: tuple[Start, int] | None = None
        self.last = ""
        self.ended = False
        self.measured_once = False
        self.columns: list[str] = []
        self.before: set[str] = set()

    def read(self, scanned: ScannedLog) -> None:
        self.run.transport.connections += scanned.connections
        self.run.transport.gdr_connections += scanned.gdr_connections
        for text in program_lines(scanned.text):
            self._read(text, scanned)

    def _read(self, text: str, scanned: ScannedLog) -> None:
        if self._begins(text):
            self._next()
        self.run.first_line = self.run.first_line or scanned.line
        if not self._row(text, scanned.line):
            self._frame(text)
            note(self.run, scanned.line, text)
            if scanned.below and _is_table(scanned.below):
                self.run.unread = Evidence(scanned.line, text.strip())
        self.run.last_line = scanned.line
        self.last = text

    def finished(self) -> list[Run]:
        self._next()
        return self.runs

    def _begins(self, text: str) -> bool:
        """Return whether a line belongs to another test than the lines before it."""
        begun = bool(self.run.rows or self.ended)
        opening = "nccl-tests version" in text or "Collective test starting" in text or "nccom-test" in text
        return begun and (opening or _PARAMETERS.search(text) is not None or ("busbw" in text and self.ended))

    def _next(self) -> None:
        self._give_up_torn()
        run = self.run
        if run.is_test or run.transport.provider:
            self.runs.append(with_derived_facts(run))
        self.run, self.ended, self.measured_once, self.columns = Run(), False, False, []

    def _row(self, text: str, line: int) -> bool:
        """Take a line that holds a row, or a part of one."""
        start = start_of(text)
        if start is None:
            return self._continued(text)
        row = self._row_of(start, text, line)
        before = _shape(start.before)
        if row is None and before not in self.before and not usual_before(start):
            return False  # prose that holds two numbers and the name of a type
        self._give_up_torn()
        self.before.add(before)
        if text == self.last and self.run.rows:
            return True  # written twice, by tee or by two that follow the same file
        self._take(start, row, line)
        return True

    def _row_of(self, start: Start, text: str, line: int) -> Row | None:
        if self.columns:
            return row_by_columns(self.columns, text, line)
        return row_of(start, line, measured_once=self.measured_once or _of_nccom(start))

    def _take(self, start: Start, row: Row | None, line: int) -> None:
        if row is None:
            self.torn = (start, line)
            return
        self.run.rows.append(row)
        self.run.unread, self.ended = None, False

    def _continued(self, text: str) -> bool:
        """Take the other part of a row: lines of NCCL may stand between the two."""
        if self.torn is None or not is_continuation(text):
            return False
        start, line = self.torn
        begun = [word for word in start.rest if word.lstrip("-").replace(".", "").isdecimal()]
        whole = start._replace(rest=begun + [word for word in text.split() if not word.endswith(":")])
        self.torn = None
        self._take(whole, self._row_of(whole, text, line), line)
        return True

    def _give_up_torn(self) -> None:
        """Count a row whose other part has not come. A table of nothing else is one that cannot be read."""
        if self.torn is not None:
            self.run.damaged_rows += 1
            if self.run.damaged_rows >= _UNREAD_ROWS and not self.run.rows and self.run.unread is None:
                self.run.unread = Evidence(self.torn[1], "")
            self.torn = None

    def _frame(self, text: str) -> None:
        """Take what stands around a table."""
        run = self.run
        if name := collective_in(text):
            run.collective = run.collective or name
        else:
            note_command(run, text)
        if match := _PARAMETERS.search(text):
            run.parameters = dict(_PARAMETER.findall(match[0]))
        elif match := _DEVICE.search(text):
            rank, group, pid, host, device, name = match.groups()
            self._device(Device(int(rank), int(group or 0), int(pid), host, int(device), name.rstrip('"|')))
        elif "busbw" in text:
            self.columns = columns_of(text)
            self.before.add(_shape(text.replace("|", " ").partition("size")[0].replace("#", " ").split()))
            self.measured_once = "size" in text and text.count("busbw") == 1
            if "algbw(GB/s)" in text:
                run.tool = "nccom-test"
        self._summary(text)

    def _device(self, device: Device) -> None:
        if device not in self.run.devices[-_SAME_LINE_TWICE:]:
            self.run.devices.append(device)

    def _summary(self, text: str) -> None:
        if match := _AVERAGE.search(text):
            self.run.average_busbw_gb_s, self.ended = float(match[1]), True
            self._give_up_torn()
        elif match := _BOUNDS.search(text):
            self.run.out_of_bounds = (int(match[1]), match[2])
        elif "Collective test concluded" in text:
            self.run.concluded = self.ended = True


def _shape(words: Iterable[str]) -> str:
    """Return what stands before a row without its numbers: it is alike in all lines of a table."""
    return re.sub(r"\d+", "0", " ".join(words))


def _is_table(below: str) -> bool:
    """Return whether rows stand in the lines below the columns of a table: two with more numbers than words."""
    rows = 0
    for line in below.splitlines()[:_LINES_BELOW]:
        words = [word.strip("\"',|") for text in program_lines(line) for word in text.split()]
        numbers = sum(_A_NUMBER.fullmatch(word) is not None for word in words)
        rows += numbers >= _FEWEST_NUMBERS and numbers * 2 > len(words)
    return rows >= 2


def _of_nccom(start: Start) -> bool:
    return start.dtype in {"fp32", "fp16", "bf16", "fp8"} and len(start.rest) <= 4


def with_derived_facts(run: Run) -> Run:
    """Return a run with what follows from its rows: the number of ranks, the collective, the unit."""
    listed = max((device.rank + 1 for device in run.devices), default=0)
    run.ranks = listed or run.ranks or _ranks_by_factor(run)
    if run.collective is None:
        run.collective = _collective_by_factor(run)
    if run.tool == "nccom-test" or any(_of_nccom_row(row) for row in run.rows):
        run.tool, run.bandwidth_unit = "nccom-test", "GiB/s"
    return run


def _of_nccom_row(row: Row) -> bool:
    return row.dtype in {"fp32", "fp16", "bf16", "fp8"}


def _factor(run: Run) -> tuple[float, float] | None:
    """Return the least and the most that bus bandwidth by algorithm bandwidth can be, as far as the digits go."""
    both = [
        measurement for row in run.rows for measurement in (row.out_of_place, row.in_place) if measurement is not None
    ]
    best = max(both, key=lambda measurement: measurement.algbw_gb_s, default=None)
    if best is None or best.algbw_gb_s < 1:
        return None
    half = 0.005 if best.algbw_gb_s < 1000 else 0.05
    return (best.busbw_gb_s - half) / (best.algbw_gb_s + half), (best.busbw_gb_s + half) / (best.algbw_gb_s - half)


def _ranks_by_factor(run: Run) -> int | None:
    """Return how many ranks there are by the factor of an all-reduce, 2(n-1)/n, where its digits tell one number."""
    factor = _factor(run)
    if factor is None or not 1.0 < factor[0] <= factor[1] < 2:
        return None
    least, most = (2 / (2 - ratio) for ratio in factor)
    possible = range(ceil(least), floor(most) + 1)
    eights = [ranks for ranks in possible if ranks % 8 == 0]
    return possible[0] if len(possible) == 1 else eights[0] if len(eights) == 1 else None


def _collective_by_factor(run: Run) -> str | None:
    """Return the collective where nothing names it, as far as the table tells: one that nothing tells stays unknown.

    A rank's part is the whole for those that reduce to everybody, and only alltoall cannot be checked in place.
    """
    row = run.best
    if row is None:
        return None
    whole = row.size_bytes == row.elements * DTYPE_BYTES[row.dtype]
    if row.redop is not None and row.root in {None, -1}:
        return "all_reduce" if whole else "reduce_scatter"
    checked = [
        measurement is not None and measurement.wrong is not None for measurement in (row.out_of_place, row.in_place)
    ]
    if whole or row.root not in {None, -1} or not checked[0]:
        factor = _factor(run)
        return "all_reduce" if factor is not None and factor[0] > 1.01 else None
    return "all_gather" if checked[1] else "alltoall"
