"""A calendar as programs for calendars read it: iCalendar, RFC 5545.

https://www.rfc-editor.org/rfc/rfc5545
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256

from trainyard.foreign_text import one_line
from trainyard.operate.calendar.calendar_entry import CalendarEntry
from trainyard.operate.calendar.cluster_calendar import Calendar
from trainyard.version import __version__

_MOST_OCTETS = 75  # of a line, https://www.rfc-editor.org/rfc/rfc5545#section-3.1
_ESCAPED = str.maketrans({"\\": "\\\\", ";": "\\;", ",": "\\,"})


def icalendar_text(calendar: Calendar) -> str:
    """Return the calendar, with an alarm a day and an hour before instances go. An entry keeps its UID."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", f"PRODID:-//trainyard//trainyard {__version__}//EN"]
    for entry in calendar.entries:
        lines += _event(entry, calendar)
    return "".join(f"{part}\r\n" for line in [*lines, "END:VCALENDAR"] for part in _folded(line))


def _event(entry: CalendarEntry, calendar: Calendar) -> Iterator[str]:
    # An entry whose date moves, as by an extension, stays the same entry: of each kind, a subject has one.
    identity = f"{calendar.region}|{entry.cluster}|{entry.kind}|{entry.subject}|{entry.source}"
    day = entry.at.date()
    yield "BEGIN:VEVENT"
    yield f"UID:{sha256(identity.encode('utf-8', 'backslashreplace')).hexdigest()[:32]}@trainyard"
    yield f"DTSTAMP:{datetime.fromtimestamp(calendar.at, UTC):%Y%m%dT%H%M%SZ}"
    if entry.whole_day:
        yield f"DTSTART;VALUE=DATE:{day:%Y%m%d}"
        yield f"DTEND;VALUE=DATE:{day + timedelta(days=1):%Y%m%d}"
    else:
        yield f"DTSTART:{entry.at:%Y%m%dT%H%M%SZ}"
    yield f"SUMMARY:{_text(f'{entry.cluster}: {entry.what}')}"
    yield f"DESCRIPTION:{_text(entry.source)}"
    yield f"CATEGORIES:{entry.kind}"
    yield "TRANSP:TRANSPARENT"
    for before in ("P1D", "PT1H") if entry.kind == "instances-taken-back" else ():
        yield from ("BEGIN:VALARM", "ACTION:DISPLAY", f"TRIGGER:-{before}")
        yield from (f"DESCRIPTION:{_text(entry.what)}", "END:VALARM")
    yield "END:VEVENT"


def _text(text: str) -> str:
    """Return text as a value, which has no control characters: https://www.rfc-editor.org/rfc/rfc5545#section-3.3.11."""
    return one_line(text).translate(_ESCAPED)


def _folded(line: str) -> Iterator[str]:
    """Yield a line in parts of at most 75 octets, the later ones behind a space, no character cut in two."""
    part = ""
    for character in line:
        if len((part + character).encode()) > _MOST_OCTETS:
            yield part
            part = " "
        part += character
    yield part
