"""What nodes of an emulated cluster write when something breaks down, without an account; and what is made of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from botocore.exceptions import ClientError

from trainyard.api.diagnose import diagnose_files
from trainyard.diagnose.diagnosis import Diagnosis
from trainyard.rehearsal.emulated import faults
from trainyard.rehearsal.emulated.breakdown import breakdowns
from trainyard.rehearsal.emulated.node_boot import NodeBoot
from trainyard.rehearsal.emulated.planted_refusals import launch_refusal, refuse_planted
from trainyard.rehearsal.emulated.resource import LogicalResource, ResourceError
from trainyard.rehearsal.emulated.static_nodes import SlurmCluster

# What a diagnosis has to find, of everything that is written.
CAUSES = {
    "accounting-database": "slurm-database-unreachable",
    "action-forbidden": "custom-action-download-failed",
    "bootstrap-step": "trainyard-step-failed",
    "fabric-manager": "fabric-manager-version-mismatch",
    "file-system-refused": "fsx-security-group-ports",
    "lustre-kernel": "lustre-client-kernel-mismatch",
    "lustre-unreachable": "lustre-mount-unreachable",
    "no-capacity": "ec2-insufficient-capacity",
    "no-route": "compute-no-route-to-aws-endpoints",
    "reservation-ended": "capacity-reservation-expired",
    "role-not-allowed": "iam-permission-missing",
    "vcpu-limit": "ec2-vcpu-quota-exceeded",
}
# What happens to clusters of EKS alone: tests/platforms/eks/rehearsal/test_rehearsals.py has what is made of it.
OF_EKS = {"image-not-pulled", "kubernetes-api-unreachable"}
CONFIG: dict[str, Any] = {
    "HeadNode": {"CustomActions": {"OnNodeConfigured": {"Script": "s3://tools/setup.sh"}}},
    "Scheduling": {"SlurmQueues": [{"Name": "gpu", "ComputeResources": [{"Name": "p5", "MinCount": 2}]}]},
    "SharedStorage": [{"FsxLustreSettings": {"FileSystemId": "fs-0a1b2c3d4e5f60718"}}],
}
HEAD = {"InstanceId": "i-0aaa", "PrivateIpAddress": "10.0.0.5", "PrivateDnsName": "ip-10-0-0-5.ec2.internal"}
NODES = [
    {"InstanceId": f"i-0bb{n}", "PrivateIpAddress": f"10.1.0.{n}", "PrivateDnsName": f"ip-10-1-0-{n}.ec2.internal"}
    for n in (1, 2)
]


class AccountWithNodes:
    """Has the instances of a cluster and a log group, and keeps what is written there."""

    account_id, region = "123456789012", "us-east-2"

    def __init__(self, *instances: dict[str, Any]) -> None:
        self.instances = list(instances)
        self.streams: dict[str, list[dict[str, Any]]] = {}
        self.exceptions = SimpleNamespace(ResourceAlreadyExistsException=KeyError)

    def client(self, _service: str) -> AccountWithNodes:
        return self

    def get_paginator(self, _operation: str) -> Any:
        return SimpleNamespace(paginate=lambda **_: [{"Reservations": [{"Instances": self.instances}]}])

    def terminate_instances(self, InstanceIds: list[str]) -> None:  # noqa: N803  the API's own
        self.instances = [instance for instance in self.instances if instance["InstanceId"] not in InstanceIds]

    def create_log_stream(self, **_: Any) -> None:
        pass

    def put_log_events(self, *, logStreamName: str, logEvents: list[dict[str, Any]], **_: Any) -> None:  # noqa: N803
        self.streams.setdefault(logStreamName, []).extend(logEvents)


@pytest.fixture(autouse=True)
def nothing_planted() -> Iterator[None]:
    yield
    faults.plant({})


def told_by(name: str | None) -> tuple[AccountWithNodes, str]:
    """Let a cluster come up with a breakdown; return the account, and why its stack fails."""
    faults.plant({"breakdown": name})
    strikes = breakdowns()[name].strikes if name else ""
    aws = AccountWithNodes(*(NODES if strikes in ("", "nodes") else ()))
    up = NodeBoot(aws, SlurmCluster("llm", CONFIG, "/aws/parallelcluster/llm-202611210000", {}), HEAD)
    up.begin()
    try:
        up.fail_head_node()
        if refusal := launch_refusal("p5.48xlarge", "us-east-2a", {}):
            error: Any = {"Error": {"Code": refusal[0], "Message": refusal[1]}}
            up.refused(ClientError(error, "RunInstances"))
            return aws, "WaitCondition timed out. Received 0 conditions when expecting 1"
        if up.fail_nodes(being_made=True):
            raise up.signal_of_nodes()
    except ResourceError as reason:
        return aws, str(reason)
    up.end_well()
    return aws, ""


def diagnosed(aws: AccountWithNodes, reason: str, folder: Path) -> Diagnosis:
    logs = folder / "logs"
    logs.mkdir()
    last = max(event["timestamp"] for events in aws.streams.values() for event in events)
    for stream, events in aws.streams.items():
        (logs / stream).write_text("".join(f"{at(event['timestamp'])} {event['message']}\n" for event in events))
    if reason:
        (logs / "llm-cfn-events").write_text(json.dumps([[failed(reason, at(last + 1))]], indent=2))
    return diagnose_files(str(logs))


def at(time_ms: int) -> str:
    import datetime as dt  # noqa: PLC0415

    found = dt.datetime.fromtimestamp(time_ms / 1000, dt.UTC)
    return found.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def failed(reason: str, when: str) -> dict[str, str]:
    return {
        "StackId": "arn:aws:cloudformation:us-east-2:123456789012:stack/llm/0a1b",
        "EventId": "e",
        "StackName": "llm",
        "LogicalResourceId": "HeadNodeWaitCondition20261121000000",
        "ResourceType": "AWS::CloudFormation::WaitCondition",
        "Timestamp": when,
        "ResourceStatus": "CREATE_FAILED",
        "ResourceStatusReason": reason,
    }


def of(*struck: str) -> list[str]:
    return [name for name, one in breakdowns().items() if one.strikes in struck]


def test_every_breakdown_has_a_cause():
    assert set(CAUSES) == set(breakdowns()) - OF_EKS


@pytest.mark.parametrize("name", of("head", "nodes", "launch"))
def test_what_nodes_write_of_a_breakdown_is_diagnosed(name: str, tmp_path: Path):
    found = diagnosed(*told_by(name), tmp_path)
    assert [cause.cause.id for cause in found.causes][:1] == [CAUSES[name]], [cause.cause.id for cause in found.causes]


def test_what_healthy_nodes_write_is_nothing_to_diagnose(tmp_path: Path):
    found = diagnosed(*told_by(None), tmp_path)
    assert [cause.cause.id for cause in found.causes] == []


@pytest.mark.parametrize("name", of("head", "nodes", "launch"))
def test_no_template_is_left_with_a_word_unfilled(name: str):
    aws, reason = told_by(name)
    said = [event["message"] for events in aws.streams.values() for event in events]
    assert [one for one in (*said, reason) if "$" in one] == []


@pytest.mark.parametrize("name", of("nodes"))
def test_nodes_that_fail_are_gone(name: str):
    aws, reason = told_by(name)
    assert aws.instances == []
    assert "PROTECTED mode" in reason


def test_nodes_without_a_way_out_have_no_streams():
    aws, _ = told_by("no-route")
    assert {stream.split(".")[0] for stream in aws.streams} == {"ip-10-0-0-5"}
    console = aws.streams["ip-10-0-0-5.i-0aaa.compute_console_output"]
    assert len(console) == len(NODES)
    assert "i-0bb1" in console[0]["message"]


@pytest.mark.parametrize("name", of("resource"))
def test_a_resource_is_refused_and_others_are_not(name: str):
    faults.plant({"breakdown": name})
    with pytest.raises(ResourceError, match=r"not authorized to perform|cannot be created"):
        refuse_planted(wanted(breakdowns()[name].resource), "123456789012")
    refuse_planted(wanted("AWS::EC2::VPC"), "123456789012")


def wanted(kind: str) -> LogicalResource:
    return LogicalResource(
        "One", kind, {}, "llm-One-1", "llm", "arn:aws:cloudformation:us-east-2:123456789012:stack/llm/0a1b"
    )
