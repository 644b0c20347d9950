"""``trainyard calendar``."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from trainyard.cli.options import account_options, cluster_argument
from trainyard.cli.output import json_option, print_json, print_plain, print_text
from trainyard.counts import count_text
from trainyard.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainyard.api.calendar import Calendar, CalendarEntry


@click.command()
@cluster_argument(required=False)
@account_options
@click.option("--ics", "as_ics", is_flag=True, help="Print iCalendar, for programs that show calendars.")
@json_option
def command(name: str | None, region: str | None, profile: str | None, *, as_ics: bool, as_json: bool) -> None:
    """List everything that has a date, of the cluster NAME, of a SPEC, or of all clusters of the region.

    When Capacity Blocks and reservations begin and end, and by when their instances have to be gone; what EC2 has
    scheduled for instances; until when Kubernetes, operating systems, drivers and runtimes are supported; how old the
    machine images are; when certificates end. Of a SPEC also what is not deployed yet.

    \b
    Example:
      trainyard calendar cluster.yaml
      trainyard calendar llm-p5 --region us-east-2
      trainyard calendar --region us-east-2 --ics > trainyard.ics
    """
    from trainyard.api.calendar import cluster_calendar, icalendar_text, region_calendar
    from trainyard.api.cluster_reference import account_in, cluster_reference

    if as_ics and as_json:
        raise InputError("--ics and --json contradict each other", where="--ics", hint="choose one of them")
    if name is None:
        calendar = region_calendar(account_in(region, profile))
    else:
        cluster = cluster_reference(name, region, profile)
        calendar = cluster_calendar(cluster.name, cluster.account, cluster.spec, cluster.bucket)
    if as_ics:
        print_plain(icalendar_text(calendar), end="")
    elif as_json:
        print_json(_values(calendar))
    else:
        for line in _lines(calendar):
            print_text(line)


def _lines(calendar: Calendar) -> Iterator[str]:
    width = max((len(entry.cluster) for entry in calendar.entries), default=0)
    for entry in calendar.entries:
        time = f"{entry.at:%Y-%m-%d}          " if entry.whole_day else f"{entry.at:%Y-%m-%d %H:%M} UTC"
        yield f"{time}  {_distance(entry, calendar.at):>13}  {entry.cluster:{width}}  {entry.what}"
    if not calendar.entries:
        yield "nothing has a date"
    for part, why in calendar.unknown.items():
        yield f"not known: {part}: {why}"


def _distance(entry: CalendarEntry, now_s: float) -> str:
    from trainyard.operate.nodes.durations import duration

    left_s = entry.at.timestamp() - now_s
    if entry.whole_day:
        days = (entry.at.date() - datetime.fromtimestamp(now_s, UTC).date()).days
        if days == 0:
            return "today"
        return f"in {count_text(days, 'day')}" if days > 0 else f"{count_text(-days, 'day')} ago"
    return f"in {duration(left_s)}" if left_s >= 0 else f"{duration(-left_s)} ago"


def _values(calendar: Calendar) -> dict[str, Any]:
    entries = [{**entry._asdict(), "at": entry.at.isoformat()} for entry in calendar.entries]
    at = datetime.fromtimestamp(calendar.at, UTC).isoformat(timespec="seconds")
    return {"region": calendar.region, "at": at, "entries": entries, "unknown": calendar.unknown}
