"""The text that nccl-tests and nccom-test print, with whatever stands around it, as runs."""

from __future__ import annotations

import re
from collections.abc import Iterable

from trainyard.bench.derived_facts import with_derived_facts
from trainyard.bench.log_facts import begins_job, note
from trainyard.bench.log_scan import ScannedLog, scan
from trainyard.bench.nccom_table import columns_of, note_command, row_by_columns
from trainyard.bench.program_text import program_lines
from trainyard.bench.result import Device, Evidence, Row, Run
from trainyard.bench.table_row import Start, is_continuation, row_of, row_over_lines, shape, start_of, usual_before

_COLLECTIVE = re.compile(
    r"\b(all_reduce|all_gather|reduce_scatter|alltoallv?|broadcast|reduce|gather|scatter|sendrecv|hypercube)_perf"
)
_PARAMETERS = re.compile(r"nThread \d+ nGpus \d+ .*")
_PARAMETER = re.compile(r"([A-Za-z]+(?: iters)?):? (\d+(?:\((?:factor|bytes)\))?)")
_DEVICE = re.compile(
    r"Rank\s+(\d+)\s+(?:Group\s+(\d+)\s+)?Pid\s+(\d+)\s+on\s+(\S+)\s+device\s+(\d+)\s+\[([^\]]*)\]\s*(.*?)\s*$"
)
_AVERAGE = re.compile(r"Avg bus bandwidth\s*:\s*([\d.]+(?:e[+-]\d+)?)\s*(?:GB/s)?")
_A_NUMBER = re.compile(r"[=~]?-?\d+(?:\.\d+)?(?:e[+-]\d+)?[kmgsKMG]?")
# Of nccl-tests' own JSON, which is read as a whole and not line by line.
_OF_JSON = '"nccl_version"'
_LINES_BELOW, _FEWEST_NUMBERS = 4, 2
# So many rows of which none can be read are a table of another form, and no damage.
_UNREAD_ROWS = 3
_SAME_LINE_TWICE = 2
_LINES_OF_A_ROW = 2
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
        self.rank_of_device: dict[tuple[str, int, str], int] = {}

    def read(self, scanned: ScannedLog) -> None:
        self.run.transport.connections += scanned.connections
        self.run.transport.gdr_connections += scanned.gdr_connections
        for text in program_lines(scanned.text):
            self._read(text, scanned)

    def _read(self, text: str, scanned: ScannedLog) -> None:
        if self._begins(text):
            self._next()
        self.run.first_line = self.run.first_line or scanned.line
        if not self._row(text, scanned):
            self._frame(text)
            note(self.run, scanned.line, text)
            if _OF_JSON in text and not self.run.rows:
                self.run.unread = Evidence(scanned.line, "")
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
        opening = opening or begins_job(text)
        return begun and (opening or _PARAMETERS.search(text) is not None or ("busbw" in text and self.ended))

    def _next(self) -> None:
        self._give_up_torn()
        run = self.run
        if run.is_test or run.transport.provider:
            self.runs.append(with_derived_facts(run))
        self.run, self.ended, self.measured_once, self.columns = Run(began=run.began), False, False, []
        self.rank_of_device = {}

    def _row(self, text: str, scanned: ScannedLog) -> bool:
        """Take a line that holds a row, or a part of one."""
        line = scanned.line
        start = start_of(text)
        if start is None:
            return self._continued(text)
        row = self._row_of(start, text, line)
        if row is None and not self.columns:
            row = row_over_lines(start, line, scanned.below.splitlines()[:_LINES_OF_A_ROW])
        before = shape(start.before)
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
            rank, group, pid, host, device, bus, name = match.groups()
            self._device(Device(int(rank), int(group or 0), int(pid), host, int(device), name.rstrip('"|')), bus)
        elif "busbw" in text:
            self.columns = columns_of(text)
            self.before.add(shape(text.replace("|", " ").partition("size")[0].replace("#", " ").split()))
            self.measured_once = "size" in text and text.count("busbw") == 1
            if "algbw(GB/s)" in text:
                run.tool = "nccom-test"
        self._summary(text)

    def _device(self, device: Device, bus: str) -> None:
        if device in self.run.devices[-_SAME_LINE_TWICE:]:
            return
        rank = self.rank_of_device.setdefault((device.host, device.device, bus), device.rank)
        if rank != device.rank:
            self.run.doubled_devices.append(
                f"ranks {rank} and {device.rank} on device {device.device} of {device.host}"
            )
        self.run.devices.append(device)

    def _summary(self, text: str) -> None:
        if match := _AVERAGE.search(text):
            self.run.average_busbw_gb_s, self.ended = float(match[1]), True
            self._give_up_torn()
        elif match := _BOUNDS.search(text):
            self.run.out_of_bounds = (int(match[1]), match[2])
        elif "Collective test concluded" in text:
            self.run.concluded = self.ended = True


def _is_table(below: str) -> bool:
    """Return whether rows stand in the lines below the columns of a table: two with more numbers than words."""
    rows = 0
    for line in below.splitlines()[:_LINES_BELOW]:
        words = [word for text in program_lines(line) for word in text.replace("|", " ").split() if word.strip("\"',")]
        numbers = sum(_A_NUMBER.fullmatch(word.strip("\"',")) is not None for word in words)
        rows += numbers >= _FEWEST_NUMBERS and numbers * 2 > len(words)
    return rows >= 2


def _of_nccom(start: Start) -> bool:
    return start.dtype in {"fp32", "fp16", "bf16", "fp8"} and len(start.rest) <= 4
