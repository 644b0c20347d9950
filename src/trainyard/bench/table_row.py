"""A line of a table of results, in every form that nccl-tests and nccom-test have written.

The columns have changed: with and without ``redop`` and ``root``, ``error`` or ``#wrong``, and four more for each
measurement where every iteration is timed. How many there are is enough to tell them apart.
https://github.com/NVIDIA/nccl-tests/blob/master/src/util.cu
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from trainyard.bench.result import Measurement, Row

# Bytes of an element, by nccl-tests' names (src/common.cu) and nccom-test's:
# https://awsdocs-neuron.readthedocs-hosted.com/en/latest/tools/neuron-sys-tools/nccom-test.html
DTYPE_BYTES = {
    "int8": 1, "uint8": 1, "int32": 4, "uint32": 4, "int64": 8, "uint64": 8, "half": 2, "float": 4, "double": 8,
    "bfloat16": 2, "f8e4m3": 1, "f8e5m2": 1, "fp8e4m3": 1, "fp8e5m2": 1, "fp16": 2, "fp32": 4, "fp64": 8, "bf16": 2,
    "fp8": 1, "char": 1, "int": 4,
}  # fmt: skip
_REDOPS = {"sum", "prod", "min", "max", "avg", "all", "mulsum", "none"}
# What launchers put before a line: srun "3:", mpirun "[1,0]<stdout>:", kubectl "[pod/name/container]" and time stamps,
# and people a number of nodes.
_PREFIX = re.compile(r"\d+:?|\[[^\]\s]*\](?:<std(?:out|err)>)?:?|[\w.-]+:|\d{4}-\d\d-\d\d[T\d:.,Z+-]*|[\d:.,]+Z?")
_MOST_PREFIXES = 4
_NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[+-]\d\d+)?")
_ERROR = re.compile(r"\d(?:\.\d+)?e[+-]\d\d+")
# When CloudWatch Logs took the line, in milliseconds, which `aws logs … --output text` writes behind it. No table has
# so many wrong elements. https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_OutputLogEvent.html
_TIME_BEHIND = re.compile(r"1\d{12}")
_OF_A_MEASUREMENT = 4
# How many values there can be, and how many of them are the first measurement's.
_TWICE = {8: 4, 16: 8}
_COUNT_WITH_EXPONENT = 1e5
_ONCE = {3: 3, 4: 4, 8: 8}


class Start(NamedTuple):
    """The part of a row that says what was sent."""

    size_bytes: int
    elements: int
    dtype: str
    redop: str | None
    rest: list[str]
    before: tuple[str, ...] = ()
    """What stands before it in the line: whatever launchers, log services and people put there."""


def start_of(text: str) -> Start | None:
    """Return what a line holds of a row from its size on, wherever that stands in it, or None where it holds none."""
    spaced = text.replace("|", " ")
    return _start_in(spaced.split()) or _start_in(re.split(r"[,;\s]+", spaced))


def _start_in(words: list[str]) -> Start | None:
    for at in range(2, len(words)):
        if words[at] in DTYPE_BYTES and words[at - 1].isdecimal() and words[at - 2].isdecimal():
            size_bytes, elements = int(words[at - 2]), int(words[at - 1])
            if _fits(size_bytes, elements, words[at]):
                rest = words[at + 1 :]
                redop = rest.pop(0) if rest and rest[0] in _REDOPS else None
                return Start(size_bytes, elements, words[at], redop, rest, tuple(words[: at - 2]))
    return None


def usual_before(start: Start) -> bool:
    """Return whether only what launchers put before a line stands before it: prose may hold two numbers and a type."""
    return len(start.before) <= _MOST_PREFIXES and all(map(_PREFIX.fullmatch, start.before))


def row_of(start: Start, line: int, *, measured_once: bool = False) -> Row | None:
    """Return the row, or None where it is cut or contradicts itself.

    ``measured_once``: the table has no second measurement, in place, so that half a row is a whole one.
    """
    root, values = _root_and_values(_values(start.rest))
    measured = _measurements(values, _ONCE if measured_once else _TWICE)
    if measured is None or not all(
        _agrees(start.size_bytes, measurement) for measurement in measured if measurement is not None
    ):
        return None
    out_of_place, in_place = measured
    return Row(
        start.size_bytes, start.elements, start.dtype, start.redop if start.redop != "none" else None, root,
        out_of_place, in_place, line,
    )  # fmt: skip


def row_over_lines(start: Start, line: int, below: list[str]) -> Row | None:
    """Return the row that a mail program, an editor or a terminal has broken into this line and those below it.

    What stands before the lines below has to be what stands before the first, or nothing: a number of a record is no
    value. A terminal breaks in the middle of a figure.
    """
    wholes = [list(start.rest)]
    for text in below:
        words = text.split()
        before, of_row = words[: len(start.before)], words[len(start.before) :]
        words = of_row if shape(before) == shape(start.before) else words
        if not words or not all(map(_is_part_of_value, words)):
            return None
        wholes = [[*rest, *words] for rest in wholes] + [
            [*rest[:-1], rest[-1] + words[0], *words[1:]] for rest in wholes if rest
        ]
        for rest in wholes:
            if (row := row_of(start._replace(rest=rest), line)) is not None:
                return row
    return None


def shape(words: Iterable[str]) -> str:
    """Return what stands before a row without its numbers: it is alike in all lines of a table."""
    return re.sub(r"\d+", "0", " ".join(words))


def is_continuation(text: str) -> bool:
    """Return whether a line is the second part of a row that other output has torn apart."""
    words = text.split()
    while words and _PREFIX.fullmatch(words[0]) and not _NUMBER.fullmatch(words[0]):
        del words[0]
    return bool(words) and len(words) % _OF_A_MEASUREMENT <= 1 and all(map(_is_value, words))


def _is_part_of_value(word: str) -> bool:
    return _is_value(word) or re.fullmatch(r"[\d.eN/A+-]+", word) is not None


def _is_value(word: str) -> bool:
    return word in {"N/A", "-1"} or _NUMBER.fullmatch(word) is not None


def _fits(size_bytes: int, elements: int, dtype: str) -> bool:
    """Return whether so many elements can be so many bytes: a rank's part of them, or all."""
    each = elements * DTYPE_BYTES[dtype]
    return size_bytes == each or (each > 0 and size_bytes % each == 0) or (size_bytes < each and size_bytes > 0)


def _values(words: list[str]) -> list[str]:
    """Return the words up to the first that is no value: a time of day (`-T`), or the end of a record around it."""
    if len(words) > _OF_A_MEASUREMENT and _TIME_BEHIND.fullmatch(words[-1]):
        words = words[:-1]
    values = []
    for word in words:
        value = word.strip("\"',;")
        if not _is_value(value) and not value.isdecimal():
            break
        values.append(value)
    return values


def _root_and_values(words: list[str]) -> tuple[int | None, list[str]]:
    has_root = len(words) % _OF_A_MEASUREMENT == 1 and re.fullmatch(r"-?\d+", words[0]) is not None
    return (int(words[0]), words[1:]) if has_root else (None, words)


def _measurements(values: list[str], halves: dict[int, int]) -> tuple[Measurement | None, Measurement | None] | None:
    half = halves.get(len(values))
    if half is None or not all(map(_is_value, values)) or "-1" in values:
        return None
    first, second = _measurement(values[:half]), _measurement(values[half:])
    complete = first is not None and (second is not None or not values[half:])
    return (first, second) if complete else None


def _measurement(values: list[str]) -> Measurement | None:
    if not values or "N/A" in values[:3]:
        return None
    time_us, algbw, busbw = (float(value) for value in values[:3])
    last = values[3] if len(values) > 3 else "N/A"
    if last == "N/A":
        return Measurement(time_us, algbw, busbw)
    # A deviation has always an exponent, such as 5e-07 or 1e+00; a count has one from a million on, 1e+06.
    if _ERROR.fullmatch(last) and float(last) < _COUNT_WITH_EXPONENT:
        return Measurement(time_us, algbw, busbw, error=float(last))
    return Measurement(time_us, algbw, busbw, wrong=int(float(last)))


def _agrees(size_bytes: int, measurement: Measurement) -> bool:
    """Return whether the bandwidth follows from size and time, as far as the digits go, in GB/s or in GiB/s.

    Old versions gave all-gather and its like the bus bandwidth as both: (n-1)/n of it, for two ranks and more.
    """
    if not 0 < measurement.time_us < float("inf"):
        return measurement.time_us == 0
    each = size_bytes / measurement.time_us / 1e3
    allowed = 0.006 + 0.006 * each + 0.01 * each * (measurement.time_us < 10)
    if (
        measurement.algbw_gb_s == measurement.busbw_gb_s
        and each / 2 - allowed <= measurement.algbw_gb_s <= each + allowed
    ):
        return True
    return any(abs(each / unit - measurement.algbw_gb_s) <= allowed for unit in (1, 2**30 / 1e9))
