"""Training jobs: MPIJobs and PyTorchJobs of Kubeflow's operators, and JobSets.

https://github.com/kubeflow/training-operator/blob/v1.9.3/pkg/apis/kubeflow.org/v1/common_types.go
https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/api/jobset/v1alpha2/jobset_types.go
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from trainyard.edge.aws.account import Account
from trainyard.edge.kubernetes.documents import Document, number, part, parts, text
from trainyard.edge.kubernetes.kubectl import Kubectl, KubectlOf
from trainyard.edge.kubernetes.refusals import NoSuchKindError
from trainyard.errors import TrainyardError
from trainyard.foreign_text import reason_and_message
from trainyard.operate.status.failures import Failure, short
from trainyard.platforms.eks.job_sets import JOB_SETS, job_set_condition, job_set_pods, ready_pods
from trainyard.platforms.eks.status.eks_status import TrainingJob, Workload
from trainyard.stop_request import results_of

RESOURCES = ("mpijobs.kubeflow.org", "pytorchjobs.kubeflow.org", JOB_SETS)
"""What kubectl calls them."""
OVER = ("Succeeded", "Failed")
_REPLICAS = ("mpiReplicaSpecs", "pytorchReplicaSpecs")
_MOST_FAILED = 5
_DATA = Path(__file__).with_name("workloads.yaml")
PART = "what Kubernetes knows: nodes, devices, pods, jobs, claims"
"""What is not known where the API does not answer."""
_AT_ONCE = 4  # processes of kubectl
_KINDS = ("pods", "daemonsets", "deployments", "persistentvolumes", "persistentvolumeclaims", *RESOURCES)


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
    is_kept_job_set = text(document, "kind") == "JobSet" and part(document, "status")
    state, why, since = _told(document, job_set_condition(document)) if is_kept_job_set else _state(document)
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
        job_set_pods(document)
        + sum(number(replica, "replicas") if "replicas" in replica else 1 for replica in replica_specs),
        ready_pods(document) + sum(number(replica, "active") for replica in replica_statuses),
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
    return _told(document, (ended or sorted(holding, key=lambda condition: text(condition, "lastTransitionTime")))[-1])


def _told(document: Document, last: Document) -> tuple[str, str, str | None]:
    created = text(document, "metadata", "creationTimestamp") or None
    said = reason_and_message(text(last, "reason"), text(last, "message"))
    text_ = said if text(last, "type") != "Running" else ""
    return text(last, "type"), text_, text(last, "lastTransitionTime") or created


def workloads(documents: Iterable[Document]) -> tuple[Workload, ...]:
    """Return those DaemonSets and Deployments that the cluster needs, in the order of workloads.yaml."""
    order = list(_content()["roles"])
    all_workloads = [workload for document in documents if (workload := _workload(document)) is not None]
    return tuple(
        sorted(
            all_workloads,
            key=lambda workload: (
                order.index(workload.role) if workload.role else len(order),
                workload.namespace,
                workload.name,
            ),
        )
    )


def device_plugin_of(resource: str) -> str | None:
    """Return the role of what offers a resource of nodes."""
    offers: Mapping[str, str] = _content()["offers"]
    return offers.get(resource)


def _workload(document: Document) -> Workload | None:
    kind, namespace, name = text(document, "kind"), text(document, "metadata", "namespace"), _name(document)
    role = next(
        (role for role, globs in _content()["roles"].items() if any(fnmatchcase(name, glob) for glob in globs)), ""
    )
    if not role and namespace not in _content()["namespaces"]:
        return None
    if kind == "DaemonSet":
        counts = number(document, "status", "numberReady"), number(document, "status", "desiredNumberScheduled")
    else:
        desired = number(document, "spec", "replicas") if "replicas" in part(document, "spec") else 1
        counts = number(document, "status", "readyReplicas"), desired
    return Workload(role, kind, namespace, name, *counts)


def busy_nodes(pods: Iterable[Document]) -> frozenset[str]:
    """Return the names of nodes with a pod that is not over and that somebody wants: none of a node or the cluster."""
    return frozenset(
        text(pod, "spec", "nodeName")
        for pod in pods
        if text(pod, "status", "phase") not in OVER
        and text(pod, "metadata", "namespace") not in _content()["namespaces"]
        and not {text(owner, "kind") for owner in parts(pod, "metadata", "ownerReferences")} & {"DaemonSet", "Node"}
    )


def _name(document: Document) -> str:
    return text(document, "metadata", "name")


@cache
def _content() -> dict[str, Any]:
    content: dict[str, Any] = yaml.load(_DATA.read_bytes(), Loader=yaml.CSafeLoader)
    return content


@dataclass(frozen=True, slots=True)
class Inside:
    """The objects of a cluster, by the kinds that were asked for."""

    nodes: list[Document]
    others: dict[str, list[Document]]
    unknown: dict[str, str] = field(default_factory=dict)
    """Why nobody knows those of a kind, by the kind."""

    def of(self, *kinds: str) -> list[Document]:
        """Return the objects of some kinds; none where nobody knows them."""
        return [document for kind in kinds for document in self.others.get(kind, ())]


def look_inside(account: Account, cluster: str, kubectl_of: KubectlOf) -> Inside:
    """Return what is in a cluster. Raises TrainyardError where its API does not answer, or kubectl is missing."""
    with kubectl_of(account, cluster) as kubectl:
        nodes = kubectl.get("nodes")
        answers = dict(zip(_KINDS, results_of(lambda kind: _objects(kubectl, kind), _KINDS, _AT_ONCE), strict=True))
    unknown = {f"{kind} of Kubernetes": answer for kind, answer in answers.items() if isinstance(answer, str)}
    return Inside(nodes, {kind: answer for kind, answer in answers.items() if not isinstance(answer, str)}, unknown)


def _objects(kubectl: Kubectl, kind: str) -> list[Document] | str:
    """Return the objects of a kind, none where the cluster does not know the kind; why not, where it refuses."""
    try:
        return kubectl.get(kind)
    except NoSuchKindError:
        return []
    except TrainyardError as error:
        return error.problem
