"""Evictions: a pod goes, unless a PodDisruptionBudget needs it where it is.

https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from trainyard.rehearsal.emulated.eks.state import now
from trainyard.rehearsal.emulated.kubernetes.job_sets import disrupt, job_set_of
from trainyard.rehearsal.emulated.kubernetes.pods import ClusterView, is_ready

_MANY = 429


def evict(look: ClusterView, namespace: str, name: str) -> tuple[int, Any]:
    """Answer an eviction. What makes the pod makes it again, on another node; one that nothing makes is gone."""
    every = [pod for pod in look.pods if pod["metadata"].get("namespace") == namespace]
    pod = next((pod for pod in every if pod["metadata"]["name"] == name), None)
    if pod is None:
        return 404, _status(404, "NotFound", f'pods "{name}" not found')
    for budget in look.objects.of("poddisruptionbudgets.policy", namespace):
        chosen = [other for other in every if _is_chosen(other, budget)]
        if pod in chosen and _allowed(budget["spec"], chosen) < 1:
            message = "Cannot evict pod as it would violate the pod's disruption budget."
            return _MANY, _status(_MANY, "TooManyRequests", message)
    if (job_set := job_set_of(look.objects, pod)) is not None:
        disrupt(look.objects, job_set, pod, "Evicted", f"{now():%Y-%m-%dT%H:%M:%SZ}")
        return 201, _status(201, "", "")
    look.objects.placed.pop(pod["metadata"]["uid"], None)
    if "ownerReferences" not in pod["metadata"]:
        look.objects.remove(("pods", namespace, name))
    return 201, _status(201, "", "")


def _is_chosen(pod: Mapping[str, Any], budget: Mapping[str, Any]) -> bool:
    labels = (budget["spec"].get("selector") or {}).get("matchLabels") or {}
    return bool(labels.items() <= (pod["metadata"].get("labels") or {}).items())


def _allowed(spec: Mapping[str, Any], pods: list[dict[str, Any]]) -> int:
    """Return how many may go now. Percentages are rounded up.

    https://kubernetes.io/docs/tasks/run-application/configure-pdb/
    """
    least = (
        _count(spec["minAvailable"], len(pods))
        if "minAvailable" in spec
        else len(pods) - _count(spec.get("maxUnavailable", 1), len(pods))
    )
    return sum(map(is_ready, pods)) - least


def _count(value: int | str, of: int) -> int:
    return math.ceil(int(value.removesuffix("%")) * of / 100) if isinstance(value, str) else value


def _status(code: int, reason: str, message: str) -> dict[str, Any]:
    status = "Failure" if reason else "Success"
    return {"kind": "Status", "status": status, "reason": reason, "message": message, "code": code}
