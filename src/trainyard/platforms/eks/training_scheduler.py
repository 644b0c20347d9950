"""Amazon EKS as what runs training runs: one PyTorchJob or JobSet for each, found by its labels.

Both kinds are looked for, whichever the file of the run would be now: what runs was submitted before.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.batch_jobs import may_pass
from trainyard.edge.aws.eks import find_cluster
from trainyard.edge.kubernetes.documents import parts, text
from trainyard.edge.kubernetes.kubectl import Kubectl, KubectlOf
from trainyard.edge.kubernetes.refusals import NoSuchKindError, NotThereError
from trainyard.edge.remote_command import UnreachableError
from trainyard.errors import TrainyardError
from trainyard.foreign_text import reason_and_message
from trainyard.platforms.eks.job_sets import JOB_SET_NAME
from trainyard.platforms.eks.training_job_kinds import JOB_KINDS, JOB_SET, JobKind
from trainyard.render.bench.mpi_job import NAMESPACE, RUN, SUBMISSION, TEST
from trainyard.render.tags import CLUSTER
from trainyard.submission.head_node import write_blocks
from trainyard.submission.job import PlannedJob
from trainyard.submission.scheduler import GONE, JobState
from trainyard.training.ledger.kept_pods import keep_pods

_TAIL_LINES = 1000
_STATES = {"Created": "PENDING", "Running": "RUNNING", "Restarting": "REQUEUED", "Suspended": "SUSPENDED",
           "Succeeded": "COMPLETED", "Failed": "FAILED"}  # fmt: skip


class _Job(NamedTuple):
    """A job that there is."""

    kind: JobKind
    document: dict[str, Any]

    @property
    def name(self) -> str:
        return str(self.document["metadata"]["name"])

    @property
    def labels(self) -> Mapping[str, str]:
        return self.document["metadata"].get("labels") or {}

    @property
    def has_ended(self) -> bool:
        return self.kind.condition(self.document)["type"] in ("Succeeded", "Failed")


@dataclass
class OnTrainingOperators:
    """The operators of a cluster, by way of kubectl."""

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

    def refuse_unfit(self, jobs: Sequence[PlannedJob]) -> None:
        """Raise TrainyardError where nobody would make the pods of a job. These wait until there are nodes."""
        with self._asked() as kubectl:
            for job in jobs:
                kind = _kind_of(job)
                try:
                    kubectl.get(kind.resource, namespace=NAMESPACE)
                except NoSuchKindError as error:
                    hint = f"with {kind.operator} in eks.operators of the spec, `trainyard deploy` installs it"
                    problem = f"{self.cluster} has no {kind.controller}: {error.problem}"
                    raise TrainyardError(problem, where="eks.operators", hint=hint) from error

    def begun(self, folder: str) -> bool:
        """Return whether there is a run of the submission."""
        return bool(self.submitted_before(folder, folder))

    def submitted_before(self, folder: str, token: str) -> dict[str, str]:  # noqa: ARG002  the folder is the token
        """Return the numbers of a submission's runs, by run."""
        with self._asked() as kubectl:
            found = _found(kubectl, f"{SUBMISSION}={folder}")
        return {job.labels.get(TEST, ""): job.labels.get(RUN, "") for job in found}

    def is_newer(self, number: str, than: str) -> bool:
        """Return whether a run was made after another one: there is one of a name only, which is the last."""
        return number != than

    def submit(self, folder: str, job: PlannedJob, token: str, after: str | None) -> str:  # noqa: ARG002  none waits
        """Make the job and what it mounts, and return its number. A former one of the name is taken away."""
        assert job.request is not None  # noqa: S101  training_jobs.job gives one
        number, documents = secrets.token_hex(4), [dict(document) for document in job.request["documents"]]
        for document in documents:
            labels = {SUBMISSION: token, TEST: job.id, RUN: number}
            document["metadata"] = {**document["metadata"], "labels": labels}
        with self._asked() as kubectl:
            former = [found for found in _found(kubectl, "", leaving=True) if found.name == job.id]
            for found in former:
                if not found.has_ended:
                    kind = found.kind.kind
                    hint = f"`kubectl delete {kind.lower()} {job.id}` ends it, or give the run another name"
                    raise TrainyardError(f"a {kind} {job.id} runs already", where=job.id, hint=hint)
            if former:
                kubectl.delete([found.document for found in former])
            kubectl.apply(documents, force_conflicts=True)
        return number

    def states(self, numbers: Sequence[str]) -> dict[str, JobState]:
        """Return how runs are. Raises UnreachableError where that may be known the next time."""
        with self._asked() as kubectl:
            return {number: _state(kubectl, number) for number in numbers}

    def gather(self, id_: str, number: str, to: Path) -> None:
        """Leave the log where it is."""

    def cancel(self, numbers: Sequence[str]) -> None:
        """Delete jobs, and with them their pods."""
        with self._asked() as kubectl:
            found = [job.document for number in numbers for job in _numbered(kubectl, number)]
            if found:
                kubectl.delete(found)

    def fetch(self, folder: str, id_: str, number: str, to: Path) -> bool:  # noqa: ARG002  found by the number alone
        """Write what the first pod has said into a file."""
        with self._asked() as kubectl:
            for job in _numbered(kubectl, number):
                try:
                    pod = job.kind.first_pod(kubectl, job.name)
                    lines = kubectl.logs(pod, NAMESPACE, container="pytorch")
                    write_blocks(to, (f"{line}\n".encode("utf-8", "replace") for line in lines))
                except NotThereError:
                    return False
                return True
        return False

    def newest_output(self, number: str) -> list[str]:
        """Return the last lines of the first pod; none where it has not begun."""
        with self._asked() as kubectl:
            for job in _numbered(kubectl, number):
                with suppress(NotThereError):
                    pod = job.kind.first_pod(kubectl, job.name)
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


def _kind_of(job: PlannedJob) -> JobKind:
    assert job.request is not None  # noqa: S101  training_jobs.job gives one
    return next(JOB_KINDS[kind] for document in job.request["documents"] if (kind := document["kind"]) in JOB_KINDS)


def _found(kubectl: Kubectl, selector: str, *, leaving: bool = False) -> list[_Job]:
    """Return the jobs of the kinds that the cluster knows; those that are being deleted only if asked for."""
    found = []
    for kind in JOB_KINDS.values():
        with suppress(NoSuchKindError):
            documents = kubectl.get(kind.resource, namespace=NAMESPACE, selector=selector)
            found += [_Job(kind, one) for one in documents if leaving or "deletionTimestamp" not in one["metadata"]]
    return found


def _numbered(kubectl: Kubectl, number: str) -> list[_Job]:
    return _found(kubectl, f"{RUN}={number}")


def _state(kubectl: Kubectl, number: str) -> JobState:
    jobs = _numbered(kubectl, number)
    if not jobs:
        return JobState(GONE)
    condition = jobs[0].kind.condition(jobs[0].document)
    nodes = sorted({str(pod.get("spec", {}).get("nodeName") or "") for pod in _pods(kubectl, jobs[0])} - {""})
    state = _STATES.get(str(condition["type"]), "PENDING")
    message = str(condition.get("message") or "")
    if state == "FAILED" and jobs[0].kind is JOB_SET:
        message = "; ".join([message, *_failures_of_jobs(kubectl, jobs[0])])
    said = reason_and_message(str(condition.get("reason") or ""), message)
    return JobState(state, "" if state in ("RUNNING", "COMPLETED") else said, ",".join(nodes))


def _failures_of_jobs(kubectl: Kubectl, job_set: _Job) -> Iterator[str]:
    """Yield why the Jobs of a JobSet have failed, such as by which exit code: the JobSet names them alone."""
    for job in kubectl.get("jobs.batch", namespace=NAMESPACE, selector=f"{JOB_SET_NAME}={job_set.name}"):
        for condition in parts(job, "status", "conditions"):
            if text(condition, "type") == "Failed" and text(condition, "status") == "True":
                yield text(condition, "message")


def _pods(kubectl: Kubectl, job: _Job) -> list[dict[str, Any]]:
    return kubectl.get("pods", namespace=NAMESPACE, selector=f"{job.kind.name_label}={job.name}")
