"""A file for programs of calendars: a forgery is the text of an entry, and makes no entry, alarm or property."""

from __future__ import annotations

from datetime import UTC, datetime

import icalendar

from tests.each_case import each_case
from tests.forged.forgeries import FORGERIES, MARK
from trainyard.operate.calendar.calendar_entry import CalendarEntry, Kind
from trainyard.operate.calendar.cluster_calendar import Calendar
from trainyard.operate.calendar.icalendar_text import icalendar_text

TEXTS = {
    **FORGERIES,
    "end-of-event": f"x\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nSUMMARY:{MARK}\r\nATTACH:http://{MARK}.example",
    "folded": f"x\r\n {MARK}\n\tATTENDEE:mailto:{MARK}",
    "escaped-end": f"x\\nEND:VALARM\\\n{MARK}\\",
    "controls": "".join(map(chr, range(32))) + MARK + "\x7f\x85\u2028\u2029",
}
KINDS: tuple[Kind, ...] = ("instances-taken-back", "image-created")


def calendar(text: str) -> str:
    at = datetime(2026, 11, 24, 11, tzinfo=UTC)
    entries = tuple(CalendarEntry(at, text, kind, text, text, text) for kind in KINDS)
    return icalendar_text(Calendar("us-east-2", at.timestamp(), entries, {}))


def properties(text: str) -> list[tuple[str, list[str]]]:
    return [(part.name or "", sorted(part)) for part in icalendar.Calendar.from_ical(text).walk()]


@each_case("text", TEXTS.values(), ids=TEXTS)
def test_an_entry_is_one_entry(text: str):
    written = calendar(text)
    assert properties(written) == properties(calendar("a word"))
    lines = written.split("\r\n")
    assert all(line.isprintable() and len(line.encode()) <= 75 for line in lines)
    assert MARK in written.replace("\r\n ", "")
