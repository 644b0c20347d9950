"""Dashboards and alerts as files, for a Grafana, a CloudWatch or a Prometheus that somebody runs themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainyard.bundle.cloudwatch_files import FOLDER, cloudwatch_files
from trainyard.checking.spec_file import FileFindings, check_file
from trainyard.document.write import yaml_text
from trainyard.edge.bundle_folder import WrittenBundle, write_folder
from trainyard.edge.new_file import write_new_file
from trainyard.errors import SpecError
from trainyard.monitoring.alert import Alert, alerts_for
from trainyard.monitoring.dashboard import Dashboard, dashboards_for
from trainyard.monitoring.features import NEEDS, features_of
from trainyard.monitoring.grafana_files import grafana_files
from trainyard.monitoring.prometheus_rules import rules_document
from trainyard.render.stand_ins import Ids

if TYPE_CHECKING:
    from pathlib import Path

    from trainyard.spec.cluster import Spec

__all__ = ["Alert", "Dashboard", "MonitorAlerts", "MonitorDashboards", "monitor_alerts", "monitor_dashboards"]


@dataclass(frozen=True, slots=True)
class MonitorDashboards:
    """The dashboards of a spec, or all that there are. ``checked`` is None without a spec."""

    checked: FileFindings | None
    dashboards: tuple[Dashboard, ...]
    """Those for Grafana; none where nothing is measured for it."""
    files: dict[str, bytes]
    """What each dashboard is made of, by its name in a folder: grafana/<id>.json, cloudwatch/<name>.json."""
    written: WrittenBundle | None


@dataclass(frozen=True, slots=True)
class MonitorAlerts:
    """The alerts of a spec, or all that there are. ``checked`` is None without a spec."""

    checked: FileFindings | None
    alerts: tuple[Alert, ...]
    """None where nothing is measured that one could tell of, or the spec has errors."""
    written: Path | None


def monitor_dashboards(
    file: str | None = None, folder: Path | None = None, *, force: bool = False
) -> MonitorDashboards:
    """Return the dashboards that the cluster of a spec can fill, and write them into a folder where one is given.

    Without a spec, all for Grafana. Nothing is returned or written where the spec has errors.
    Raises FindingsError where the file is no spec, InputError where the folder must not be replaced, TrainyardError
    where it cannot be written.
    """
    checked, spec = _read(file)
    if checked is not None and checked.has_errors:
        return MonitorDashboards(checked, (), {}, None)
    has = _has(spec)
    files = {**_grafana(has), **({} if spec is None else _cloudwatch(spec))}
    written = None if folder is None else write_folder(folder, files, force=force)
    return MonitorDashboards(checked, () if has is None else dashboards_for(has), files, written)


def monitor_alerts(spec: str | None = None, file: Path | None = None, *, force: bool = False) -> MonitorAlerts:
    """Return the alerts that can fire in the cluster of a spec, and write them into a file, where one is given.

    The file has what is recorded for dashboards besides. Without a spec, all alerts; nothing is written where the spec
    has errors or measures nothing.
    Raises FindingsError where the spec is none, InputError where the file exists and is not to be replaced,
    TrainyardError where it cannot be written.
    """
    checked, parsed = _read(spec)
    has = None if checked is not None and checked.has_errors else _has(parsed)
    if has is None:
        return MonitorAlerts(checked, (), None)
    chosen_alerts = alerts_for(has)
    if file is not None:
        write_new_file(file, yaml_text(rules_document(chosen_alerts), blocks=True), force=force)
    return MonitorAlerts(checked, chosen_alerts, file)


def _read(file: str | None) -> tuple[FileFindings | None, Spec | None]:
    """Return a spec with what was found in it. Raises FindingsError where it is none."""
    if file is None:
        return None, None
    checked = check_file(file)
    if checked.parsed is None:
        raise SpecError(checked.findings)
    return checked, checked.parsed.spec


def _has(spec: Spec | None) -> frozenset[str] | None:
    """Return what there is to show, or None where Prometheus measures nothing."""
    if spec is None:
        return frozenset(NEEDS)
    return None if spec.monitoring.mode == "none" else features_of(spec)


def _grafana(has: frozenset[str] | None) -> dict[str, bytes]:
    return {} if has is None else {f"grafana/{name}": content for name, content in grafana_files(has).items()}


def _cloudwatch(spec: Spec) -> dict[str, bytes]:
    files = cloudwatch_files(spec, Ids({}))
    return {f"cloudwatch/{name.removeprefix(f'{FOLDER}/')}": content for name, content in files.items()}
