"""The two kinds of jobs of Kubernetes that a training run can be, and where they differ for who submits and watches it.

https://github.com/kubeflow/training-operator/blob/v1.9.3/pkg/apis/kubeflow.org/v1/common_types.go
https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/api/jobset/v1alpha2/jobset_types.go
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from trainyard.edge.kubernetes.kubectl import Kubectl
from trainyard.edge.kubernetes.refusals import NotThereError
from trainyard.platforms.eks.job_sets import JOB_SET_NAME, JOB_SETS, job_set_condition
from trainyard.platforms.eks.mpi_jobs.mpi_job_state import JOB_NAME
from trainyard.render.bench.mpi_job import NAMESPACE

# https://kubernetes.io/docs/reference/labels-annotations-taints/#batch-kubernetes-io-job-completion-index
_INDEX = "batch.kubernetes.io/job-completion-index"


class JobKind(NamedTuple):
    """One kind of jobs."""

    kind: str
    resource: str
    """What kubectl calls them."""
    operator: str
    """What eks.operators calls who makes their pods."""
    controller: str
    """What people call it."""
    name_label: str
    """The label of their pods that names the job."""
    first_pod: Callable[[Kubectl, str], str]
    """Finds what the first pod of the job of a name is called. Raises NotThereError where there is none yet."""
    condition: Callable[[Mapping[str, Any]], Mapping[str, Any]]
    """How one is, as a condition in the words of the training operator."""


def _last_condition(job: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what is true of a PyTorchJob now: the last to have become so."""
    found = (job.get("status") or {}).get("conditions") or ()
    true = [condition for condition in found if condition.get("status") == "True" and "type" in condition]
    told = sorted(true, key=lambda condition: str(condition.get("lastTransitionTime") or ""))
    return told[-1] if told else {"type": "Created"}


def _named_worker(kubectl: Kubectl, job: str) -> str:
    del kubectl
    return f"{job}-worker-0"


def _numbered_pod(kubectl: Kubectl, job: str) -> str:
    """Return the pod by its number: its name has letters at its end, others in each start."""
    pods = kubectl.get("pods", namespace=NAMESPACE, selector=f"{JOB_SET_NAME}={job},{_INDEX}=0")
    if not pods:
        raise NotThereError(f"{job} has no first pod", where=job)
    return str(max(pods, key=lambda pod: str(pod["metadata"].get("creationTimestamp")))["metadata"]["name"])


PYTORCH_JOB = JobKind(
    "PyTorchJob", "pytorchjobs.kubeflow.org", "training-operator", "training operator", JOB_NAME,
    _named_worker, _last_condition,
)  # fmt: skip
JOB_SET = JobKind(
    "JobSet", JOB_SETS, "jobset", "controller of JobSets", JOB_SET_NAME,
    _numbered_pod, lambda job: job_set_condition(dict(job)),
)  # fmt: skip
JOB_KINDS = {kind.kind: kind for kind in (PYTORCH_JOB, JOB_SET)}
