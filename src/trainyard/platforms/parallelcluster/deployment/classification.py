"""What an update of a cluster comes to, by the update policies of its own version of ParallelCluster.

https://docs.aws.amazon.com/parallelcluster/latest/ug/using-pcluster-update-cluster-v3.html
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from trainyard.deploy.cluster_update import ClusterChange, ClusterNeed, ClusterUpdate
from trainyard.edge.pcluster_answers import ClassifiedChange, FleetNeed, FleetState
from trainyard.finding import Path, path_text
from trainyard.platforms.parallelcluster.deployment.storage_losses import storage_losses
from trainyard.platforms.parallelcluster.rendering.origin import spec_path
from trainyard.render.stand_ins import in_words
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
_LOGINS_STOPPED: Mapping[FleetNeed, FleetState] = {
    "live": "live-logins",
    "drain": "drain-logins",
    "terminate": "terminate-logins",
    "stop": "stop-logins",
}
_STRATEGIES: Mapping[ClusterNeed, str] = {"drain": "DRAIN", "terminate": "TERMINATE"}


def cluster_update(spec: Spec, document: Mapping[str, Any], classified: Sequence[ClassifiedChange]) -> ClusterUpdate:
    """Return what the changes between a cluster and a new configuration come to."""
    choices = _CHOICES[spec.parallelcluster.slurm.queue_update_strategy]
    changes = tuple(_change(spec, document, change, choices) for change in classified)
    need, stops_logins = _need(classified, choices)
    touched = [change for change in classified if not {"live", "live-logins"} & set(change.allowed_when)]
    queues = tuple(_queue_names(document) if need == "stop" else dict.fromkeys(_queues_of(document, touched)))
    losses = tuple(storage_losses(spec.name, classified))
    queues = () if need == "live" else tuple(queues)
    return ClusterUpdate(changes, need, queues, losses=losses, stops_logins=stops_logins)


def config_for(document: Mapping[str, Any], need: ClusterNeed) -> dict[str, Any]:
    """Return a configuration with the queue update strategy that an update needs."""
    scheduling = document["Scheduling"]
    strategy = {"QueueUpdateStrategy": _STRATEGIES[need]} if need in _STRATEGIES else {}
    settings = {**scheduling.get("SlurmSettings", {}), **strategy}
    return {**document, "Scheduling": {**scheduling, "SlurmSettings": settings}}


def without_login_nodes(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration whose pools of login nodes are empty."""
    logins = document.get("LoginNodes", {})
    pools = [{**pool, "Count": 0} for pool in logins.get("Pools", [])]
    return {**document, "LoginNodes": {**logins, "Pools": pools}} if pools else dict(document)


def place_in_config(document: Mapping[str, Any], path: Sequence[str]) -> Path:
    """Return where a change stands in the new configuration; members that it does not have are those of their list."""
    place: list[str | int] = []
    section: Any = document
    for step in path:
        match = _MEMBER.fullmatch(step)
        key = match[1] if match else step
        place.append(key)
        section = section.get(key) if isinstance(section, Mapping) else None
        if match is None:
            continue
        members = section if isinstance(section, list | tuple) else []
        positions = [at for at, member in enumerate(members) if _identity(member) == match[2]]
        if not positions:
            break
        place.append(positions[0])
        section = members[positions[0]]
    return tuple(place)


def _change(
    spec: Spec, document: Mapping[str, Any], change: ClassifiedChange, choices: Sequence[FleetNeed]
) -> ClusterChange:
    need, stops_logins = _need([change], choices)
    path = path_text(spec_path(spec, place_in_config(document, change.path))) or "spec"
    values = change.current, in_words(change.requested)
    place, reason = in_words([".".join(change.path), change.reason])
    return ClusterChange(place, path, *values, need, reason, stops_logins=stops_logins)


def _need(changes: Sequence[ClassifiedChange], choices: Sequence[FleetNeed]) -> tuple[ClusterNeed, bool]:
    """Return what changes need of the compute fleet, and whether login nodes have to be stopped."""
    for choice in choices:
        states: tuple[tuple[FleetState, bool], ...] = ((choice, False), (_LOGINS_STOPPED[choice], True))
        for state, stops_logins in states:
            if all(state in change.allowed_when for change in changes):
                return choice, stops_logins
    return "refused", False


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


def _identity(member: Mapping[str, Any]) -> str:
    """Return by what ParallelCluster knows a member of a list: update_key in pcluster/schemas/cluster_schema.py."""
    keys = ("Name", "MountDir", "BucketName", "Policy", "Key")
    return next((str(member[key]) for key in keys if key in member), "")
