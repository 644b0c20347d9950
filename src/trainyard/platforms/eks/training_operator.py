"""Amazon EKS as what runs training runs: one PyTorchJob for each, found by its labels.

https://github.com/kubeflow/training-operator/blob/v1.9.3/pkg/apis/kubeflow.org/v1/common_types.go
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.batch_jobs import may_pass
from trainyard.edge.aws.eks import find_cluster
from trainyard.edge.kubernetes.kubectl import Kubectl, KubectlOf
from trainyard.edge.kubernetes.refusals import NoSuchKindError, NotThereError
from trainyard.edge.remote_command import UnreachableError
from trainyard.errors import TrainyardError
from trainyard.foreign_text import reason_and_message
from trainyard.platforms.eks.mpi_jobs.mpi_job_state import JOB_NAME
from trainyard.render.bench.mpi_job import NAMESPACE, RUN, SUBMISSION, TEST
from trainyard.render.tags import CLUSTER
from trainyard.submission.head_node import write_blocks
from trainyard.submission.job import PlannedJob
from trainyard.submission.scheduler import GONE, JobState
from trainyard.training.ledger.kept_pods import keep_pods

_JOBS = "pytorchjobs.kubeflow.org"
_TAIL_LINES = 1000
_STATES = {"Created": "PENDING", "Running": "RUNNING", "Restarting": "REQUEUED", "Suspended": "SUSPENDED",
           "Succeeded": "COMPLETED", "Failed": "FAILED"}  # fmt: skip


@dataclass
class OnTrainingOperator:
    """The training operator of a cluster, by way of kubectl."""

    account: Account
    cluster: str
    kubectl: KubectlOf
    every_s: float = 10.0
    one_by_one: bool = True
    lines_up: bool = False

    @property
    def words(self) -> str:
        """Return which one it is."""
        return f"Amazon EKS in {self.account.region}"

    def folder(self, token: str) -> str:
        """Return by which label the runs of a submission are found."""
        return token

    def refuse_unfit(self, jobs: Sequence[PlannedJob]) -> None:  # noqa: ARG002  pods wait until there are nodes
        """Raise TrainyardError where there is no training operator."""
        with self._asked() as kubectl:
            kubectl.get(_JOBS, namespace=NAMESPACE)

    def begun(self, folder: str) -> bool:
        """Return whether there is a run of the submission."""
        return bool(self.submitted_before(folder, folder))

    def submitted_before(self, folder: str, token: str) -> dict[str, str]:  # noqa: ARG002  the folder is the token
        """Return the numbers of a submission's runs, by run."""
        with self._asked() as kubectl:
            found = kubectl.get(_JOBS, namespace=NAMESPACE, selector=f"{SUBMISSION}={folder}")
        return {_labels(job).get(TEST, ""): _labels(job).get(RUN, "") for job in found if not _is_leaving(job)}

    def is_newer(self, number: str, than: str) -> bool:
        """Return whether a run was made after another one: there is one of a name only, which is the last."""
        return number != than

    def submit(self, folder: str, job: PlannedJob, token: str, after: str | None) -> str:  # noqa: ARG002  none waits
        """Make the PyTorchJob and what it mounts, and return its number. A former one of the name is taken away."""
        assert job.request is not None  # noqa: S101  training_jobs.job gives one
        number, documents = secrets.token_hex(4), [dict(document) for document in job.request["documents"]]
        for document in documents:
            labels = {SUBMISSION: token, TEST: job.id, RUN: number}
            document["metadata"] = {**document["metadata"], "labels": labels}
        with self._asked() as kubectl:
            former = [found for found in kubectl.get(_JOBS, namespace=NAMESPACE) if _name(found) == job.id]
            if former and not _has_ended(former[0]):
                hint = f"`kubectl delete pytorchjob {job.id}` ends it, or give the run another name"
                raise TrainyardError(f"a PyTorchJob {job.id} runs already", where=job.id, hint=hint)
            if former:
                kubectl.delete(former)
            kubectl.apply(documents, force_conflicts=True)
        return number

    def states(self, numbers: Sequence[str]) -> dict[str, JobState]:
        """Return how runs are. Raises UnreachableError where that may be known the next time."""
        with self._asked() as kubectl:
            return {number: _state(kubectl, number) for number in numbers}

    def gather(self, id_: str, number: str, to: Path) -> None:
        """Leave the log where it is."""

    def cancel(self, numbers: Sequence[str]) -> None:
        """Delete PyTorchJobs, and with them their pods."""
        with self._asked() as kubectl:
            found = [job for number in numbers for job in _numbered(kubectl, number)]
            if found:
                kubectl.delete(found)

    def fetch(self, folder: str, id_: str, number: str, to: Path) -> bool:  # noqa: ARG002  found by the number alone
        """Write what the first pod has said into a file."""
        with self._asked() as kubectl:
            for job in _numbered(kubectl, number):
                try:
                    lines = kubectl.logs(f"{_name(job)}-worker-0", NAMESPACE, container="pytorch")
                    write_blocks(to, (f"{line}\n".encode("utf-8", "replace") for line in lines))
                except NotThereError:
                    return False
                return True
        return False

    def newest_output(self, number: str) -> list[str]:
        """Return the last lines of the first pod; none where it has not begun."""
        with self._asked() as kubectl:
            for job in _numbered(kubectl, number):
                pod = f"{_name(job)}-worker-0"
                with suppress(NotThereError):
                    return list(kubectl.logs(pod, NAMESPACE, container="pytorch", tail=_TAIL_LINES))
        return []

    def keep_nodes(self, number: str, folder: Path) -> None:
        """Keep the pods of a run: those that others have replaced are gone."""
        with self._asked() as kubectl:
            pods = [pod for job in _numbered(kubectl, number) for pod in _pods(kubectl, job)]
        keep_pods(folder, pods, self.account.clock.now())

    def let_go(self, number: str, state: str, to: Path) -> None:
        """Leave the job, whose pods keep their logs and hold no nodes."""

    @contextmanager
    def _asked(self) -> Iterator[Kubectl]:
        """Give the cluster's kubectl. What may pass becomes UnreachableError."""
        try:
            self._refuse_foreign()
            with self.kubectl(self.account, self.cluster) as kubectl:
                yield kubectl
        except NoSuchKindError as error:
            hint = "with training-operator in eks.operators of the spec, `trainyard deploy` installs it"
            problem = f"{self.cluster} has no training operator: {error.problem}"
            raise TrainyardError(problem, where="eks.operators", hint=hint) from error
        except UnreachableError:
            raise
        except TrainyardError as error:
            if not may_pass(error):
                raise
            raise UnreachableError(error.problem, where=error.where, hint=error.hint) from error

    def _refuse_foreign(self) -> None:
        found = find_cluster(self.account, self.cluster)
        if found is not None and found.tags.get(CLUSTER) != self.cluster:
            problem = f"the EKS cluster {self.cluster} is not trainyard's: it has no tag {CLUSTER}={self.cluster}"
            hint = "`trainyard run render` writes what whoever may use the cluster can apply"
            raise TrainyardError(problem, where=found.arn, hint=hint)


def _numbered(kubectl: Kubectl, number: str) -> list[dict[str, Any]]:
    found = kubectl.get(_JOBS, namespace=NAMESPACE, selector=f"{RUN}={number}")
    return [job for job in found if not _is_leaving(job)]


def _state(kubectl: Kubectl, number: str) -> JobState:
    jobs = _numbered(kubectl, number)
    if not jobs:
        return JobState(GONE)
    conditions = _conditions(jobs[0])
    last = conditions[-1] if conditions else {"type": "Created"}
    nodes = sorted({str(pod.get("spec", {}).get("nodeName") or "") for pod in _pods(kubectl, jobs[0])} - {""})
    said = reason_and_message(str(last.get("reason") or ""), str(last.get("message") or ""))
    state = _STATES.get(str(last["type"]), "PENDING")
    return JobState(state, "" if state in ("RUNNING", "COMPLETED") else said, ",".join(nodes))


def _pods(kubectl: Kubectl, job: Mapping[str, Any]) -> list[dict[str, Any]]:
    return kubectl.get("pods", namespace=NAMESPACE, selector=f"{JOB_NAME}={_name(job)}")


def _conditions(job: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return what is true of it now, the last to have become so at the end."""
    found = (job.get("status") or {}).get("conditions") or ()
    true = [condition for condition in found if condition.get("status") == "True" and "type" in condition]
    return sorted(true, key=lambda condition: str(condition.get("lastTransitionTime") or ""))


def _has_ended(job: Mapping[str, Any]) -> bool:
    return bool({"Succeeded", "Failed"} & {str(condition["type"]) for condition in _conditions(job)})


def _labels(job: Mapping[str, Any]) -> Mapping[str, str]:
    return job["metadata"].get("labels") or {}


def _name(job: Mapping[str, Any]) -> str:
    return str(job["metadata"]["name"])


def _is_leaving(job: Mapping[str, Any]) -> bool:
    return "deletionTimestamp" in job["metadata"]
