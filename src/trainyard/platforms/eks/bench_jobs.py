"""Amazon EKS as what runs the jobs of a submission: MPIJobs, whose results are the logs of their launchers.

Each run is an MPIJob of its own name, and found by its labels. Jobs of Kubernetes cannot wait for each other, and two
of them could each hold half of the nodes for ever, so each is submitted once the one before has ended.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.batch_jobs import may_pass
from trainyard.edge.aws.eks import find_cluster
from trainyard.edge.kubernetes.kubectl import Kubectl, KubectlOf
from trainyard.edge.kubernetes.kubectl_program import kubectl_of
from trainyard.edge.kubernetes.refusals import NoSuchKindError, NotThereError
from trainyard.edge.remote_command import UnreachableError
from trainyard.errors import TrainyardError
from trainyard.platforms.eks.mpi_jobs import mpi_runs
from trainyard.platforms.eks.mpi_jobs.container_log import GatheredLog
from trainyard.platforms.eks.mpi_jobs.mpi_job_state import MpiJobStatus, mpi_job_status, role_of
from trainyard.platforms.eks.mpi_jobs.node_fit import Fit, fit_in, holders
from trainyard.platforms.eks.mpi_jobs.stuck_pods import StuckPods, stuck
from trainyard.platforms.eks.rendering.documents import mpi_job_of
from trainyard.render.bench.job import BenchJob
from trainyard.render.bench.mpi_job import NAMESPACE, run_of, scripts_manifest
from trainyard.render.tags import CLUSTER
from trainyard.spec.cluster import Spec
from trainyard.submission.head_node import write_blocks
from trainyard.submission.job import PlannedJob
from trainyard.submission.scheduler import JobState

_DELETED = "somebody has deleted its MPIJob"
_FETCH_TIMES, _FETCH_PAUSE_S = 4, 10.0


def has_mpi(spec: Spec) -> bool:
    """Return whether MPI programs start on several nodes, which the MPI operator does."""
    return "mpi-operator" in spec.eks.operators


def job(job: BenchJob, spec: Spec) -> PlannedJob:
    """Return a planned job as an MPIJob."""
    return PlannedJob(
        job.id, job.title, "nccl-tests", job.nodes, job.queue, job.instance_type, job.time_limit_min, "", {},
        request=mpi_job_of(spec, job),
    )  # fmt: skip


def scheduler(spec: Spec, account: Account, *, ssh: str | None, keep: bool, kubectl: KubectlOf) -> OnEks:  # noqa: ARG001  there is no host
    """Return the MPI operator of a cluster."""
    return OnEks(account, spec.name, keep, kubectl)


@dataclass
class OnEks:
    """The MPI operator of a cluster, by way of kubectl."""

    account: Account
    cluster: str
    keep: bool = False
    """Whether MPIJobs that came to their end stay in the cluster."""
    kubectl: KubectlOf = kubectl_of
    every_s: float = 10.0
    one_by_one: bool = True
    lines_up: bool = False
    _order: dict[str, str] = field(default_factory=dict)
    """When runs were made, by number."""
    _pods: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """Pods as they were last mpi_job_status, by the number of their run."""
    _logs: dict[Path, GatheredLog] = field(default_factory=dict)
    _stuck: StuckPods = field(init=False)
    _is_ours: bool = False

    def __post_init__(self) -> None:
        """Begin to watch how long jobs wait."""
        self._stuck = StuckPods(self.account.clock)

    @property
    def words(self) -> str:
        """Return which one it is."""
        return f"Amazon EKS in {self.account.region}"

    def folder(self, token: str) -> str:
        """Return by which label the runs of a submission are found."""
        return token

    def refuse_unfit(self, jobs: Sequence[PlannedJob]) -> None:
        """Raise TrainyardError where there is no MPI operator, or there are not the nodes that a job wants."""
        with self._asked() as kubectl:
            mpi_runs.refuse_without_operator(kubectl, self.cluster)
            for job in jobs:
                fit = fit_in(kubectl, _mpi_job(job))
                if not fit.enough:
                    raise self._unfit(job, fit)

    def begun(self, folder: str) -> bool:
        """Return whether there is a run of the submission."""
        return bool(self.submitted_before(folder, folder))

    def submitted_before(self, folder: str, token: str) -> dict[str, str]:  # noqa: ARG002  the folder is the token
        """Return the numbers of a submission's runs, by job: the last of each."""
        with self._asked() as kubectl:
            runs = mpi_runs.runs_of_submission(kubectl, folder)
        # Times are whole seconds; runs of the same one are in the order of the list.
        self._order |= {
            mpi_runs.number_of(run): f"{mpi_runs.creation_time(run)} {at:06d}" for at, run in enumerate(runs)
        }
        return {mpi_runs.test_of(run): mpi_runs.number_of(run) for run in runs}

    def is_newer(self, number: str, than: str) -> bool:
        """Return whether a run was made after another one. What is not listed any more is older."""
        return self._order.get(number, "") > self._order.get(than, "") and than in self._order

    def submit(self, folder: str, job: PlannedJob, token: str, after: str | None) -> str:  # noqa: ARG002  none waits
        """Make an MPIJob for a run and return its number. What is left of a former run is taken away."""
        number = secrets.token_hex(4)
        with self._asked() as kubectl:
            former = [run for run in mpi_runs.runs_of_submission(kubectl, folder) if mpi_runs.test_of(run) == job.id]
            if former:
                kubectl.delete(former)
            kubectl.apply([scripts_manifest(), run_of(_mpi_job(job), token, number)], force_conflicts=True)
        return number

    def states(self, numbers: Sequence[str]) -> dict[str, JobState]:
        """Return how runs are.

        Raises UnreachableError where that may be known the next time, TrainyardError where one will not start.
        """
        with self._asked() as kubectl:
            return {number: self._state(kubectl, number) for number in numbers}

    def gather(self, id_: str, number: str, to: Path) -> None:  # noqa: ARG002  found by the number alone
        """Write down what the launcher has said since, as far as the last look has found one."""
        pod = mpi_runs.speaker(self._pods.get(number, ()))
        if pod is not None:
            with self._asked() as kubectl:
                self._read(kubectl, pod, to)

    def cancel(self, numbers: Sequence[str]) -> None:
        """Delete MPIJobs, and with them their pods."""
        with self._asked() as kubectl:
            runs = [run_ for number in numbers if (run_ := mpi_runs.run_numbered(kubectl, number)) is not None]
            if runs:
                kubectl.delete(runs)

    def fetch(self, folder: str, id_: str, number: str, to: Path) -> bool:  # noqa: ARG002  found by the number alone
        """Write all that the launcher has said into a file.

        Raises UnreachableError where its node does not answer, after some tries.
        """
        for left in reversed(range(_FETCH_TIMES)):
            try:
                self._read_rest(number, to)
                break
            except UnreachableError:
                if not left:
                    raise
                self.account.clock.sleep(_FETCH_PAUSE_S)
        log = self._log(to)
        if not log.file.exists():
            return False
        write_blocks(to, log.lines())
        return True

    def let_go(self, number: str, state: str, to: Path) -> None:
        """Delete an MPIJob that came to its end, or that will not and holds nodes. One that failed stays to be read."""
        part_of(to).unlink(missing_ok=True)
        with self._asked() as kubectl:
            run = mpi_runs.run_numbered(kubectl, number)
            if run is not None and ((state == "COMPLETED" and not self.keep) or not mpi_job_status(run, ()).finished):
                kubectl.delete([run])

    @contextmanager
    def _asked(self) -> Iterator[Kubectl]:
        """Give the cluster's kubectl. What may pass becomes UnreachableError."""
        try:
            self._refuse_foreign()
            with self.kubectl(self.account, self.cluster) as kubectl:
                yield kubectl
        except NoSuchKindError as error:
            raise mpi_runs.operator_missing(self.cluster, error) from error
        except TrainyardError as error:
            if not may_pass(error):
                raise
            raise UnreachableError(error.problem, where=error.where, hint=error.hint) from error

    def _refuse_foreign(self) -> None:
        """Raise TrainyardError where the cluster of this name is somebody else's."""
        if self._is_ours:
            return
        eks_cluster = find_cluster(self.account, self.cluster)
        if eks_cluster is not None and eks_cluster.tags.get(CLUSTER) != self.cluster:
            problem = f"the EKS cluster {self.cluster} is not trainyard's: it has no tag {CLUSTER}={self.cluster}"
            hint = "its MPIJobs are in bench/ of `trainyard render`, to be applied by whoever may use the cluster"
            raise TrainyardError(problem, where=eks_cluster.arn, hint=hint)
        self._is_ours = eks_cluster is not None

    def _state(self, kubectl: Kubectl, number: str) -> JobState:
        run = mpi_runs.run_numbered(kubectl, number)
        self._pods[number] = mpi_runs.pods_of(kubectl, run)
        if run is None:
            return JobState("CANCELLED", _DELETED)
        look = mpi_job_status(run, self._pods[number])
        held = self._stuck.held_up(number, look)
        if held is None:
            return look.state
        fit = fit_in(kubectl, run)
        if held == "unschedulable" and fit.enough:
            # Somebody else has them, and gives them back one day: as long as it is followed at all, it waits.
            return look.state._replace(reason=f"{look.state.reason}; {holders(kubectl, run)}")
        raise stuck(held, run["metadata"]["name"], mpi_runs.label_of_pods(run), _why(kubectl, run, look, fit))

    def _unfit(self, job: PlannedJob, node_fit: Fit) -> TrainyardError:
        problem = (
            f"{job.id} wants {node_fit.workers} nodes of {job.queue}, and {node_fit.fit} can take it: {node_fit.words}"
        )
        hint = f"`trainyard status {self.cluster} --region {self.account.region}` shows the nodes; "
        hint += (
            "`kubectl -n kube-system get daemonsets` shows whether the device plugins run"
            if node_fit.lacks_devices
            else f"`eksctl scale nodegroup --cluster {self.cluster}` starts more, and --only names jobs that fit"
        )
        return TrainyardError(problem, where=job.id, hint=hint)

    def _read_rest(self, number: str, to: Path) -> None:
        with self._asked() as kubectl:
            pod = mpi_runs.speaker(mpi_runs.pods_of(kubectl, mpi_runs.run_numbered(kubectl, number)))
            # A launcher that a time limit has ended is deleted, and what workers say is not its log.
            if pod is not None and (role_of(pod) == "launcher" or not self._log(to).file.exists()):
                self._read(kubectl, pod, to)

    def _read(self, kubectl: Kubectl, pod: Mapping[str, Any], to: Path) -> None:
        log, name = self._log(to), pod["metadata"]["name"]
        try:
            log.add(kubectl.logs(name, NAMESPACE, container=role_of(pod), timestamps=True, since=log.since))
        except NotThereError:
            return  # it has just gone

    def _log(self, to: Path) -> GatheredLog:
        if to not in self._logs:
            self._logs[to] = GatheredLog(part_of(to))
        return self._logs[to]


def part_of(to: Path) -> Path:
    """Return where a log is gathered until it is whole."""
    return to.with_suffix(".part")


def _mpi_job(job: PlannedJob) -> Mapping[str, Any]:
    assert job.request is not None  # noqa: S101  planned_jobs gives one to every job of EKS
    return job.request


def _why(kubectl: Kubectl, run: Mapping[str, Any], look: MpiJobStatus, node_fit: Fit) -> str:
    """Return why a run does not start, also with what is wrong with the nodes, and what Kubernetes complains of."""
    nodes = None if node_fit.enough else f"nodes that can take it: {node_fit.fit}, {node_fit.words}"
    parts = (look.state.reason, nodes, mpi_runs.last_complaint(kubectl, run))
    return "; ".join(part for part in parts if part)
