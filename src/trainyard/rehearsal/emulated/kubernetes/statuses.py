"""What the status of objects would say: controllers write it, from the pods that there are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from trainyard.rehearsal.emulated.kubernetes.pods import ClusterView, daemon_nodes, is_ready
from trainyard.rehearsal.emulated.kubernetes.references import bound_volume


def with_status(look: ClusterView, resource: str, one: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object as an API server shows it."""
    status = _STATUSES.get(resource)
    return {**one, **({} if status is None else {"status": status(look, one)})}


def _of_daemon_set(look: ClusterView, one: Mapping[str, Any]) -> dict[str, Any]:
    ready, desired = _ready(look, one), len(daemon_nodes(one, look.nodes))
    return {
        "observedGeneration": one["metadata"]["generation"],
        "desiredNumberScheduled": desired,
        "currentNumberScheduled": len(look.of(one)),
        "updatedNumberScheduled": len(look.of(one)),
        "numberMisscheduled": 0,
        "numberReady": ready,
        "numberAvailable": ready,
        "numberUnavailable": desired - ready,
    }


def _of_deployment(look: ClusterView, one: Mapping[str, Any]) -> dict[str, Any]:
    ready, wanted = _ready(look, one), one["spec"].get("replicas", 1)
    available = {"type": "Available", "status": "True" if ready >= wanted else "False", "reason": "MinimumReplicas"}
    return {
        "observedGeneration": one["metadata"]["generation"],
        "replicas": wanted,
        "updatedReplicas": wanted,
        "readyReplicas": ready,
        "availableReplicas": ready,
        "unavailableReplicas": wanted - ready,
        "conditions": [available],
    }


def _of_job(look: ClusterView, one: Mapping[str, Any]) -> dict[str, Any]:
    """Return the status of a job of an operator: it runs as soon as all its pods do."""
    pods = look.of(one)
    at = one["metadata"]["creationTimestamp"]
    running = bool(pods) and all(is_ready(pod) for pod in pods)
    kinds = ("Created", *(("Running",) if running else ()))
    return {
        "conditions": [{"type": kind, "status": "True", "lastTransitionTime": at} for kind in kinds],
        "startTime": at,
    }


def _of_claim(look: ClusterView, one: Mapping[str, Any]) -> dict[str, Any]:
    return {"phase": "Pending" if bound_volume(look.objects, one) is None else "Bound"}


def _of_volume(look: ClusterView, one: Mapping[str, Any]) -> dict[str, Any]:
    claims = look.objects.of("persistentvolumeclaims")
    name = one["metadata"]["name"]
    volumes = [found for claim in claims if (found := bound_volume(look.objects, claim)) is not None]
    return {"phase": "Bound" if any(volume["metadata"]["name"] == name for volume in volumes) else "Available"}


def _of_definition(_: ClusterView, one: Mapping[str, Any]) -> dict[str, Any]:
    names = {"type": "NamesAccepted", "status": "True"}
    return {"conditions": [names, {"type": "Established", "status": "True"}], "acceptedNames": one["spec"]["names"]}


def _active(_: ClusterView, one: Mapping[str, Any]) -> dict[str, Any]:
    del one
    return {"phase": "Active"}


def _ready(look: ClusterView, one: Mapping[str, Any]) -> int:
    return sum(1 for pod in look.of(one) if is_ready(pod))


_STATUSES: dict[str, Callable[[ClusterView, Mapping[str, Any]], dict[str, Any]]] = {
    "daemonsets.apps": _of_daemon_set,
    "deployments.apps": _of_deployment,
    "statefulsets.apps": _of_deployment,
    "mpijobs.kubeflow.org": _of_job,
    "pytorchjobs.kubeflow.org": _of_job,
    "persistentvolumeclaims": _of_claim,
    "persistentvolumes": _of_volume,
    "customresourcedefinitions.apiextensions.k8s.io": _of_definition,
    "namespaces": _active,
}
