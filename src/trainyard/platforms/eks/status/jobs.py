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
    jobs = sorted(map(_job, documents), key=lambda training_job: training_job.since or "", reverse=True)
    return tuple(sorted(jobs, key=lambda training_job: training_job.state in OVER))


def failed_jobs(jobs: Iterable[TrainingJob]) -> tuple[Failure, ...]:
    """Return the last jobs that failed."""
    failed = [job for job in jobs if job.state == "Failed"]
    return tuple(
        Failure(job.since, f"{job.kind} {job.namespace}/{job.name}", short(job.why or "it failed and says nothing"))
        for job in failed[:_MOST_FAILED]
    )


def _job(document: Document) -> TrainingJob:
    state, why, since = _state(document)
    replica_specs = [
        spec for key in _REPLICAS for spec in part(document, "spec", key).values() if isinstance(spec, dict)
    ]
    replica_statuses = [
        replica for replica in part(document, "status", "replicaStatuses").values() if isinstance(replica, dict)
    ]
    return TrainingJob(
        text(document, "kind"),
        text(document, "metadata", "namespace"),
        text(document, "metadata", "name"),
        state,
        short(why),
        since,
        sum(number(replica, "replicas") if "replicas" in replica else 1 for replica in replica_specs),
        sum(number(replica, "active") for replica in replica_statuses),
        sum(number(replica, "failed") for replica in replica_statuses),
    )


def _state(document: Document) -> tuple[str, str, str | None]:
    """Return the state, what it says, and since when: the last of the conditions that hold."""
    created = text(document, "metadata", "creationTimestamp") or None
    holding = [
        condition for condition in parts(document, "status", "conditions") if text(condition, "status") == "True"
    ]
    if not holding:
        return "Created", "no operator has taken it yet" if not part(document, "status") else "", created
    ended = [condition for condition in holding if text(condition, "type") in OVER]
    last = (ended or sorted(holding, key=lambda condition: text(condition, "lastTransitionTime")))[-1]
    reason, message = text(last, "reason"), text(last, "message")
    text_ = ": ".join(part for part in (reason, message) if part) if text(last, "type") != "Running" else ""
    return text(last, "type"), text_, text(last, "lastTransitionTime") or created
