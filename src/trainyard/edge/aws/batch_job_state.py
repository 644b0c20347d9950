"""AWS Batch: jobs of a queue by their status, what single jobs ask for, and their definitions. Asks only.

Of a multi-node parallel job, the node of index 3 is the job ID#3, which is described as any other.
https://docs.aws.amazon.com/batch/latest/APIReference/API_ListJobs.html
https://docs.aws.amazon.com/batch/latest/APIReference/API_DescribeJobs.html
https://docs.aws.amazon.com/batch/latest/APIReference/API_DescribeJobDefinitions.html
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import call, pages, parts

MOST_DESCRIBED = 100
"""How many jobs one call describes."""
_A_PAGE = 100
_PLACES = {"VCPU": 0, "MEMORY": 1, "GPU": 2}

BATCH_LOG_GROUP = "/aws/batch/job"
"""Where containers log to that name no group: https://docs.aws.amazon.com/batch/latest/userguide/using_awslogs.html"""


class QueueJob(NamedTuple):
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
    stopped_ms: int | None
    exit_status: int | None
    """Of the container of a job in one container; None where it has not ended."""


class QueueJobs(NamedTuple):
    """Some jobs."""

    jobs: tuple[QueueJob, ...]
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
    stopped_ms: int | None
    needs: tuple[NodeNeed, ...]
    ends: tuple[ContainerEnd, ...]
    """Former attempts first."""
    container_instance: str
    """What ECS calls the instance of its container; empty where it has none."""


class JobDefinition(NamedTuple):
    """A revision of a job definition."""

    arn: str
    name: str
    revision: int
    type: str
    """multinode, or container for jobs of one."""
    nodes: int
    main_node: int
    needs: tuple[NodeNeed, ...]
    """What its nodes ask for, one for each range of them."""

    @property
    def instance_type(self) -> str | None:
        """Return the type of its nodes, where it names one."""
        return next((need.instance_type for need in self.needs if need.instance_type), None)

    @property
    def images(self) -> tuple[str, ...]:
        """Return the images of its containers, each once."""
        return tuple(dict.fromkeys(need.image for need in self.needs if need.image))

    @property
    def log_groups(self) -> tuple[str, ...]:
        """Return where its containers log to, each once."""
        return tuple(dict.fromkeys(need.log_group or BATCH_LOG_GROUP for need in self.needs))


def jobs_by_status(account: Account, queue: str, status: str, most: int) -> QueueJobs:
    """Return the jobs of a queue that are in a status such as RUNNABLE, no more than ``most``.

    Raises NotAllowedError, or TrainyardError where AWS does not answer.
    """
    return _listed(account, most, jobQueue=queue, jobStatus=status)


def latest_jobs(account: Account, queue: str, after_ms: int, most: int) -> QueueJobs:
    """Return the jobs of a queue that were submitted after a moment, the newest first, whatever became of them."""
    after = {"name": "AFTER_CREATED_AT", "values": [str(after_ms)]}
    return _listed(account, most, jobQueue=queue, filters=[after])


def described_jobs(account: Account, ids: Iterable[str]) -> tuple[JobDetail, ...]:
    """Return those of some jobs and nodes that Batch still knows: it forgets them a week or more after their end."""
    answers = (
        call(account, "batch", "describe_jobs", jobs=list(part))
        for part in parts(list(dict.fromkeys(ids)), MOST_DESCRIBED)
    )
    return tuple(_detail(job) for answer in answers for job in answer["jobs"])


def find_definition(account: Account, name: str) -> JobDefinition | None:
    """Return a definition by ARN, by NAME:REVISION, or the latest active one of a name; None where there is none."""
    place: dict[str, Any] = {"jobDefinitionName": name, "status": "ACTIVE", "maxResults": 100}
    if name.startswith("arn:") or ":" in name:
        place = {"jobDefinitions": [name]}
    described = call(account, "batch", "describe_job_definitions", **place).get("jobDefinitions", ())
    active = [definition for definition in described if definition.get("status", "ACTIVE") == "ACTIVE"]
    return max(map(_definition, active), key=lambda definition: definition.revision, default=None)


def definitions(account: Account, arns: Iterable[str]) -> tuple[JobDefinition, ...]:
    """Return those of some definitions that are there, by their ARNs.

    Raises NotAllowedError, or TrainyardError where AWS does not answer.
    """
    named = list(dict.fromkeys(arns))
    operation, key = "describe_job_definitions", "jobDefinitions"
    return tuple(map(_definition, pages(account, "batch", operation, key, jobDefinitions=named))) if named else ()


def definition_names(account: Account, beginning: str) -> tuple[str, ...]:
    """Return the names of the account's active definitions that begin so."""
    listed = pages(account, "batch", "describe_job_definitions", "jobDefinitions", status="ACTIVE")
    names = {definition["jobDefinitionName"] for definition in listed}
    return tuple(sorted(name for name in names if name.startswith(beginning)))


def _listed(account: Account, most: int, **request: Any) -> QueueJobs:
    jobs: list[QueueJob] = []
    token: dict[str, str] = {}
    while len(jobs) < most:
        page = call(account, "batch", "list_jobs", maxResults=_A_PAGE, **request, **token)
        jobs += map(_job, page["jobSummaryList"])
        if not page.get("nextToken"):
            return QueueJobs(tuple(jobs[:most]), len(jobs) <= most)
        token = {"nextToken": page["nextToken"]}
    return QueueJobs(tuple(jobs[:most]), whole=False)


def _job(summary: Mapping[str, Any]) -> QueueJob:
    return QueueJob(
        summary["jobId"],
        summary["jobName"],
        summary.get("status", ""),
        summary.get("statusReason", ""),
        summary.get("nodeProperties", {}).get("numNodes"),
        summary.get("jobDefinition", ""),
        summary.get("createdAt", 0),
        summary.get("stoppedAt"),
        summary.get("container", {}).get("exitCode"),
    )


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
    resources = [float(container.get("vcpus") or 0), float(container.get("memory") or 0), 0.0]
    for resource_requirement in container.get("resourceRequirements", ()):
        resources[_PLACES[resource_requirement["type"]]] = float(resource_requirement["value"])
    options = container.get("logConfiguration", {}).get("options", {})
    return NodeNeed(
        nodes,
        resources[0],
        int(resources[1]),
        int(resources[2]),
        container.get("instanceType"),
        container.get("image"),
        options.get("awslogs-group"),
    )


def _ends(described: Mapping[str, Any]) -> Iterator[ContainerEnd]:
    attempts = described.get("attempts", ())
    for attempt in attempts:
        container = attempt.get("container", {})
        ending = (container.get("logStreamName"), container.get("exitCode"), container.get("reason", ""))
        yield ContainerEnd(*ending, attempt.get("statusReason", ""), attempt.get("stoppedAt"))
    container = described.get("container", {})
    stream = container.get("logStreamName")
    if stream and stream not in [attempt.get("container", {}).get("logStreamName") for attempt in attempts]:
        yield ContainerEnd(
            stream, container.get("exitCode"), container.get("reason", ""), "", described.get("stoppedAt")
        )


def _definition(described: Mapping[str, Any]) -> JobDefinition:
    properties = described.get("nodeProperties", {})
    return JobDefinition(
        described["jobDefinitionArn"],
        described["jobDefinitionName"],
        int(described["revision"]),
        described.get("type", ""),
        int(properties.get("numNodes", 1)),
        int(properties.get("mainNode", 0)),
        tuple(node_needs(described, "containerProperties")),
    )
