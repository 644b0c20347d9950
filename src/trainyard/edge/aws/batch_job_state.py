"""AWS Batch: jobs of a queue by their status, and what single jobs ask for, as far as one may look. Asks only.

Of a multi-node parallel job, the node of index 3 is the job ID#3, which is described as any other.
https://docs.aws.amazon.com/batch/latest/APIReference/API_ListJobs.html
https://docs.aws.amazon.com/batch/latest/APIReference/API_DescribeJobs.html
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import answer, client

MOST_DESCRIBED = 100
"""How many jobs one call describes."""
_A_PAGE = 100
_PLACES = {"VCPU": 0, "MEMORY": 1, "GPU": 2}


class Job(NamedTuple):
    """A job of a queue, in few words."""

    id: str
    name: str
    status: str
    reason: str
    nodes: int | None
    """How many nodes a multi-node parallel job has; None for a job in one container."""
    definition: str
    """The ARN of its job definition; empty where AWS does not say."""
    created_ms: int
    """In milliseconds since 1970, as are the others."""
    started_ms: int | None
    stopped_ms: int | None
    exit_status: int | None
    """Of the container of a job in one container; None where it has not ended."""


class Jobs(NamedTuple):
    """Some jobs."""

    jobs: tuple[Job, ...]
    whole: bool
    """False where there are more than were asked for."""


class NodeNeed(NamedTuple):
    """What a job asks for on each of some nodes."""

    nodes: str
    """Such as 0:3 or 0:; 0 for a job in one container."""
    vcpus: float
    memory_mib: int
    gpus: int
    instance_type: str | None
    image: str | None
    log_group: str | None
    """None for Batch's own, /aws/batch/job."""

    @property
    def first(self) -> int:
        """Return the index of the first of these nodes."""
        return int(self.nodes.partition(":")[0] or 0)

    @property
    def is_open(self) -> bool:
        """Return whether the range has no end, so that a job may have another number of nodes."""
        return self.nodes.endswith(":")


class ContainerEnd(NamedTuple):
    """How one attempt of a container ended, or that it has begun."""

    stream: str | None
    """Its log stream."""
    exit_status: int | None
    reason: str
    """What ECS says of the container."""
    task_reason: str
    """What Batch says of the attempt."""
    stopped_ms: int | None


class JobDetail(NamedTuple):
    """A job, or a node of one, as AWS describes it."""

    id: str
    name: str
    queue: str
    """The ARN of its job queue."""
    status: str
    reason: str
    nodes: int | None
    node: int | None
    """The index of the node, where it is one."""
    definition: str
    created_ms: int
    started_ms: int | None
    stopped_ms: int | None
    needs: tuple[NodeNeed, ...]
    ends: tuple[ContainerEnd, ...]
    """Former attempts first."""
    container_instance: str
    """What ECS calls the instance of its container; empty where it has none."""


def jobs_by_status(account: Account, queue: str, status: str, most: int) -> Jobs:
    """Return the jobs of a queue that are in a status such as RUNNABLE, no more than ``most``.

    Raises NotAllowedError, or TrainyardError where AWS does not answer.
    """
    return _listed(account, most, jobQueue=queue, jobStatus=status)


def latest_jobs(account: Account, queue: str, after_ms: int, most: int) -> Jobs:
    """Return the jobs of a queue that were submitted after a moment, the newest first, whatever became of them."""
    after = {"name": "AFTER_CREATED_AT", "values": [str(after_ms)]}
    return _listed(account, most, jobQueue=queue, filters=[after])


def described_jobs(account: Account, ids: Iterable[str]) -> tuple[JobDetail, ...]:
    """Return those of some jobs and nodes that Batch still knows: it forgets them a week or more after their end."""
    wanted = list(dict.fromkeys(ids))
    parts = [wanted[first : first + MOST_DESCRIBED] for first in range(0, len(wanted), MOST_DESCRIBED)]
    return tuple(one for part in parts for one in _described(account, part))


def _listed(account: Account, most: int, **asked: Any) -> Jobs:
    found: list[Job] = []
    token: dict[str, str] = {}
    while len(found) < most:
        call = partial(client(account, "batch").list_jobs, maxResults=_A_PAGE, **asked, **token)
        page = answer(account, "batch:ListJobs", call)
        found += map(_job, page["jobSummaryList"])
        if not page.get("nextToken"):
            return Jobs(tuple(found[:most]), len(found) <= most)
        token = {"nextToken": page["nextToken"]}
    return Jobs(tuple(found[:most]), whole=False)


def _job(summary: Mapping[str, Any]) -> Job:
    return Job(
        summary["jobId"],
        summary["jobName"],
        summary.get("status", ""),
        summary.get("statusReason", ""),
        summary.get("nodeProperties", {}).get("numNodes"),
        summary.get("jobDefinition", ""),
        summary.get("createdAt", 0),
        summary.get("startedAt"),
        summary.get("stoppedAt"),
        summary.get("container", {}).get("exitCode"),
    )


def _described(account: Account, ids: list[str]) -> tuple[JobDetail, ...]:
    call = partial(client(account, "batch").describe_jobs, jobs=ids)
    return tuple(map(_detail, answer(account, "batch:DescribeJobs", call)["jobs"]))


def _detail(described: Mapping[str, Any]) -> JobDetail:
    return JobDetail(
        described["jobId"],
        described["jobName"],
        described.get("jobQueue", ""),
        described.get("status", ""),
        described.get("statusReason", ""),
        described.get("nodeProperties", {}).get("numNodes"),
        described.get("nodeDetails", {}).get("nodeIndex"),
        described.get("jobDefinition", ""),
        described.get("createdAt", 0),
        described.get("startedAt"),
        described.get("stoppedAt"),
        tuple(node_needs(described, "container")),
        tuple(_ends(described)),
        described.get("container", {}).get("containerInstanceArn", ""),
    )


def node_needs(described: Mapping[str, Any], container: str) -> Iterator[NodeNeed]:
    """Yield what each kind of nodes asks for, of a job or a job definition that has its one container below a key."""
    for part in described.get("nodeProperties", {}).get("nodeRangeProperties", ()):
        yield _need(part.get("targetNodes", ""), part.get("container", {}))
    if "nodeProperties" not in described and container in described:
        yield _need("0", described[container])


def _need(nodes: str, container: Mapping[str, Any]) -> NodeNeed:
    """Return what a container asks for, in the new way of saying it or in the former one."""
    asked = [float(container.get("vcpus") or 0), float(container.get("memory") or 0), 0.0]
    for one in container.get("resourceRequirements", ()):
        asked[_PLACES[one["type"]]] = float(one["value"])
    options = container.get("logConfiguration", {}).get("options", {})
    return NodeNeed(
        nodes,
        asked[0],
        int(asked[1]),
        int(asked[2]),
        container.get("instanceType"),
        container.get("image"),
        options.get("awslogs-group"),
    )


def _ends(described: Mapping[str, Any]) -> Iterator[ContainerEnd]:
    attempts = described.get("attempts", ())
    for one in attempts:
        container = one.get("container", {})
        said = (container.get("logStreamName"), container.get("exitCode"), container.get("reason", ""))
        yield ContainerEnd(*said, one.get("statusReason", ""), one.get("stoppedAt"))
    container = described.get("container", {})
    stream = container.get("logStreamName")
    if stream and stream not in [one.get("container", {}).get("logStreamName") for one in attempts]:
        yield ContainerEnd(
            stream, container.get("exitCode"), container.get("reason", ""), "", described.get("stoppedAt")
        )
