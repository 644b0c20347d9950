"""Jobs of AWS Batch: submitted, described with the node that matters, and terminated.

The main node of a multi-node job is a job of its own, ID#INDEX, which has the container, its log and its exit code.
https://docs.aws.amazon.com/batch/latest/userguide/multi-node-parallel-jobs.html
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from botocore.exceptions import BotoCoreError

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import call
from trainyard.edge.aws.errors import TRANSIENT, code
from trainyard.errors import TrainyardError

# https://docs.aws.amazon.com/batch/latest/APIReference/API_JobDetail.html
ENDED = ("SUCCEEDED", "FAILED")
_DEFAULT_GROUP = "/aws/batch/job"
_MOST_PAGES = 50  # of up to 100 jobs


class MainNode(NamedTuple):
    """The container of a job's main node."""

    exit_code: int | None = None
    reason: str = ""
    """What ECS says of the container, such as OutOfMemoryError."""
    log_group: str = _DEFAULT_GROUP
    log_streams: tuple[str, ...] = ()
    """One for each attempt, the first first."""


class BatchJob(NamedTuple):
    """A job as AWS Batch describes it."""

    id: str
    name: str
    status: str
    reason: str
    """Why it is in this state, in Batch's words; empty where it says none."""
    queue: str
    """The ARN of its job queue."""
    definition: str
    """The ARN of its job definition."""
    nodes: int
    attempt: int
    """Counted from 1."""
    attempts: int
    """How often it is tried at most."""
    main: MainNode
    stopped_ms: int | None
    """When it ended, in milliseconds since 1970."""

    @property
    def ended(self) -> bool:
        """Return whether nothing more comes of it."""
        return self.status in ENDED


class ListedJob(NamedTuple):
    """A job in a list."""

    id: str
    name: str
    created_ms: int


def submit(account: Account, parameters: dict[str, Any]) -> str:
    """Submit a job and return its id. Raises TrainyardError where AWS refuses it."""
    return str(call(account, "batch", "submit_job", **parameters)["jobId"])


def describe(account: Account, id_: str, main_node: int = 0) -> BatchJob | None:
    """Return a job with its main node, None where Batch knows none: it forgets them some days after their end."""
    node_id = f"{id_}#{main_node}"
    answer = call(account, "batch", "describe_jobs", jobs=[id_, node_id])
    jobs = {job["jobId"]: job for job in answer.get("jobs", ())}
    whole = jobs.get(id_)
    if whole is None:
        return None
    index = whole.get("nodeProperties", {}).get("mainNode", main_node)
    if index != main_node:
        return describe(account, id_, index)
    return _job(whole, jobs.get(node_id, whole))


def terminate(account: Account, id_: str, reason: str) -> None:
    """End a job, also one that waits or runs. One that has ended stays as it is."""
    call(account, "batch", "terminate_job", jobId=id_, reason=reason)


def jobs_named(account: Account, queue: str, beginning: str) -> tuple[ListedJob, ...]:
    """Return the jobs of a queue whose names begin so, whatever their state."""
    request: dict[str, Any] = {"jobQueue": queue, "filters": [{"name": "JOB_NAME", "values": [f"{beginning}*"]}]}
    jobs: list[ListedJob] = []
    token: dict[str, str] = {}
    for _ in range(_MOST_PAGES):
        page = call(account, "batch", "list_jobs", **request, **token)
        jobs += [_listed(job) for job in page.get("jobSummaryList", ())]
        if not page.get("nextToken"):
            break
        token = {"nextToken": page["nextToken"]}
    # The filter does not tell capital letters from small ones.
    return tuple(job for job in jobs if job.name.startswith(beginning))


def may_pass(error: TrainyardError) -> bool:
    """Return whether what a call has ended with may be over the next time: a network that went away, for instance."""
    cause = error.__cause__
    return isinstance(cause, BotoCoreError) or (cause is not None and code(cause) in TRANSIENT)


def _listed(described: dict[str, Any]) -> ListedJob:
    return ListedJob(described["jobId"], described["jobName"], int(described.get("createdAt", 0)))


def _job(whole: dict[str, Any], main: dict[str, Any]) -> BatchJob:
    # The attempts of the whole job are those of its main node.
    tried = main.get("attempts") or whole.get("attempts") or []
    properties = whole.get("nodeProperties", {})
    ended = whole["status"] in ENDED
    return BatchJob(
        whole["jobId"],
        whole["jobName"],
        whole["status"],
        " ".join(str(whole.get("statusReason") or "").split()),
        whole["jobQueue"],
        whole["jobDefinition"],
        int(properties.get("numNodes", 1)),
        max(len(tried) + (not ended), 1),
        int(whole.get("retryStrategy", {}).get("attempts", 1)),
        _main_node(main.get("container", {}), tried, properties),
        whole.get("stoppedAt"),
    )


def _main_node(container: dict[str, Any], tried: Sequence[dict[str, Any]], properties: dict[str, Any]) -> MainNode:
    of_attempts = [attempt.get("container", {}) for attempt in tried]
    streams = [attempt.get("logStreamName") for attempt in (*of_attempts, container)]
    last = next(
        (attempt for attempt in (container, *reversed(of_attempts)) if attempt.get("exitCode") is not None), container
    )
    reason = container.get("reason") or next(
        (of_attempt["reason"] for of_attempt in of_attempts[-1:] if of_attempt.get("reason")), ""
    )
    return MainNode(
        last.get("exitCode"),
        " ".join(str(reason).split()),
        _log_group(container, properties),
        tuple(dict.fromkeys(stream for stream in streams if stream)),
    )


def _log_group(container: dict[str, Any], properties: dict[str, Any]) -> str:
    ranges = [property_.get("container", {}) for property_ in properties.get("nodeRangeProperties", ())]
    groups = (part.get("logConfiguration", {}).get("options", {}).get("awslogs-group") for part in (container, *ranges))
    return next((group for group in groups if group), _DEFAULT_GROUP)
