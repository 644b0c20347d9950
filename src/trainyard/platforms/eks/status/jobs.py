"""Training jobs of Kubeflow's operators: MPIJobs and PyTorchJobs.

https://github.com/kubeflow/training-operator/blob/v1.9.3/pkg/apis/kubeflow.org/v1/common_types.go
"""

from __future__ import annotations

from collections.abc import Iterable

from trainyard.edge.kubernetes.documents import Document, number, part, parts, text
from trainyard.operate.status.failures import Failure, short
from trainyard.platforms.eks.status.eks_status import TrainingJob

RESOURCES = ("mpijobs.kubeflow.org", "pytorchjobs.kubeflow.org")
"""What kubectl calls them."""
OVER = ("Succeeded", "Failed")
_REPLICAS = ("mpiReplicaSpecs", "pytorchReplicaSpecs")
_MOST_FAILED = 5


def training_jobs(documents: Iterable[Document]) -> tuple[TrainingJob, ...]:
    """Return the jobs, those that are not over first, of each the newest first."""
    found = sorted(map(_job, documents), key=lambda training_job: training_job.since or "", reverse=True)
    return tuple(sorted(found, key=lambda training_job: training_job.state in OVER))


def failed_jobs(jobs: Iterable[TrainingJob]) -> tuple[Failure, ...]:
    """Return the last jobs that failed."""
    failed = [job for job in jobs if job.state == "Failed"]
    return tuple(
        Failure(one.since, f"{one.kind} {one.namespace}/{one.name}", short(one.why or "it failed and says nothing"))
        for one in failed[:_MOST_FAILED]
    )


def _job(document: Document) -> TrainingJob:
    state, why, since = _state(document)
    wanted = [spec for key in _REPLICAS for spec in part(document, "spec", key).values() if isinstance(spec, dict)]
    there = [one for one in part(document, "status", "replicaStatuses").values() if isinstance(one, dict)]
    return TrainingJob(
        text(document, "kind"),
        text(document, "metadata", "namespace"),
        text(document, "metadata", "name"),
        state,
        short(why),
        since,
        sum(number(one, "replicas") if "replicas" in one else 1 for one in wanted),
        sum(number(one, "active") for one in there),
        sum(number(one, "failed") for one in there),
    )


def _state(document: Document) -> tuple[str, str, str | None]:
    """Return the state, what it says, and since when: the last of the conditions that hold."""
    made = text(document, "metadata", "creationTimestamp") or None
    holding = [one for one in parts(document, "status", "conditions") if text(one, "status") == "True"]
    if not holding:
        return "Created", "no operator has taken it yet" if not part(document, "status") else "", made
    ended = [one for one in holding if text(one, "type") in OVER]
    last = (ended or sorted(holding, key=lambda one: text(one, "lastTransitionTime")))[-1]
    reason, message = text(last, "reason"), text(last, "message")
    said = ": ".join(one for one in (reason, message) if one) if text(last, "type") != "Running" else ""
    return text(last, "type"), said, text(last, "lastTransitionTime") or made
