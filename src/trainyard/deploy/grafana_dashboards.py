"""Dashboards in a Grafana: new ones are made, ours are brought up to date, and what somebody has edited stays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

from trainyard.counts import count_text
from trainyard.deploy.release_notice import kinds
from trainyard.deploy.work import Work
from trainyard.edge.grafana_api import GrafanaApi, GrafanaRefusalError
from trainyard.finding import Finding
from trainyard.finding_kinds import finding_of
from trainyard.monitoring.grafana_mark import TAG, differences, fingerprint, mark, with_mark
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
        return (
            ", ".join(f"{count_text(number, 'dashboard')} {what}" for what, number in self.counts.items())
            or "no dashboards"
        )


def write_dashboards(
    work: Work, grafana: GrafanaApi, folder: str, documents: Iterable[dict[str, Any]]
) -> WrittenDashboards:
    """Write dashboards, and remove those that are ours no longer. What was edited by hand becomes a finding."""
    by_uid = {document["uid"]: with_mark(document) for document in documents}
    became = [_bring_about(work, grafana, folder, document) for document in by_uid.values()]
    existing_uids = (hit["uid"] for hit in grafana.ask("GET", _SEARCH))
    became += [_remove(work, grafana, uid) for uid in existing_uids if uid.startswith(_UID) and uid not in by_uid]
    return WrittenDashboards(Counter(became))


def _bring_about(work: Work, grafana: GrafanaApi, folder: str, document: dict[str, Any]) -> What:
    """Write one dashboard. Who saves it at the same time is asked for again, and judged by what is there then."""
    for attempt in range(1, _ATTEMPTS + 1):
        existing = grafana.find(_path(document["uid"]))
        what = _what_to_do(work, document, existing["dashboard"] if existing else None)
        if what in ("unchanged", "kept"):
            return what
        try:
            grafana.ask("POST", "/api/dashboards/db", _request(document, folder, existing))
        except GrafanaRefusalError as error:
            if error.status != _CHANGED_MEANWHILE or attempt == _ATTEMPTS:
                raise
        else:
            work.tell(f"dashboard {document['title']} {what}")
            return what
    raise AssertionError("the last attempt returns or raises")


def _what_to_do(work: Work, document: dict[str, Any], existing: dict[str, Any] | None) -> What:
    if existing is None:
        return "made"
    is_so, is_ours = fingerprint(existing) == fingerprint(document), fingerprint(existing) == mark(existing)
    if is_so:
        return "unchanged"
    if is_ours or work.options.overwrite_dashboards:
        return "updated"
    work.findings.append(_edited(existing, document))
    return "kept"


def _request(document: dict[str, Any], folder: str, existing: dict[str, Any] | None) -> dict[str, Any]:
    """Return what saves a dashboard where nobody has saved it since it was read. It stays in the folder it is in."""
    version = {"version": existing["dashboard"]["version"]} if existing else {}
    place = existing.get("meta", {}).get("folderUid", folder) if existing else folder
    dashboard = {**document, **version, "id": None}
    return {"dashboard": dashboard, "folderUid": place, "overwrite": False, "message": f"trainyard {__version__}"}


def _remove(work: Work, grafana: GrafanaApi, uid: str) -> What:
    """Delete a dashboard that belongs to us no longer, unless somebody has made it theirs."""
    existing = grafana.find(_path(uid))
    if existing is None:
        return "removed"
    dashboard = existing["dashboard"]
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


def _edited(existing: dict[str, Any], document: dict[str, Any]) -> Finding:
    changes = differences(existing, document)
    more = [f"{len(changes) - _MOST_DIFFERENCES} more"] if len(changes) > _MOST_DIFFERENCES else []
    what = "; ".join([*changes[:_MOST_DIFFERENCES], *more])
    message = f"dashboard {document['title']!r} was edited in Grafana and is kept: {what}"
    return finding_of(kinds(), "dashboard-edited", message, path="monitoring.mode")


def _path(uid: str) -> str:
    return f"/api/dashboards/uid/{uid}"
