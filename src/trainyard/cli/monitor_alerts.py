"""``trainyard monitor alerts``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trainyard.cli import suggestions
from trainyard.cli.monitor_findings import print_findings
from trainyard.cli.output import json_option, print_json, print_text, styled
from trainyard.counts import count_text

if TYPE_CHECKING:
    from trainyard.api.monitor_files import MonitorAlerts

_EMPTY = "monitoring.mode is none: nothing is measured that an alert could tell of"


@click.command()
@click.argument("spec", metavar="[SPEC]", required=False, shell_complete=suggestions.files)
@click.option(
    "-o", "--output", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path), help="Write the rules."
)
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@json_option
def command(spec: str | None, output: Path | None, *, force: bool, as_json: bool) -> None:
    """List the alerts by what they are about, or write them as rules.

    With SPEC, only those that can fire in its cluster. Prometheus and Amazon Managed Prometheus read FILE, which holds
    what is recorded for the dashboards besides. `trainyard explain ALERT` says what to do.

    \b
    Exit status: 0 fine; 1 the spec has errors, or FILE could not be written;
    2 SPEC could not be read, or FILE exists.

    \b
    Example:
      trainyard monitor alerts
      trainyard monitor alerts cluster.yaml -o rules.yml
      trainyard explain gpu-xid-fatal
    """
    from trainyard.api.monitor_files import monitor_alerts

    result = monitor_alerts(spec, output, force=force)
    failed = result.checked is not None and result.checked.has_errors
    if as_json:
        print_json(_as_json(result))
    else:
        print_findings(result.checked, empty=None if result.alerts else _EMPTY)
        _print(result)
    sys.exit(1 if failed else 0)


def _print(result: MonitorAlerts) -> None:
    from trainyard.monitoring.alert import title

    if result.written is not None:
        count = len(result.alerts)
        print_text(f"{result.written} written: {count_text(count, 'alert')}, and what is recorded for dashboards")
        return
    width = max((len(alert.id) for alert in result.alerts), default=0)
    for alert in result.alerts:
        print_text(f"{styled(alert.id.ljust(width), bold=True)}  {alert.severity:<8}  {title(alert.summary)}")


def _as_json(result: MonitorAlerts) -> dict[str, Any]:
    from trainyard.monitoring.alert import title

    alert_values = [
        {
            "id": alert.id,
            "group": alert.group,
            "severity": alert.severity,
            "for": alert.for_,
            "summary": title(alert.summary),
        }
        for alert in result.alerts
    ]
    findings = [] if result.checked is None else [finding.as_json() for finding in result.checked.findings]
    return {
        "file": None if result.written is None else str(result.written),
        "alerts": alert_values,
        "findings": findings,
    }
