"""Reads pods as kubectl prints them: each is a start of its own until those of one run are put together.

https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trainyard.training.ledger.allocation import Allocation, JobSetStart, items, mapping, moment_ms, number

# A TrainJob's pods have the labels of the JobSet that it makes.
_RUN_LABELS = ("training.kubeflow.org/job-name", "jobset.sigs.k8s.io/jobset-name", "batch.kubernetes.io/job-name",
               "job-name")  # fmt: skip
# Of pods of a JobSet: its restarts before them, and which one of its name it is.
# https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/pkg/constants/constants.go
_RESTART, _JOB_SET = "jobset.sigs.k8s.io/restart-attempt", "jobset.sigs.k8s.io/jobset-uid"
# Of a pod of an Indexed Job: one with the same number takes its place.
# https://kubernetes.io/docs/concepts/workloads/controllers/job/#completion-mode
_JOB, _INDEX = "batch.kubernetes.io/job-name", "batch.kubernetes.io/job-completion-index"
# Cancelled is our own word for one that is gone with its run: kept_pods.py.
_STATES = {"Succeeded": "COMPLETED", "Failed": "FAILED", "Cancelled": "CANCELLED"}


def pod_allocation(pod: Mapping[str, Any]) -> Allocation:
    """Return what a pod has, from when its node has it to the end of its last container."""
    metadata, spec, status = (mapping(pod.get(key)) for key in ("metadata", "spec", "status"))
    labels = mapping(metadata.get("labels"))
    name = str(metadata.get("name", ""))
    run = next((str(labels[key]) for key in _RUN_LABELS if key in labels), name)
    gpus = sum(
        number(mapping(mapping(container.get("resources")).get("limits")).get("nvidia.com/gpu")) or 0
        for container in items(spec.get("containers"))
    )
    start = job_set_start(pod)
    place = f"{labels.get(_JOB)}-{labels[_INDEX]}" if start and _INDEX in labels else ""
    phase, created_ms = str(status.get("phase", "UNKNOWN")), moment_ms(metadata.get("creationTimestamp"))
    return Allocation(
        run=run,
        job=run,
        part=place or str(metadata.get("uid") or name),
        restart=number(labels.get(_RESTART)),
        submitted_ms=created_ms,
        eligible_ms=created_ms,
        begin_ms=moment_ms(status.get("startTime")),
        end_ms=_end_ms(metadata, status, has_ended=phase in _STATES),
        state=_STATES.get(phase, phase),
        nodes=[str(spec.get("nodeName") or "?")],
        gpus=gpus,
        start=start,
    )


def job_set_start(pod: Mapping[str, Any]) -> JobSetStart | None:
    """Return which start of its JobSet a pod is of, None for a pod of another kind of job."""
    labels = mapping(mapping(pod.get("metadata")).get("labels"))
    number_ = number(labels.get(_RESTART))
    return None if number_ is None else JobSetStart(str(labels.get(_JOB_SET)), number_)


def _end_ms(metadata: Mapping[str, Any], status: Mapping[str, Any], *, has_ended: bool) -> int | None:
    """Return when a pod has ended, None while it runs.

    One that was evicted, or whose node is gone, has no container that says it: what it was told last is its end then.
    """
    states = items(status.get("containerStatuses"))
    times = [moment_ms(mapping(mapping(state.get("state")).get("terminated")).get("finishedAt")) for state in states]
    known = [time for time in times if time is not None]
    if known and len(known) == len(times):
        return max(known)
    deleted_ms = moment_ms(metadata.get("deletionTimestamp"))
    if deleted_ms is not None or not has_ended:
        return deleted_ms
    told = [moment_ms(condition.get("lastTransitionTime")) for condition in items(status.get("conditions"))]
    return max([*known, *(time for time in told if time is not None)], default=None)
