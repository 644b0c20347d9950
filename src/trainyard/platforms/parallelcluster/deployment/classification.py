"""What an update of a cluster comes to, by the update policies of its own version of ParallelCluster.

https://docs.aws.amazon.com/parallelcluster/latest/ug/using-pcluster-update-cluster-v3.html
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from trainyard.deploy.cluster_update import ClusterChange, ClusterNeed, ClusterUpdate
from trainyard.edge.pcluster_answers import ClassifiedChange, FleetNeed
from trainyard.finding import Path, path_text
from trainyard.platforms.parallelcluster.deployment.storage_losses import storage_losses
from trainyard.platforms.parallelcluster.rendering.origin import spec_path
from trainyard.spec.cluster import Spec

_MEMBER = re.compile(r"(\w+)\[(.*)\]")
# What each queue update strategy of a spec leaves to choose from. The strategy may be another one at every update:
# its own policy is IGNORED. DRAIN ends no job; where it does not do, TERMINATE ends those of some queues, and a fleet
# that stops those of all.
_CHOICES: Mapping[str, tuple[FleetNeed, ...]] = {
    "COMPUTE_FLEET_STOP": ("live", "stop"),
    "DRAIN": ("live", "drain", "terminate", "stop"),
    "TERMINATE": ("live", "terminate", "stop"),
}
_STRATEGIES: Mapping[ClusterNeed, str] = {"drain": "DRAIN", "terminate": "TERMINATE"}


def cluster_update(spec: Spec, document: Mapping[str, Any], classified: Sequence[ClassifiedChange]) -> ClusterUpdate:
    """Return what the changes between a cluster and a new configuration come to."""
    choices = _CHOICES[spec.parallelcluster.slurm.queue_update_strategy]
    changes = tuple(
        ClusterChange(
            ".".join(change.path),
            path_text(_origin(spec, document, change.path)) or "spec",
            change.current,
            change.requested,
            _need([change], choices),
            change.reason,
        )
        for change in classified
    )
    need = _need(classified, choices)
    touched = [change for change in classified if "live" not in change.allowed_when]
    queues = _queue_names(document) if need == "stop" else dict.fromkeys(_queues_of(document, touched))
    losses = tuple(storage_losses(spec.name, classified))
    return ClusterUpdate(changes, need, () if need == "live" else tuple(queues), losses=losses)


def config_for(document: Mapping[str, Any], need: ClusterNeed) -> dict[str, Any]:
    """Return a configuration with the queue update strategy that an update needs."""
    scheduling = document["Scheduling"]
    strategy = {"QueueUpdateStrategy": _STRATEGIES[need]} if need in _STRATEGIES else {}
    settings = {**scheduling.get("SlurmSettings", {}), **strategy}
    return {**document, "Scheduling": {**scheduling, "SlurmSettings": settings}}


def _need(changes: Sequence[ClassifiedChange], choices: Sequence[FleetNeed]) -> ClusterNeed:
    for choice in choices:
        if choice != "stop-logins" and all(choice in change.allowed_when for change in changes):
            return choice
    return "refused"


def _queues_of(document: Mapping[str, Any], changes: Iterable[ClassifiedChange]) -> Iterable[str]:
    """Yield the queues that changes belong to; all of them where a change belongs to none."""
    for change in changes:
        match = next(filter(None, map(_MEMBER.fullmatch, change.path)), None)
        if match is not None and match[1] == "SlurmQueues":
            yield match[2]
        elif change.path[-1] == "SlurmQueues":
            yield (change.requested or change.current)["Name"]
        else:
            yield from _queue_names(document)


def _queue_names(document: Mapping[str, Any]) -> Iterable[str]:
    return (queue["Name"] for queue in document["Scheduling"]["SlurmQueues"])


def _origin(spec: Spec, document: Mapping[str, Any], path: Sequence[str]) -> Path:
    """Return the place in the spec; members that the new configuration does not have are those of their list."""
    rendered: list[str | int] = []
    section: Any = document
    for step in path:
        match = _MEMBER.fullmatch(step)
        key = match[1] if match else step
        rendered.append(key)
        section = section.get(key) if isinstance(section, Mapping) else None
        if match is None:
            continue
        members = section if isinstance(section, list) else []
        positions = [at for at, member in enumerate(members) if _identity(member) == match[2]]
        if not positions:
            break
        rendered.append(positions[0])
        section = members[positions[0]]
    return spec_path(spec, tuple(rendered))


def _identity(member: Mapping[str, Any]) -> str:
    """Return by what ParallelCluster knows a member of a list: update_key in pcluster/schemas/cluster_schema.py."""
    keys = ("Name", "MountDir", "BucketName", "Policy", "Key")
    return next((str(member[key]) for key in keys if key in member), "")
