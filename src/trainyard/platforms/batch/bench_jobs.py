"""AWS Batch as what runs the jobs of a submission: their results are the logs of their main nodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from trainyard.edge.aws import batch_jobs
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.batch_job_state import find_definition
from trainyard.edge.aws.batch_jobs import BatchJob
from trainyard.edge.aws.container_registry import image_is_there
from trainyard.edge.aws.errors import NotAllowedError
from trainyard.edge.aws.log_events import LogEvent, LogStreamReader, events
from trainyard.edge.kubernetes.kubectl import KubectlOf
from trainyard.edge.remote_command import UnreachableError
from trainyard.errors import InputError, TrainyardError
from trainyard.foreign_text import word_or_quoted
from trainyard.platforms.batch.rendering.names import job_definition, job_queue
from trainyard.render.bench.batch_job import submit_job
from trainyard.render.bench.job import BenchJob
from trainyard.spec.cluster import Spec
from trainyard.submission.head_node import write_blocks
from trainyard.submission.job import PlannedJob
from trainyard.submission.scheduler import GONE, JobState

_MARK = "trainyard-bench"
_LONGEST_NAME = 128  # https://docs.aws.amazon.com/batch/latest/APIReference/API_SubmitJob.html
# In Slurm's words; what Batch itself says is the reason.
_STATES = {
    "SUBMITTED": "PENDING",
    "PENDING": "PENDING",
    "RUNNABLE": "PENDING",
    "STARTING": "CONFIGURING",
    "RUNNING": "RUNNING",
    "SUCCEEDED": "COMPLETED",
    "FAILED": "FAILED",
}


def has_mpi(spec: Spec) -> bool:  # noqa: ARG001  as of every platform
    """Return that MPI programs start on several nodes: the image of tests starts them."""
    return True


def job(job: BenchJob, spec: Spec) -> PlannedJob:
    """Return a planned job as SubmitJob takes it."""
    request = submit_job(job, job_queue(spec, job.queue), job_definition(spec, job.queue, "nccl"))
    return PlannedJob(
        job.id, job.title, "nccl-tests", job.nodes, job.queue, job.instance_type, job.time_limit_min, "", {},
        request=request,
    )  # fmt: skip


def scheduler(spec: Spec, account: Account, *, ssh: str | None, keep: bool, kubectl: KubectlOf) -> OnBatch:  # noqa: ARG001  there is no host, and nothing is kept
    """Return the job queues of a cluster."""
    return OnBatch(account, [job_queue(spec, queue.name) for queue in spec.queues])


@dataclass
class OnBatch:
    """AWS Batch. Its dependencies do not hold where a job fails, so each is submitted once the one before has ended."""

    account: Account
    queues: Sequence[str]
    """The names of the cluster's job queues."""
    mark: str = _MARK
    """How the names of its jobs begin."""
    every_s: float = 15.0
    one_by_one: bool = True
    lines_up: bool = True
    _order: dict[str, int] = field(default_factory=dict)
    """When jobs were made, by id."""

    @property
    def words(self) -> str:
        """Return which one it is."""
        return f"AWS Batch in {self.account.region}"

    def folder(self, token: str) -> str:
        """Return by which beginning of their names the jobs are found."""
        return f"{self.mark}-{token}-"

    def refuse_unfit(self, jobs: Sequence[PlannedJob]) -> None:
        """Refuse jobs whose image is missing in ECR: their nodes would start first, and be paid. Raises InputError.

        Jobs wait until there are nodes.
        """
        for name in dict.fromkeys(str(job.request["jobDefinition"]) for job in jobs if job.request is not None):
            definition = find_definition(self.account, name)
            for image in definition.images if definition is not None else ():
                if self._is_missing(image):
                    hint = "`trainyard batch image` builds it and pushes it; docs/batch.md has how"
                    raise InputError(f"its image {image} is not in its registry", where=name, hint=hint)

    def _is_missing(self, image: str) -> bool:
        try:
            return image_is_there(self.account, image) is False
        except NotAllowedError:
            return False

    def begun(self, folder: str) -> bool:
        """Return whether there is a job of the submission."""
        return bool(self._listed(folder))

    def submitted_before(self, folder: str, token: str) -> dict[str, str]:  # noqa: ARG002  the folder has it
        """Return the ids of a submission's jobs, by job: the last of each."""
        return {name: id_ for id_, name in self._listed(folder)}

    def is_newer(self, number: str, than: str) -> bool:
        """Return whether a job was made after another one. What is not listed any more is older."""
        return self._order.get(number, 0) > self._order.get(than, 0) and than in self._order

    def submit(self, folder: str, job: PlannedJob, token: str, after: str | None) -> str:  # noqa: ARG002  as begun() has it
        """Submit a job and return its id. Where it waits for another one, it fails with that one."""
        waits = {} if after is None else {"dependsOn": [{"jobId": after}]}
        name = f"{folder}{job.id}"
        if job.request is None or len(name) > _LONGEST_NAME:
            raise TrainyardError(
                f"{job.id} cannot be a job of AWS Batch", where=job.id, hint="shorten its queue's name"
            )
        number = batch_jobs.submit(self.account, {**job.request, "jobName": name, **waits})
        self._order[number] = max(self._order.values(), default=0) + 1
        return number

    def states(self, numbers: Sequence[str]) -> dict[str, JobState]:
        """Return how jobs are. Raises UnreachableError where that may be known the next time."""
        try:
            return {number: _state(batch_jobs.describe(self.account, number)) for number in numbers}
        except TrainyardError as error:
            if not batch_jobs.may_pass(error):
                raise
            raise UnreachableError(error.problem, where=error.where, hint=error.hint) from error

    def gather(self, id_: str, number: str, to: Path) -> None:
        """Leave the output where it is, which it stays."""

    def cancel(self, numbers: Sequence[str]) -> None:
        """End jobs, also those that wait."""
        for number in numbers:
            batch_jobs.terminate(self.account, number, "taken back by trainyard with --cancel")

    def fetch(self, folder: str, id_: str, number: str, to: Path) -> bool:  # noqa: ARG002  found by the number alone
        """Write the log of the main node's last attempt into a file, once it has arrived whole."""
        job = batch_jobs.describe(self.account, number)
        if job is None or not job.main.log_streams:
            return False
        stream = LogStreamReader(self.account, job.main.log_group, job.main.log_streams[-1])
        write_blocks(to, _lines(stream.rest(job.stopped_ms)))
        return True

    def newest_output(self, number: str) -> list[str]:
        """Return the last lines of the main node's log; none where it has not begun."""
        job = batch_jobs.describe(self.account, number)
        if job is None or not job.main.log_streams:
            return []
        pages = events(self.account, job.main.log_group, job.main.log_streams[-1], newest_first=True)
        return [event.message for event in next(pages, ())]

    def let_go(self, number: str, state: str, to: Path) -> None:
        """Leave everything: Batch forgets jobs by itself."""

    def _listed(self, beginning: str) -> list[tuple[str, str]]:
        """Return ids and names of jobs without their beginning, the oldest first."""
        listed_jobs = [
            listed_job for queue in self.queues for listed_job in batch_jobs.jobs_named(self.account, queue, beginning)
        ]
        self._order |= {listed_job.id: listed_job.created_ms for listed_job in listed_jobs}
        return [
            (listed_job.id, listed_job.name.removeprefix(beginning))
            for listed_job in sorted(listed_jobs, key=lambda listed_job: listed_job.created_ms)
        ]


def _lines(events: Iterable[LogEvent]) -> Iterator[bytes]:
    for event in events:
        yield f"{event.message}\n".encode("utf-8", "surrogatepass")


def _state(job: BatchJob | None) -> JobState:
    if job is None:
        return JobState(GONE)
    exit_code = "" if job.main.exit_code in (None, 0) else f"exit code {job.main.exit_code}"
    waits = job.status if _STATES.get(job.status) == "PENDING" else ""
    said = [word_or_quoted(reason) for reason in (job.reason, job.main.reason) if reason]
    reasons = dict.fromkeys(reason for reason in (waits, exit_code, *said) if reason)
    reason = "" if job.status in ("RUNNING", "SUCCEEDED") else ": ".join(reasons)
    return JobState(_STATES.get(job.status, job.status), reason)
