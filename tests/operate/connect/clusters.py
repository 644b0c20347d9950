"""Clusters as EC2, CloudFormation and Systems Manager describe them, without sockets."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.deploy.preflights.recorded import RecordedAccount, Refusal, listing

HEAD = "i-0aaaaaaaaaaaaaaaa"
FIRST, SECOND = "i-0bbbbbbbbbbbbbbb1", "i-0bbbbbbbbbbbbbbb2"
LOGIN = "i-0cccccccccccccccc"
MONITORING = "i-0dddddddddddddddd"
STRANGER = "i-0eeeeeeeeeeeeeeee"
_BEGINNING = datetime(2026, 11, 21, tzinfo=UTC)


def instance(  # noqa: PLR0913  one for each thing that tests differ in
    id_: str, role: str | None, address: str, *, state: str = "running", os: str = "ubuntu2204", age_h: int = 1,
    public: str | None = None, key_pair: str | None = "ml-key", tags: Mapping[str, str] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Return an instance as EC2 describes it, with the tags that ParallelCluster gives."""
    of_cluster = {
        "parallelcluster:cluster-name": "lab",
        "parallelcluster:node-type": role or "",
        "parallelcluster:attributes": f"{os}, slurm, 3.16.1, x86_64",
    }
    all_tags = (of_cluster if role else {}) | dict(tags or {})
    return {
        "InstanceId": id_,
        "State": {"Name": state, "Code": 16},
        "InstanceType": "m5.large",
        "Placement": {"AvailabilityZone": "us-east-2a"},
        "PrivateIpAddress": address,
        "PrivateDnsName": f"ip-{address.replace('.', '-')}.us-east-2.compute.internal",
        **({"PublicIpAddress": public} if public else {}),
        **({"KeyName": key_pair} if key_pair else {}),
        "LaunchTime": _BEGINNING - timedelta(hours=age_h),
        "Tags": [{"Key": key, "Value": value} for key, value in all_tags.items()],
    }


NODES = (
    instance(HEAD, "HeadNode", "10.0.0.5"),
    instance(FIRST, "Compute", "10.0.16.1"),
    instance(SECOND, "Compute", "10.0.16.2"),
    instance(LOGIN, "LoginNode", "10.0.0.9", public="203.0.113.9"),
)
MONITORED = instance(
    MONITORING, None, "10.0.0.20", tags={"trainyard:cluster": "lab", "Name": "lab-monitoring"}, key_pair=None
)
ELSEWHERE = instance(STRANGER, None, "10.9.9.9", tags={"Name": "Grafana of somebody"})


def stack(name: str, outputs: Mapping[str, str], tags: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return a stack of the cluster as CloudFormation describes it."""
    own = {"trainyard:cluster": "lab"} if tags is None else tags
    return {
        "StackName": name, "StackId": f"arn:aws:cloudformation:us-east-2:123456789012:stack/{name}/1",
        "StackStatus": "CREATE_COMPLETE", "CreationTime": _BEGINNING,
        "Tags": [{"Key": key, "Value": value} for key, value in own.items()],
        "Outputs": [{"OutputKey": key, "OutputValue": value} for key, value in outputs.items()],
    }  # fmt: skip


def _by_tags(instances: tuple[dict[str, Any], ...]) -> Any:
    def answer(asked: Mapping[str, Any]) -> dict[str, Any]:
        (wanted,) = asked["Filters"]
        if wanted["Name"] == "instance-id":
            found = [one for one in instances if one["InstanceId"] in wanted["Values"]]
        else:
            tag = {"Key": wanted["Name"].removeprefix("tag:"), "Value": wanted["Values"][0]}
            found = [one for one in instances if tag in one["Tags"]]
        return {"Reservations": [{"Instances": [one]} for one in found]}

    return answer


def account(
    *instances: dict[str, Any], stacks: tuple[dict[str, Any], ...] = (),
    offline: Mapping[str, str | None] | None = None, names: Mapping[str, str] | None = None, **answers: Any,
) -> RecordedAccount:  # fmt: skip
    """Return an account with a cluster.

    ``offline`` are the states of agents that take no session, None for an instance that Systems Manager does not have.
    ``names`` are instances by Slurm's names. ``answers`` go before all that: service__Operation.
    """
    there = instances or NODES
    agents = {one["InstanceId"]: "Online" for one in there} | dict(offline or {})
    managed = [{"InstanceId": id_, "PingStatus": state} for id_, state in agents.items() if state is not None]

    def information(asked: Mapping[str, Any]) -> dict[str, Any]:
        (wanted,) = asked["Filters"]
        return {"InstanceInformationList": [one for one in managed if one["InstanceId"] in wanted["Values"]]}

    def item(asked: Mapping[str, Any]) -> dict[str, Any]:
        assert asked["TableName"] == "parallelcluster-slurm-lab"
        found = (names or {}).get(asked["Key"]["Id"]["S"])
        return {"Item": {"InstanceId": {"S": found}}} if found else {}

    def session(asked: Mapping[str, Any]) -> dict[str, Any] | Refusal:
        if agents.get(asked["Target"]) != "Online":
            return Refusal("TargetNotConnected", f"{asked['Target']} is not connected.")
        return {"SessionId": "me-0123456789abcdef0", "TokenValue": "very-secret", "StreamUrl": "wss://example/stream"}

    own = {
        "ec2.DescribeInstances": _by_tags(there),
        "cloudformation.DescribeStacks": listing("Stacks", list(stacks)),
        "cloudformation.ListStackResources": Refusal("ValidationError", "Stack with id lab does not exist"),
        "ssm.DescribeInstanceInformation": information,
        "ssm.StartSession": session,
        "ssm.TerminateSession": {"SessionId": "me-0123456789abcdef0"},
        "dynamodb.GetItem": item,
        "sts.GetCallerIdentity": {"Account": "123456789012"},
        "eks.DescribeCluster": Refusal("ResourceNotFoundException", "No cluster found", 404),
    }
    given = {name.replace("__", "."): answer for name, answer in answers.items()}
    return RecordedAccount("us-east-2", answers=own | given)
