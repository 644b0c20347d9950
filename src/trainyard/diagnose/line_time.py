"""When a line was written, in the forms of the programs whose logs are read. Without a zone it is UTC, as nodes are."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator

# A time is looked for in this much of a line, and only where programs write theirs: a message may speak of others.
_HEAD_CHARACTERS = 4000
_DAY = r"(?P<year>20\d\d)[-/](?P<month>\d\d)[-/](?P<day>\d\d)"
_CLOCK = r"(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)(?:[.,](?P<fraction>\d{1,9}))?"
_ISO = _DAY + r"(?:T| {1,2})" + _CLOCK + r" ?(?P<zone>Z\b|[+-]\d\d:?\d\d\b)?"
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MONTH = rf"(?P<month_name>{'|'.join(_MONTHS)})"
_KEYS = (
    "ts|time|datetime|date|[Tt]imestamp|@timestamp|eventTime|_SOURCE_REALTIME_TIMESTAMP|__REALTIME_TIMESTAMP|Timestamp"
)
# Where each form may begin, in characters: `[1,2]<stdout>:ip-10-0-0-1:88:99 [0] ` can stand before it.
_NEAR_BEGINNING, _IN_MESSAGE = 40, 300

_CLOUDWATCH = re.compile(rf"(?:\ufeff)?{_ISO}")
_AT_BEGINNING = re.compile(rf"(?<![\w.]){_ISO}")
_IN_BRACKETS = re.compile(rf"\[{_ISO}\]")
_KEYED = re.compile(rf"""["\\ ]?(?<![\w-])(?:{_KEYS})\\?"?\s{{0,2}}[:=]\s{{0,2}}\\?"?{_ISO}""")
_KEYED_NUMBER = re.compile(
    rf""""(?:{_KEYS}|ingestionTime)\\?"\s{{0,2}}:\s{{0,2}}"?(?P<number>[12]\d{{9,18}}(?:\.\d{{1,9}})?)\b"""
)
# `May  6 13:00:01`, https://www.rfc-editor.org/rfc/rfc3164#section-4.1.2
_SYSLOG = re.compile(rf"(?<!\w){_MONTH} {{1,2}}(?P<day>\d{{1,2}}) {_CLOCK}(?! [A-Z]{{0,5}} ?20\d\d\b)")
# `Fri Apr  5 23:44:57 2025`, as dmesg -T and ctime() write it, and date, with a zone before the year.
_CTIME = re.compile(
    rf"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) {_MONTH} {{1,2}}(?P<day>\d{{1,2}}) {_CLOCK}(?: (?:UTC|GMT))? (?P<year>20\d\d)\b"
)
# `E0321 14:27:08.4`, https://github.com/google/glog#log-line-prefix; torch's c10d writes the month without its zero.
_GLOG = re.compile(rf"(?<!\w)[IWEF](?P<month>\d{{1,2}})(?P<day>\d\d) {_CLOCK}")
# `[21/Mar/2025:14:16:48 +0000]`, https://httpd.apache.org/docs/2.4/logs.html#common
_HTTPD = re.compile(rf"\[(?P<day>\d\d)/{_MONTH}/(?P<year>20\d\d):{_CLOCK} (?P<zone>[+-]\d{{4}})\]")
# In a name: `mlcluster-logs-202507020800`, as ParallelCluster calls its exports, or `messages-20250703`.
_IN_NAME = re.compile(
    r"(?<!\d)(?P<year>20\d\d)-?(?P<month>[01]\d)-?(?P<day>[0-3]\d)(?:[T-]?(?P<hour>[0-2]\d)(?P<minute>[0-5]\d))?(?:\d\d)?(?!\d)"
)

# What all forms have: most lines that tell no time have neither.
_ANY_FORM = re.compile(r"\d\d:\d\d:\d\d|[12]\d{9}")

# A file is written after its lines; its own time may be of another zone or clock.
_CLOCKS_DIFFER = dt.timedelta(days=2)
_FORMS: tuple[tuple[re.Pattern[str], int], ...] = (
    (_AT_BEGINNING, _NEAR_BEGINNING), (_CTIME, _NEAR_BEGINNING), (_SYSLOG, _NEAR_BEGINNING), (_GLOG, _NEAR_BEGINNING),
    (_IN_BRACKETS, _IN_MESSAGE), (_HTTPD, _IN_MESSAGE), (_KEYED, _HEAD_CHARACTERS), (_KEYED_NUMBER, _HEAD_CHARACTERS),
)  # fmt: skip


def time_of(text: str, near: dt.datetime | None = None, before: dt.datetime | None = None) -> dt.datetime | None:
    """Return when a line was written; None where it does not say, or only without a year and neither tells that.

    near: a time of the same logs; a line without a year is of the one that brings it closest. before: where none is
    near, a time that the line is not later than, as that of its file.
    """
    head = text[:_HEAD_CHARACTERS]
    if not _ANY_FORM.search(head):
        return None
    if match := _CLOUDWATCH.match(head):
        return _safely(match, near, before)
    for form, within in _FORMS:
        match = form.search(head)
        if match and match.start() < within and (time := _safely(match, near, before)):
            return time
    return None


def time_in(names: Iterable[str]) -> dt.datetime | None:
    """Return a time that the name of a log, or of a folder around it, holds."""
    times = (_safely(match, None, None) for name in names for match in _IN_NAME.finditer(name))
    return next((time for time in times if time), None)


def time_of_number(number: float) -> dt.datetime | None:
    """Return the time of a number of seconds, milliseconds, microseconds or nanoseconds since 1970, by its size."""
    for per_second in (1, 10**3, 10**6, 10**9):
        if number < 10**10 * per_second:
            return dt.datetime.fromtimestamp(number / per_second, dt.UTC)
    return None


def _safely(match: re.Match[str], near: dt.datetime | None, before: dt.datetime | None) -> dt.datetime | None:
    try:
        return _of_parts(match.groupdict(), near, before)
    except (ValueError, OverflowError):  # the 31st of February, or an offset of 99 hours
        return None


def _of_parts(part: dict[str, str | None], near: dt.datetime | None, before: dt.datetime | None) -> dt.datetime | None:
    if number := part.get("number"):
        return time_of_number(float(number))
    if year := part.get("year"):
        return _time(part, int(year))
    if near:
        return min(_of_years(part, near.year), key=lambda time: abs(time - near))
    if before:
        return max(time for time in _of_years(part, before.year) if time <= before + _CLOCKS_DIFFER)
    return None


def _of_years(part: dict[str, str | None], middle: int) -> Iterator[dt.datetime]:
    for year in range(middle - 4, middle + 2):
        try:
            yield _time(part, year)
        except ValueError:  # a 29th of February
            continue


def _time(part: dict[str, str | None], year: int) -> dt.datetime:
    name = part.get("month_name")
    month = _MONTHS.index(name) + 1 if name else int(part.get("month") or 0)
    hour, minute, second = (int(part.get(unit) or 0) for unit in ("hour", "minute", "second"))
    microsecond = int((part.get("fraction") or "0").ljust(6, "0")[:6])
    zone = _zone(part.get("zone"))
    return dt.datetime(year, month, int(part.get("day") or 0), hour, minute, second, microsecond, zone)


def _zone(text: str | None) -> dt.timezone:
    if not text or text == "Z":
        return dt.UTC
    minutes = int(text[1:3]) * 60 + int(text[-2:])
    return dt.timezone(dt.timedelta(minutes=-minutes if text[0] == "-" else minutes))
