"""Dashboards in a Grafana: new ones are made, ours are brought up to date, and what somebody has edited stays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

from trainyard.deploy.release_notice import kinds
from trainyard.deploy.work import Work
from trainyard.edge.grafana_api import GrafanaApi, GrafanaRefusalError
from trainyard.finding import Finding
from trainyard.finding_kinds import finding_of
from trainyard.monitoring.grafana_differences import differences
from trainyard.monitoring.grafana_mark import TAG, fingerprint, mark, marked
from trainyard.version import __version__

_UID = "trainyard-"
_MOST_DIFFERENCES = 8
_GONE = 404
_CHANGED_MEANWHILE = 412
_ATTEMPTS = 3
# https://grafana.com/docs/grafana/v10.4/developers/http_api/folder_dashboard_search/
_SEARCH = f"/api/search?type=dash-db&tag={TAG}&limit=5000"

What = Literal["made", "updated", "unchanged", "kept", "removed"]


class WrittenDashboards(NamedTuple):
    """What became of the dashboards."""

    counts: Mapping[What, int]

    @property
    def changed(self) -> bool:
        """Return whether any is different now."""
        return any(self.counts[what] for what in ("made", "updated", "removed"))

    @property
    def detail(self) -> str:
        """Return it in a few words."""
        return ", ".join(f"{number} dashboards {what}" for what, number in self.counts.items()) or "no dashboards"


def write_dashboards(
    work: Work, grafana: GrafanaApi, folder: str, documents: Iterable[dict[str, Any]]
) -> WrittenDashboards:
    """Write dashboards, and remove those that are ours no longer. What was edited by hand becomes a finding."""
    wanted = {document["uid"]: marked(document) for document in documents}
    became = [_bring_about(work, grafana, folder, one) for one in wanted.values()]
    there = (found["uid"] for found in grafana.ask("GET", _SEARCH))
    became += [_remove(work, grafana, uid) for uid in there if uid.startswith(_UID) and uid not in wanted]
    return WrittenDashboards(Counter(became))


def _bring_about(work: Work, grafana: GrafanaApi, folder: str, wanted: dict[str, Any]) -> What:
    """Write one dashboard. Who saves it at the same time is asked for again, and judged by what is there then."""
    for attempt in range(1, _ATTEMPTS + 1):
        found = grafana.find(_path(wanted["uid"]))
        what = _what_to_do(work, wanted, found["dashboard"] if found else None)
        if what in ("unchanged", "kept"):
            return what
        try:
            grafana.ask("POST", "/api/dashboards/db", _request(wanted, folder, found))
        except GrafanaRefusalError as error:
            if error.status != _CHANGED_MEANWHILE or attempt == _ATTEMPTS:
                raise
        else:
            work.tell(f"dashboard {wanted['title']} {what}")
            return what
    raise AssertionError("the last attempt returns or raises")


def _what_to_do(work: Work, wanted: dict[str, Any], there: dict[str, Any] | None) -> What:
    if there is None:
        return "made"
    is_so, is_ours = fingerprint(there) == fingerprint(wanted), fingerprint(there) == mark(there)
    if is_so:
        return "unchanged"
    if is_ours or work.options.overwrite_dashboards:
        return "updated"
    work.findings.append(_edited(there, wanted))
    return "kept"


def _request(wanted: dict[str, Any], folder: str, found: dict[str, Any] | None) -> dict[str, Any]:
    """Return what saves a dashboard where nobody has saved it since it was read. It stays in the folder it is in."""
    version = {"version": found["dashboard"]["version"]} if found else {}
    place = found.get("meta", {}).get("folderUid", folder) if found else folder
    dashboard = {**wanted, **version, "id": None}
    return {"dashboard": dashboard, "folderUid": place, "overwrite": False, "message": f"trainyard {__version__}"}


def _remove(work: Work, grafana: GrafanaApi, uid: str) -> What:
    """Delete a dashboard that belongs to us no longer, unless somebody has made it theirs."""
    there = grafana.find(_path(uid))
    if there is None:
        return "removed"
    dashboard = there["dashboard"]
    if fingerprint(dashboard) != mark(dashboard):
        work.tell(f"dashboard {dashboard.get('title', uid)} is no longer one of ours; it was edited, and stays")
        return "kept"
    try:
        grafana.ask("DELETE", _path(uid))
    except GrafanaRefusalError as error:
        if error.status != _GONE:
            raise
    work.tell(f"dashboard {dashboard.get('title', uid)} removed")
    return "removed"


def _edited(there: dict[str, Any], wanted: dict[str, Any]) -> Finding:
    found = differences(there, wanted)
    more = [f"{len(found) - _MOST_DIFFERENCES} more"] if len(found) > _MOST_DIFFERENCES else []
    what = "; ".join([*found[:_MOST_DIFFERENCES], *more])
    message = f"dashboard {wanted['title']!r} was edited in Grafana and is kept: {what}"
    return finding_of(kinds(), "dashboard-edited", message, path="monitoring.mode")


def _path(uid: str) -> str:
    return f"/api/dashboards/uid/{uid}"
