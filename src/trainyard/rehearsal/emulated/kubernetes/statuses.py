"""What the status of objects would say: controllers write it, from the pods that there are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from trainyard.rehearsal.emulated.kubernetes.pods import ClusterView, daemon_nodes, is_ready
from trainyard.rehearsal.emulated.kubernetes.references import bound_volume


def with_status(look: ClusterView, resource: str, document: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object as an API server shows it."""
    status = _STATUSES.get(resource)
    return {**document, **({} if status is None else {"status": status(look, document)})}


def _of_daemon_set(look: ClusterView, document: Mapping[str, Any]) -> dict[str, Any]:
    ready, desired = _ready(look, document), len(daemon_nodes(document, look.nodes))
    return {
        "observedGeneration": document["metadata"]["generation"],
        "desiredNumberScheduled": desired,
        "currentNumberScheduled": len(look.of(document)),
        "updatedNumberScheduled": len(look.of(document)),
        "numberMisscheduled": 0,
        "numberReady": ready,
        "numberAvailable": ready,
        "numberUnavailable": desired - ready,
    }


def _of_deployment(look: ClusterView, document: Mapping[str, Any]) -> dict[str, Any]:
    ready, replicas = _ready(look, document), document["spec"].get("replicas", 1)
    available = {"type": "Available", "status": "True" if ready >= replicas else "False", "reason": "MinimumReplicas"}
    return {
        "observedGeneration": document["metadata"]["generation"],
        "replicas": replicas,
        "updatedReplicas": replicas,
        "readyReplicas": ready,
        "availableReplicas": ready,
        "unavailableReplicas": replicas - ready,
        "conditions": [available],
    }


def _of_job(look: ClusterView, document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the status of a job of an operator: it runs as soon as all its pods do, and as long as one is left.

    https://github.com/kubeflow/training-operator/blob/v1.9.0/pkg/util/status.go
    """
    pods, uid = look.of(document), document["metadata"]["uid"]
    at = document["metadata"]["creationTimestamp"]
    message, again_at = look.objects.restarting.get(uid, ("", at))
    ready = [is_ready(pod) for pod in pods]
    conditions = [("Created", "", at)]
    if (end := look.objects.job_ends.get(uid)) is not None:
        conditions.append((end.condition, end.message, end.at))
    elif any(ready) if message else ready and all(ready):
        conditions.append(("Running", "", again_at))
    elif message:
        conditions.append(("Restarting", message, again_at))
    kind = document["kind"]
    return {
        "conditions": [
            {"type": type_, "status": "True", "reason": f"{kind}{type_}", "message": said, "lastTransitionTime": since}
            for type_, said, since in conditions
        ],
        "startTime": at,
        **({} if end is None else {"completionTime": end.at}),
    }


def _of_claim(look: ClusterView, document: Mapping[str, Any]) -> dict[str, Any]:
    return {"phase": "Pending" if bound_volume(look.objects, document) is None else "Bound"}


def _of_volume(look: ClusterView, document: Mapping[str, Any]) -> dict[str, Any]:
    claims = look.objects.of("persistentvolumeclaims")
    name = document["metadata"]["name"]
    volumes = [bound for claim in claims if (bound := bound_volume(look.objects, claim)) is not None]
    return {"phase": "Bound" if any(volume["metadata"]["name"] == name for volume in volumes) else "Available"}


def _of_definition(_: ClusterView, document: Mapping[str, Any]) -> dict[str, Any]:
    names = {"type": "NamesAccepted", "status": "True"}
    return {
        "conditions": [names, {"type": "Established", "status": "True"}],
        "acceptedNames": document["spec"]["names"],
    }


def _active(_: ClusterView, document: Mapping[str, Any]) -> dict[str, Any]:
    del document
    return {"phase": "Active"}


def _ready(look: ClusterView, document: Mapping[str, Any]) -> int:
    return sum(1 for pod in look.of(document) if is_ready(pod))


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
