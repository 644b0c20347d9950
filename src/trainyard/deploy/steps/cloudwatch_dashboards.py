"""The dashboards of a cluster in CloudWatch: made once the cluster is there, as only it knows its ids."""

from __future__ import annotations

from typing import Any

from trainyard.deploy.dashboard_ids import dashboard_ids
from trainyard.deploy.release_notice import kinds
from trainyard.deploy.step import Probe, StepOutcome
from trainyard.deploy.work import Work
from trainyard.edge.aws.cloudwatch_dashboards import delete_dashboard, find_dashboard, put_dashboard
from trainyard.finding_kinds import finding_of
from trainyard.monitoring.cloudwatch_body import cloudwatch_bodies, dashboards_of
from trainyard.monitoring.cloudwatch_dashboard import cloudwatch_dashboards, dashboard_name
from trainyard.monitoring.cloudwatch_mark import DashboardMark, differences, mark_of, same
from trainyard.render.tags import ENVIRONMENT

# What is shown of a difference; somebody who rearranged everything knows it.
_MOST_DIFFERENCES = 8


class CloudWatchDashboards:
    """Writes what is missing or of an older spec. What people have edited, or made themselves, stays."""

    name = "cloudwatch-dashboards"
    title = "dashboards in CloudWatch"

    def probe(self, work: Work) -> Probe:
        """Say which are missing."""
        names = [dashboard_name(work.name, dashboard) for dashboard in dashboards_of(work.required_spec())]
        missing = [name for name in names if find_dashboard(work.account, name) is None]
        return Probe("missing", ", ".join(missing)) if missing else Probe("there", ", ".join(names))

    def apply(self, work: Work) -> StepOutcome:
        """Write them. What CloudWatch would not show of one is told."""
        bodies = cloudwatch_bodies(work.required_spec(), dashboard_ids(work))
        written = [name for name, body in bodies.items() if _put(work, name, body)]
        return StepOutcome(changed=bool(written), detail=", ".join(f"{name} written" for name in written))

    def undo(self, work: Work) -> StepOutcome:
        """Delete those of this cluster. One that people have edited stays, unless their data is to go too."""
        deleted = [name for name in _all_names(work) if _delete(work, name)]
        return StepOutcome(
            changed=bool(deleted), detail=", ".join(f"{name} deleted" for name in deleted) or "there is none"
        )


def _put(work: Work, name: str, body: dict[str, Any]) -> bool:
    """Write a dashboard and return whether anything is different now."""
    existing = find_dashboard(work.account, name)
    if existing is not None:
        mark = mark_of(existing)
        if mark is None or not _is_ours(work, mark):
            _not_ours(work, name, mark)
            return False
        if same(existing, body):
            return False
        changes = [] if mark.intact or work.options.overwrite_dashboards else list(differences(existing, body))
        if changes:
            _edited(work, name, changes)
            return False
    for message in put_dashboard(work.account, name, body):
        work.tell(f"CloudWatch says of {name}: {message}")
    return True


def _is_ours(work: Work, mark: DashboardMark) -> bool:
    return (mark.region, mark.cluster) == (work.account.region, work.name)


def _edited(work: Work, name: str, changes: list[str]) -> None:
    more = f" and {len(changes) - _MOST_DIFFERENCES} more" if len(changes) > _MOST_DIFFERENCES else ""
    shown = ", ".join(changes[:_MOST_DIFFERENCES])
    _find(work, "dashboard-edited", f"dashboard {name} was edited by hand and stays so: {shown}{more}")


def _not_ours(work: Work, name: str, mark: DashboardMark | None) -> None:
    whose = "trainyard did not make it" if mark is None else f"it is of cluster {mark.cluster} in {mark.region}"
    _find(work, "dashboard-not-ours", f"dashboard {name} stays as it is: {whose}")


def _find(work: Work, id_: str, message: str) -> None:
    work.findings.append(finding_of(kinds(), id_, message, path="monitoring.dashboard"))


def _all_names(work: Work) -> list[str]:
    """Return every name that a dashboard of the cluster may have; an environment has none."""
    if work.tag == ENVIRONMENT:
        return []
    return [dashboard_name(work.name, cloudwatch_dashboard) for cloudwatch_dashboard in cloudwatch_dashboards()]


def _delete(work: Work, name: str) -> bool:
    body = find_dashboard(work.account, name)
    mark = mark_of(body)
    if mark is None or not _is_ours(work, mark):
        return False
    if not mark.intact and not work.options.delete_data:
        work.kept.append(f"dashboard {name} in CloudWatch, which was edited by hand")
        return False
    delete_dashboard(work.account, name)
    return True
