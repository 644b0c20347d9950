"""``trainyard facts``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from trainyard.cli.output import json_option, print_json, print_text, styled
from trainyard.cli.today import today
from trainyard.counts import count_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from trainyard.api.facts import FactReport


@click.command()
@click.option(
    "--within",
    "within_days",
    metavar="DAYS",
    type=click.IntRange(0, 3650),
    default=180,
    show_default=True,
    help="How far to look ahead, and back, for ends of support.",
)
@click.option("--upstream", is_flag=True, help="Also ask PyPI what has changed since the last look.")
@json_option
def command(within_days: int, *, upstream: bool, as_json: bool) -> None:
    """List facts that are old, support that ends soon, and what has changed upstream.

    Every file of the catalog says when it was compared with its sources, and for how long it may be believed. Where a
    check rests on facts that are older, it says so (facts-expired): a newer trainyard has newer ones. Nothing is asked
    of any network, except with --upstream.

    \b
    TRAINYARD_TODAY=2027-06-01 looks at it from another day.

    \b
    Example:
      trainyard facts
      trainyard facts --within 365 --upstream
      trainyard facts --json
    """
    from trainyard.api.facts import fact_report
    from trainyard.edge.package_registry import PackageRegistries

    report = fact_report(today(), within_days, PackageRegistries() if upstream else None)
    if as_json:
        print_json(_as_json(report))
        return
    for line in _lines(report, within_days):
        print_text(line)


def _as_json(report: FactReport) -> dict[str, object]:
    ages = [
        {"file": age.file, "looked": str(age.looked), "until": str(age.until), "expired": age.until < report.today}
        for age in report.ages
    ]
    ends = [{"of": end.of, "until": str(end.until), "source": end.source} for end in report.ends]
    changes = None if report.changes is None else [change._asdict() for change in report.changes]
    return {"today": str(report.today), "files": ages, "ends": ends, "changes": changes}


def _lines(report: FactReport, within_days: int) -> Iterator[str]:
    yield styled("Old facts", bold=True)
    for age in report.expired:
        yield f"  {age.file}: compared with its sources on {age.looked}, believed until {age.until}"
    if not report.expired:
        first = report.ages[0]
        yield f"  none; the first will be {first.file}, which is believed until {first.until}"
    yield styled(f"Ends of support, within {count_text(within_days, 'day')}", bold=True)
    for end in report.ends:
        yield f"  {end.until}  {end.of}, {_distance(end.until, report.today)}"
    if not report.ends:
        yield "  none"
    if report.changes is None:
        yield "`trainyard facts --upstream` also asks PyPI what has changed since the last look."
        return
    yield styled("Changed upstream", bold=True)
    for change in report.changes:
        yield f"  {change.package} {change.newest} on {change.registry}, was {change.seen}: {change.about}"
    if not report.changes:
        yield "  nothing"


def _distance(day: date, now: date) -> str:
    days = (day - now).days
    count = count_text(abs(days), "day")
    return "today" if days == 0 else f"in {count}" if days > 0 else f"{count} ago"
