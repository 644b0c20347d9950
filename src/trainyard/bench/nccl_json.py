"""The JSON that nccl-tests writes with ``-J``, and nccom-test with ``--report-to-json-file``.

https://github.com/NVIDIA/nccl-tests/blob/master/src/util.cu
It is written piece by piece, so a test that was killed leaves one that is cut: what is whole of it counts.
A file may hold several, one after the other or in a list, and other programs may have sorted or typed their values.
"""

from __future__ import annotations

import json
import re
from math import isfinite
from statistics import median
from typing import Any

from trainyard.bench.derived_facts import with_derived_facts
from trainyard.bench.log_facts import dotted_version
from trainyard.bench.nccl_log import collective_in
from trainyard.bench.nccom_table import row_of_cells
from trainyard.bench.result import Device, Evidence, Measurement, Row, Run

# The file has the whole environment of the test, which may hold secrets. No more than this is taken of it.
_ENVIRONMENT = re.compile(r"((?:NCCL|FI|OFI_NCCL)_[A-Z0-9_]+)=(.*)", re.DOTALL)
_RESULTS = re.compile(r'"results"\s*:\s*\[')
# The first keys that nccl-tests writes, or another program after it in the order of the alphabet, and nccom-test's.
_BEGINNING = re.compile(
    rb'\s*(?:\[\s*)?\{\s*"(?:version"\s*:\s*\d+\s*,\s*"start_time|(?:args|average_bus_bandwidth|config)"\s*:'
    rb'|results"\s*:\s*\[\s*\{)'
)
_WITHIN = re.compile(r'^\{\s*"version"\s*:\s*\d+\s*,\s*"start_time"', re.MULTILINE)
# One that is cut is read to the end of the file.
_MOST_TRIED = 100
_LONGEST_TIME = 40
_BETWEEN = re.compile(r"[,\s]*")


def is_test_json(beginning: bytes) -> bool:
    """Return whether a file that begins so is the JSON of a test, and no log whose records are JSON."""
    return _BEGINNING.match(beginning) is not None


def parse_json(text: str) -> list[Run]:
    """Return the tests. Raises ValueError where not even a beginning is whole, or where it has another form."""
    try:
        return [_nccom_run(content) if _is_of_nccom(content) else _run(content) for content in _contents(text)]
    except (AttributeError, KeyError, OverflowError, RecursionError, TypeError) as error:
        raise ValueError(f"a value is not as nccl-tests writes it: {error}") from error


def parse_json_within(text: str) -> list[Run]:
    """Return the tests whose JSON stands in a log, from the beginning of a line on; none where it is cut or another."""
    runs: list[Run] = []
    decoder, end, tried = json.JSONDecoder(), 0, 0
    for begin in _WITHIN.finditer(text):
        if begin.start() < end:
            continue
        if tried == _MOST_TRIED:
            break
        tried += 1
        try:
            value, end = decoder.raw_decode(text, begin.start())
            runs.append(_run(value))
        except (AttributeError, KeyError, OverflowError, RecursionError, TypeError, ValueError):
            continue
    return runs


def _contents(text: str) -> list[dict[str, Any]]:
    values, end = _whole_values(text)
    found = [content for value in values for content in (value if isinstance(value, list) else [value])]
    return found if found and not text[end:].strip() else [*found, _cut(text[end:])]


def _is_of_nccom(content: dict[str, Any]) -> bool:
    return "nccl_version" not in content and any("size(B)" in result for result in content.get("results", ()))


def _nccom_run(content: dict[str, Any]) -> Run:
    run = Run(tool="nccom-test", concluded=True)
    for result in content["results"]:
        row = row_of_cells({name: str(value) for name, value in result.items()}, 0)
        run.rows += [row] if row is not None else []
        run.damaged_rows += row is None
    return with_derived_facts(run)


def _run(content: dict[str, Any]) -> Run:
    config = content.get("config") or {}
    bounds, average = content.get("out_of_bounds"), content.get("average_bus_bandwidth")
    run = Run(
        collective=next(filter(None, map(collective_in, map(str, content.get("args", ())))), None),
        devices=[_device(device) for device in config.get("devices", ())],
        parameters={key: str(value) for key, value in config.items() if not isinstance(value, list)},
        versions={"nccl": dotted_version(str(content["nccl_version"]))} if content.get("nccl_version") else {},
        environment={match[1]: match[2] for line in content.get("env", ()) if (match := _ENVIRONMENT.fullmatch(line))},
        average_busbw_gb_s=None if average is None else float(average["bandwidth"]),
        out_of_bounds=None if bounds is None else (_count(bounds["count"]), _okay(bounds["okay"])),
        concluded="end_time" in content,
        began=None if (began := content.get("start_time")) is None else str(began)[:_LONGEST_TIME],
        failures=[Evidence(0, str(error)) for error in content.get("errors", ()) if error],
    )
    run.rows = [_row(result) for result in content.get("results", ())]
    return with_derived_facts(run)


def _cut(text: str) -> dict[str, Any]:
    """Return what is whole of a file that ends in the middle."""
    begin = _RESULTS.search(text)
    if begin is None:
        raise ValueError("the JSON ends before its results begin")
    content: dict[str, Any] = json.loads(text[: begin.start()].rstrip().rstrip(",") + "}")
    content["results"] = _whole_values(text[begin.end() :])[0]
    return content


def _whole_values(text: str) -> tuple[list[Any], int]:
    """Return the values that stand one after the other, and where the last of them that is whole ends."""
    decoder, at = json.JSONDecoder(), 0
    values: list[Any] = []
    while True:
        between = _BETWEEN.match(text, at)
        begin = between.end() if between is not None else at
        try:
            value, at = decoder.raw_decode(text, begin)
        except json.JSONDecodeError:
            return values, at
        values.append(value)


def _row(row: dict[str, Any]) -> Row:
    root, redop = str(row.get("root", "")).strip(), row.get("redop")
    return Row(
        _count(row["size"]), _count(row["count"]), str(row["type"]), None if redop in {None, "none"} else str(redop),
        int(root) if root.lstrip("-").isdecimal() else None,
        _measurement(row, "out_of_place"), _measurement(row, "in_place"), 0,
    )  # fmt: skip


def _measurement(result: dict[str, Any], place: str) -> Measurement | None:
    measured = result.get(place)
    if measured is None:
        return None
    time_us = measured["time"] if "time" in measured else measured["cpu_time"]
    wrong = None if measured.get("nwrong") is None else int(measured["nwrong"])
    each = _process_times_us(result.get(f"{place}_per_iter") or {})
    measurement = Measurement(
        float(time_us), float(measured["alg_bw"]), float(measured["bus_bw"]), wrong, process_times_us=each
    )
    # A test that could not measure writes "nan", or an infinite bandwidth for a time of 0.
    return measurement if all(isfinite(value) and value >= 0 for value in measurement[:3]) else None


def _process_times_us(timing: dict[str, Any]) -> tuple[float, ...] | None:
    """Return the median time of each process, without the iterations that the test leaves out of its own sums."""
    rows, skipped = timing.get("per_process_max_times_us") or (), int(timing.get("skipped_iterations") or 0)
    medians = [median(map(float, times[skipped:] or times)) for times in rows if times]
    return tuple(medians) if medians and len(medians) == len(rows) else None


def _device(device_entry: dict[str, Any]) -> Device:
    rank, group, pid, device = (_count(device_entry[name]) for name in ("rank", "group", "pid", "device"))
    return Device(rank, group, pid, str(device_entry["hostname"]), device, str(device_entry["device_info"]))


def _count(value: object) -> int:
    """Return a whole number that is not negative."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TypeError(f"{value!r} is no count")
    return value


def _okay(word: object) -> str:
    return "OK" if word in {True, "true"} else "FAILED"
