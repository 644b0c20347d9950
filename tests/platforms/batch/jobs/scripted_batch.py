"""An AWS Batch that goes through a script, in the memory of this process: each look at a job is its next step.

Whatever it is asked is held against botocore's model of the API, with its enums and patterns. CloudFormation,
CloudWatch Logs and ECR beside it are moto's.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from io import BytesIO
from typing import Any

from botocore.awsrequest import AWSResponse
from botocore.handlers import BUILTIN_HANDLERS

from tests.edge.aws.in_memory import account_in_memory
from tests.platforms.batch.rendering.api_model import problems
from trainyard.edge.aws.account import Account
from trainyard.platforms.batch.rendering.names import OUTPUTS

_OPERATIONS = {
    name.lower(): name
    for name in ("SubmitJob", "DescribeJobs", "TerminateJob", "ListJobs", "DescribeJobDefinitions",
                 "DescribeComputeEnvironments")
}  # fmt: skip
ARN = "arn:aws:batch:us-east-2:123456789012"
GROUP = "lab-jobs"


@cache
def _objections(operation: str, body: bytes) -> list[str]:
    return problems("batch", operation, json.loads(body))


@dataclass
class Step:
    """How a job is at one look, and what its main node says before that."""

    status: str
    reason: str = ""
    exit_code: int | None = None
    container_reason: str = ""
    says: tuple[str, ...] = ()
    stream: str = "nccl/default/1"
    former: tuple[dict[str, Any], ...] = ()
    """Attempts that are over."""
    stopped_ms: int | None = None
    fails: str | None = None
    """The code that this look is answered with instead."""


class RefusedError(Exception):
    """An answer that is an error."""


@dataclass
class ScriptedBatch:
    """What it has, and what it was asked."""

    account: Account | None = None
    steps: list[Step] = field(default_factory=lambda: [Step("SUCCEEDED", exit_code=0)])
    of_jobs: dict[str, list[Step]] = field(default_factory=dict)
    """Steps of single jobs, by the ends of their names; each look takes the first away, and the last stays."""
    submitted: list[dict[str, Any]] = field(default_factory=list)
    terminated: list[dict[str, Any]] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    looks: int = 0
    refuses: dict[str, str] = field(default_factory=dict)
    """Codes by operation."""
    definitions: list[dict[str, Any]] = field(default_factory=list)
    most_vcpus: int = 768
    queue: str = "lab-training"
    names: list[tuple[str, str, int]] = field(default_factory=list)
    """Id, name and time of jobs that are listed."""

    def __call__(self, request: Any, **_: Any) -> AWSResponse | None:
        """Answer a request to Batch; leave others alone."""
        host, _, path = request.url.partition("://")[2].partition("/")
        if not host.startswith("batch."):
            return None
        operation = _OPERATIONS[path.split("/")[-1]]
        asked = json.loads(request.body)
        assert _objections(operation, request.body) == []
        self.asked.append(operation)
        try:
            self._refuse(operation)
            content, status, headers = getattr(self, f"_{operation}")(asked), 200, {}
        except RefusedError as error:
            content, status, headers = {"message": "said by the stand-in"}, 400, {"x-amzn-ErrorType": str(error)}
        return AWSResponse(request.url, status, headers, _Body(json.dumps(content).encode()))

    def _refuse(self, operation: str) -> None:
        if operation in self.refuses:
            raise RefusedError(self.refuses[operation])

    def _SubmitJob(self, asked: dict[str, Any]) -> dict[str, Any]:  # noqa: N802  named after the operation
        self.submitted.append(asked)
        id_ = f"{len(self.submitted):08d}-1111-2222-3333-444444444444"
        self.names.append((id_, asked["jobName"], 1000 + len(self.names)))
        return {"jobArn": f"{ARN}:job/{id_}", "jobId": id_, "jobName": asked["jobName"]}

    def _DescribeJobs(self, asked: dict[str, Any]) -> dict[str, Any]:  # noqa: N802
        known = {id_: name for id_, name, _ in self.names}
        id_, node = asked["jobs"]
        assert node == f"{id_}#0"
        if id_ not in known:
            return {"jobs": []}
        step = self._step(known[id_])
        if step.fails is not None:
            raise RefusedError(step.fails)
        self._say(step)
        return {"jobs": [self._whole(id_, known[id_], step), self._main(id_, known[id_], step)]}

    def _step(self, name: str) -> Step:
        own = next((steps for end, steps in self.of_jobs.items() if name.endswith(end)), None)
        if own is not None:
            return own.pop(0) if len(own) > 1 else own[0]
        self.looks += 1
        return self.steps[min(self.looks, len(self.steps)) - 1]

    def _whole(self, id_: str, name: str, step: Step) -> dict[str, Any]:
        ranges = [{"targetNodes": "0:", "container": _container(GROUP)}]
        return {
            "jobId": id_, "jobName": name, "jobQueue": f"{ARN}:job-queue/{self.queue}", "status": step.status,
            "statusReason": step.reason, "jobDefinition": f"{ARN}:job-definition/lab-training-nccl:3",
            "startedAt": 0, "retryStrategy": {"attempts": 1 + len(step.former)},
            **({} if step.stopped_ms is None else {"stoppedAt": step.stopped_ms}),
            "nodeProperties": {"numNodes": 2, "mainNode": 0, "nodeRangeProperties": ranges},
        }  # fmt: skip

    def _main(self, id_: str, name: str, step: Step) -> dict[str, Any]:
        container: dict[str, Any] = _container(GROUP)
        if step.stream and step.status not in ("SUBMITTED", "PENDING", "RUNNABLE"):
            container["logStreamName"] = step.stream
        if step.exit_code is not None:
            container["exitCode"] = step.exit_code
        if step.container_reason:
            container["reason"] = step.container_reason
        ended = step.status in ("SUCCEEDED", "FAILED")
        last = {name: container[name] for name in ("exitCode", "reason", "logStreamName") if name in container}
        return {
            "jobId": f"{id_}#0", "jobName": name, "jobQueue": f"{ARN}:job-queue/{self.queue}", "status": step.status,
            "jobDefinition": f"{ARN}:job-definition/lab-training-nccl:3", "startedAt": 0, "container": container,
            "attempts": [*step.former, *([{"container": last}] if ended else [])],
            "nodeDetails": {"nodeIndex": 0, "isMainNode": True},
        }  # fmt: skip

    def _say(self, step: Step) -> None:
        if not step.says or self.account is None:
            return
        logs = self.account.client("logs")
        if not logs.describe_log_streams(logGroupName=GROUP, logStreamNamePrefix=step.stream)["logStreams"]:
            logs.create_log_stream(logGroupName=GROUP, logStreamName=step.stream)
        at = int(time.time() * 1000)
        events = [{"timestamp": at, "message": line} for line in step.says]
        logs.put_log_events(logGroupName=GROUP, logStreamName=step.stream, logEvents=events)

    def _TerminateJob(self, asked: dict[str, Any]) -> dict[str, Any]:  # noqa: N802
        self.terminated.append(asked)
        return {}

    def _ListJobs(self, asked: dict[str, Any]) -> dict[str, Any]:  # noqa: N802
        (filter_,) = asked["filters"]
        assert filter_["name"] == "JOB_NAME"
        beginning = filter_["values"][0].removesuffix("*").lower()
        listed = [name for name in self.names if name[1].lower().startswith(beginning)]
        first = int(asked.get("nextToken", "0"))
        more = {"nextToken": str(first + 2)} if first + 2 < len(listed) else {}
        page = [{"jobId": id_, "jobName": name, "createdAt": at} for id_, name, at in listed[first : first + 2]]
        return {"jobSummaryList": page, **more}

    def _DescribeJobDefinitions(self, asked: dict[str, Any]) -> dict[str, Any]:  # noqa: N802
        names = asked.get("jobDefinitions")
        found = [
            one
            for one in self.definitions
            if (
                names is None or {one["jobDefinitionArn"], f"{one['jobDefinitionName']}:{one['revision']}"} & set(names)
            )
            and asked.get("jobDefinitionName") in (None, one["jobDefinitionName"])
        ]
        return {"jobDefinitions": found}

    def _DescribeComputeEnvironments(self, asked: dict[str, Any]) -> dict[str, Any]:  # noqa: N802
        (name,) = asked["computeEnvironments"]
        return {
            "computeEnvironments": [
                {
                    "computeEnvironmentName": name.rpartition("/")[2], "computeEnvironmentArn": name,
                    "computeResources": {"type": "EC2", "maxvCpus": self.most_vcpus, "subnets": []},
                }
            ]
        }  # fmt: skip


class _Body(BytesIO):
    def stream(self, **_: Any) -> Iterator[bytes]:
        yield self.read()


def _container(group: str) -> dict[str, Any]:
    return {"logConfiguration": {"logDriver": "awslogs", "options": {"awslogs-group": group}}}


def definition(
    name: str, revision: int = 3, *, ranges: tuple[str, ...] = ("0:",), type_: str = "multinode", main_node: int = 0
) -> dict[str, Any]:
    """Return a definition as Batch describes it, with nodes of 96 vCPUs."""
    container = {
        "image": "stress-ng", "instanceType": "p4d.24xlarge",
        "resourceRequirements": [{"type": "VCPU", "value": "96"}, {"type": "MEMORY", "value": "1000"}],
    }  # fmt: skip
    properties = {
        "numNodes": 2, "mainNode": main_node,
        "nodeRangeProperties": [{"targetNodes": target, "container": container} for target in ranges],
    }  # fmt: skip
    return {
        "jobDefinitionName": name, "jobDefinitionArn": f"{ARN}:job-definition/{name}:{revision}", "revision": revision,
        "status": "ACTIVE", "type": type_, **({"nodeProperties": properties} if type_ == "multinode" else {}),
    }  # fmt: skip


def outputs(queue: str, number: str = "") -> dict[str, str]:
    """Return the outputs of batch.yaml for one queue."""
    endings = {"stress-ng": "stress", "nccl": "nccl", "torchrun": "torchrun"}
    return {
        f"JobQueue{number}": f"{ARN}:job-queue/lab-{queue}",
        f"ComputeEnvironment{number}": f"{ARN}:compute-environment/lab-{queue}-abc",
        **{
            f"{output}{number}": f"{ARN}:job-definition/lab-{queue}-{endings[kind]}:3"
            for kind, output in OUTPUTS.items()
        },
    }


def make_stack(
    account: Account, values: dict[str, str], name: str = "lab-batch", repository: str = "lab-images"
) -> None:
    """Make the stack of a cluster, with a registry that is there."""
    template = {
        "Resources": {
            "Repository": {"Type": "AWS::ECR::Repository", "Properties": {"RepositoryName": repository}},
        },
        "Outputs": {
            "ECRRepository": {"Value": {"Ref": "Repository"}},
            "ECRRepositoryUrl": {"Value": "123456789012.dkr.ecr.us-east-2.amazonaws.com/lab-images"},
            "LogGroup": {"Value": GROUP},
            **{key: {"Value": value} for key, value in values.items()},
        },
    }
    account.client("cloudformation").create_stack(StackName=name, TemplateBody=json.dumps(template))


@contextmanager
def scripted_batch() -> Iterator[ScriptedBatch]:
    """Hand out a Batch whose jobs write into a log group."""
    batch = ScriptedBatch()
    with account_in_memory() as account:
        batch.account = account
        # This account's client may be one of an account before; those that commands make are new.
        account.client("batch").meta.events.register_first("before-send", batch)
        account.client("logs").create_log_group(logGroupName=GROUP)
        BUILTIN_HANDLERS.insert(0, ("before-send", batch))
        try:
            yield batch
        finally:
            BUILTIN_HANDLERS.remove(("before-send", batch))


@contextmanager
def scripted_cluster() -> Iterator[ScriptedBatch]:
    """Hand out a Batch with the cluster lab, which has the queues training and small."""
    with scripted_batch() as batch:
        assert batch.account is not None
        make_stack(batch.account, {**outputs("training"), **outputs("small", "2")})
        for queue in ("training", "small"):
            batch.definitions += [definition(f"lab-{queue}-{kind}") for kind in ("stress", "nccl", "torchrun")]
        yield batch
