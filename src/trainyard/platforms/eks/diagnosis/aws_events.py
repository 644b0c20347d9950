"""What AWS itself says of an EKS cluster, line by line: its issues, updates and launches that failed."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Iterator
from typing import Any

from trainyard.edge.aws.batch_instances import failed_launches_of
from trainyard.edge.aws.eks import HealthIssue, addons, updates
from trainyard.platforms.eks.diagnosis.cluster_facts import EksFacts

_LATELY_S = 7 * 86_400
_MOST_UPDATES = 20


def cluster_lines(facts: EksFacts) -> Iterator[str]:
    """Yield lines of the control plane and of add-ons that are not well."""
    if facts.cluster is not None:
        yield _line(clusterName=facts.name, status=facts.cluster.status, version=facts.cluster.version)
        yield from _issues(facts.cluster.health, clusterName=facts.name)
    for addon in facts.ask("its add-ons", addons, facts.name) or ():
        if addon.status != "ACTIVE" or addon.health:
            yield _line(addonName=addon.name, addonVersion=addon.version, status=addon.status)
            yield from _issues(addon.health, addonName=addon.name)


def node_group_lines(facts: EksFacts) -> Iterator[str]:
    """Yield lines of each node group."""
    for node_group in facts.node_groups:
        yield _line(
            nodegroupName=node_group.name,
            status=node_group.status,
            desiredSize=node_group.desired_nodes,
            capacityType=node_group.capacity_type,
        )
        yield from _issues(node_group.health, nodegroupName=node_group.name)


def update_lines(facts: EksFacts) -> Iterator[str]:
    """Yield lines of changes that failed lately."""
    now_s = facts.account.clock.now()
    for update in (facts.ask("its updates", updates, facts.name) or ())[:_MOST_UPDATES]:
        if update.status == "Failed" and update.created is not None and now_s - update.created.timestamp() < _LATELY_S:
            for error in update.errors or ("no error is told",):
                yield f"{time_text(update.created)} {update.kind} {update.status}: {error}"


def launch_lines(facts: EksFacts) -> Iterator[str]:
    """Yield a line for each attempt to start instances that failed."""
    for group in facts.node_groups:
        for name in group.scaling_groups:
            for launch in facts.ask("launches of Auto Scaling that failed", failed_launches_of, name) or ():
                yield f"{time_text(launch.at)} {launch.group} of node group {group.name}: {launch.why}"


def time_text(at: dt.datetime) -> str:
    """Return a time as logs begin with it."""
    return at.astimezone(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _issues(issues: Iterable[HealthIssue], **of: str) -> Iterator[str]:
    for issue in issues:
        yield _line(**of, code=issue.code, message=issue.message, resourceIds=list(issue.resources))


def _line(**fields: Any) -> str:
    """Return a line in the words of the API, without what is empty."""
    values = {key: " ".join(value.split()) if isinstance(value, str) else value for key, value in fields.items()}
    return json.dumps({key: value for key, value in values.items() if value not in ("", None, [])}, ensure_ascii=False)
