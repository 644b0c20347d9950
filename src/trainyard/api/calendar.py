"""Everything with a date, of clusters and specs."""

from __future__ import annotations

from trainyard.operate.calendar.calendar_entry import CalendarEntry
from trainyard.operate.calendar.cluster_calendar import Calendar, cluster_calendar, region_calendar
from trainyard.operate.calendar.icalendar_text import icalendar_text

__all__ = ["Calendar", "CalendarEntry", "cluster_calendar", "icalendar_text", "region_calendar"]
