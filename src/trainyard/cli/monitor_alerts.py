"""``trainyard monitor alerts``."""

from __future__ import annotations

from pathlib import Path

import click

from trainyard.cli.output import json_option, one_line, print_json, print_text


@click.command()
@click.option(
    "-o", "--output", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path), help="Write the rules."
)
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@json_option
def command(output: Path | None, *, force: bool, as_json: bool) -> None:
    """List the alerts by what they are about, or write them as rules.

    Prometheus and Amazon Managed Prometheus read FILE. It holds what is recorded for the dashboards besides.
    `trainyard explain ALERT` says what to do.

    \b
    Example:
      trainyard monitor alerts
      trainyard monitor alerts -o rules.yml
      trainyard explain gpu-xid-fatal
    """
    from trainyard.api.monitor_files import monitor_alerts
    from trainyard.monitoring.alert_told import title

    found = monitor_alerts(output, force=force)
    if as_json:
        told = [
            {"id": one.id, "group": one.group, "severity": one.severity, "for": one.for_, "summary": title(one.summary)}
            for one in found
        ]
        print_json({"file": None if output is None else str(output), "alerts": told})
    elif output is not None:
        print_text(f"{one_line(str(output))} written: {len(found)} alerts, and what is recorded for dashboards")
    else:
        width = max(len(one.id) for one in found)
        for one in found:
            print_text(f"{click.style(one.id.ljust(width), bold=True)}  {one.severity:<8}  {title(one.summary)}")
