"""``trainyard monitor dashboards``."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trainyard.cli import suggestions
from trainyard.cli.monitor_findings import print_findings
from trainyard.cli.output import json_option, print_json, print_lines, print_text, styled

if TYPE_CHECKING:
    from trainyard.api.monitor_files import Dashboard, MonitorDashboards

_EMPTY = "monitoring.mode is none: nothing is measured that a dashboard of Grafana could show"


@click.command()
@click.argument("spec", metavar="[SPEC]", required=False, shell_complete=suggestions.files)
@click.option(
    "-o", "--output", "folder", metavar="DIR", type=click.Path(path_type=Path), help="Write their files here."
)
@click.option(
    "--force", is_flag=True, help="Replace a DIR that trainyard did not make, or that was changed; it is moved aside."
)
@json_option
def command(spec: str | None, folder: Path | None, *, force: bool, as_json: bool) -> None:
    """List the dashboards and what they show, or write them as files.

    With SPEC, only those that its cluster can fill, without panels about what it does not have, and its dashboards for
    CloudWatch besides; ids in those that only a deployment knows are stand-ins.

    Grafana takes the files of grafana/ under Dashboards, New, Import. Most of their panels show what Prometheus records
    by the rules that `trainyard monitor alerts -o FILE` writes.

    \b
    Exit status: 0 fine; 1 the spec has errors, or the files could not be written;
    2 SPEC could not be read, or DIR is not ours to replace.

    \b
    Example:
      trainyard monitor dashboards
      trainyard monitor dashboards cluster.yaml -o dashboards/
    """
    from trainyard.api.monitor_files import monitor_dashboards

    result = monitor_dashboards(spec, folder, force=force)
    failed = result.checked is not None and result.checked.has_errors
    if as_json:
        print_json(_as_json(result))
    else:
        print_findings(result.checked, empty=None if result.dashboards else _EMPTY)
        if not failed:
            _print(result)
    sys.exit(1 if failed else 0)


def _print(result: MonitorDashboards) -> None:
    if result.written is not None:
        if result.written.backup is not None:
            print_text(f"the former folder is kept as {result.written.backup}", err=True)
        for name in result.files:
            print_text(str(result.written.folder / name))
        return
    for dashboard in result.dashboards:
        _print_dashboard(dashboard)
    for name in (name for name in result.files if name.startswith("cloudwatch/")):
        print_text(f"{styled(name.removeprefix('cloudwatch/').removesuffix('.json'), bold=True)}  in CloudWatch")


def _print_dashboard(dashboard: Dashboard) -> None:
    print_text(f"{styled(dashboard.id, bold=True)}  {dashboard.description}")
    for row in dashboard.rows:
        shown = f"{row.title}: {'; '.join(panel.title for panel in row.panels)}"
        print_lines(textwrap.fill(shown, 100, initial_indent="  ", subsequent_indent="    "))


def _as_json(result: MonitorDashboards) -> dict[str, Any]:
    written, checked = result.written, result.checked
    return {
        "folder": None if written is None else str(written.folder),
        "kept": None if written is None or written.backup is None else str(written.backup),
        "files": list(result.files),
        "dashboards": [_dashboard(dashboard) for dashboard in result.dashboards],
        "findings": [] if checked is None else [finding.as_json() for finding in checked.findings],
    }


def _dashboard(dashboard: Dashboard) -> dict[str, Any]:
    panels = [
        {"id": panel.id, "row": row.title, "title": panel.title, "unit": panel.unit, "description": panel.description}
        for row in dashboard.rows
        for panel in row.panels
    ]
    return {"id": dashboard.id, "title": dashboard.title, "description": dashboard.description, "panels": panels}
