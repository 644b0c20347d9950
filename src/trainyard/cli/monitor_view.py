"""``trainyard monitor view``."""

from __future__ import annotations

import sys
import webbrowser
from typing import TYPE_CHECKING

import click

from trainyard.cli.interrupts import endless
from trainyard.cli.options import account_options, cluster_argument
from trainyard.cli.output import json_option, print_json, print_text, reporter
from trainyard.stop_request import LOOK_EVERY_S

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainyard.api.monitor_view import DashboardData, Viewer

_LARGEST_PORT = 65535


@click.command()
@cluster_argument(required=False)
@click.option("--prometheus", metavar="URL", help="Where Prometheus answers: a forwarded port, or a workspace of AMP.")
@account_options
@click.option("--port", type=click.IntRange(0, _LARGEST_PORT), default=0, metavar="PORT",
              help="Where the page is on this machine. By default any port that is free.")  # fmt: skip
@click.option("--open/--no-open", "opens", default=False, help="Open it in the browser.")
@click.option("--check", "checks", is_flag=True, help="Only say which dashboards have data, and end.")
@json_option
def command(  # noqa: PLR0913  one for each option
    name: str | None,
    *,
    prometheus: str | None,
    region: str | None,
    profile: str | None,
    port: int,
    opens: bool,
    checks: bool,
    as_json: bool,
) -> None:
    """Show the dashboards of the cluster NAME, or of a Prometheus, as a page on this machine, until Ctrl-C.

    The page is served on 127.0.0.1 alone and asks nobody else. Requests to Amazon Managed Prometheus are signed with
    the AWS configuration. A Prometheus that wants to know who asks is told by the environment:
    TRAINYARD_PROMETHEUS_TOKEN, or TRAINYARD_PROMETHEUS_USER and TRAINYARD_PROMETHEUS_PASSWORD. The pages of a node and
    a job read logs as `trainyard logs` does, when somebody asks for them: of NAME, or in --region.

    \b
    Exit status: 0 fine; 1 it could not be reached, or with --check no dashboard
    has data or a query failed; 2 the command line is wrong, or the port is taken.

    \b
    Example:
      trainyard monitor view cluster.yaml
      trainyard monitor view llm-p5 --region us-east-2
      trainyard monitor view --prometheus http://localhost:9090 --region us-east-2 --open
      trainyard monitor view --prometheus http://localhost:9090 --check
    """
    from trainyard.api.monitor_view import dashboards_data, log_account, metrics_keeper, open_viewer

    keeper = metrics_keeper(name, prometheus, region=region, profile=profile)
    reporter()(f"asking {keeper.url}")
    if checks or as_json:
        dashboards = dashboards_data(keeper)
        _print_found(dashboards, as_json=as_json)
        sys.exit(
            0
            if any(dashboard.with_data for dashboard in dashboards)
            and not any(dashboard.failed for dashboard in dashboards)
            else 1
        )
    where = log_account(name, prometheus, region=region, profile=profile)
    _serve(open_viewer(keeper, port, where), opens=opens)


def _serve(viewer: Viewer, *, opens: bool) -> None:
    print_text(viewer.url)
    reporter()("the dashboards are there until Ctrl-C")
    if opens and not webbrowser.open(viewer.url):
        reporter()("no browser could be opened; open the address by hand")
    try:
        # Shells let what they start in the background ignore SIGINT, and then nothing but a kill would end this.
        with endless():
            viewer.serve_forever(LOOK_EVERY_S)
    except KeyboardInterrupt:
        reporter()("stopped")
    finally:
        viewer.server_close()


def _print_found(dashboards: Sequence[DashboardData], *, as_json: bool) -> None:
    if as_json:
        print_json({"dashboards": [_values(dashboard) for dashboard in dashboards]})
        return
    width = max(len(dashboard.id) for dashboard in dashboards)
    for dashboard in dashboards:
        panels = sum(map(len, (dashboard.with_data, dashboard.rightly_empty, dashboard.empty, dashboard.failed)))
        print_text(
            f"{dashboard.id:<{width}}  {len(dashboard.with_data)} of {panels} panels have data{_notes(dashboard)}"
        )


def _notes(dashboard: DashboardData) -> str:
    notes = [
        f"rightly empty: {', '.join(dashboard.rightly_empty)}" if dashboard.rightly_empty else "",
        f"empty: {', '.join(dashboard.empty)}" if dashboard.empty else "",
        *(f"{panel}: {why}" for panel, why in dashboard.failed.items()),
    ]
    return "".join(f"; {note}" for note in notes if note)


def _values(dashboard: DashboardData) -> dict[str, object]:
    return {
        "id": dashboard.id,
        "title": dashboard.title,
        "with_data": list(dashboard.with_data),
        "rightly_empty": list(dashboard.rightly_empty),
        "empty": list(dashboard.empty),
        "failed": dashboard.failed,
    }
