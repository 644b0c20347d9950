"""Clusters of ParallelCluster, planted in an emulated account: as its stack, instances, table, bucket and logs say."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from typing import Any

import yaml

from tests.operate.logs.planted import put
from tests.rehearsal.cloud import create
from trainyard.edge.aws.account import Account

IMAGE = "ami-03cf127a"
"""One of the thousand that an emulated account has, whose list takes a second."""
BUCKET = "parallelcluster-0123456789abcdef-v1-do-not-delete"


def config(reservation: str | None = None, **sections: Any) -> dict[str, Any]:
    target = {"CapacityReservationTarget": {"CapacityReservationId": reservation}} if reservation else {}
    gpu = {"Name": "p5", "Instances": [{"InstanceType": "p5.48xlarge"}], "MinCount": 2, "MaxCount": 2, **target}
    cpu = {"Name": "any", "InstanceType": "m5.large", "MinCount": 0, "MaxCount": 8}
    queues = [
        {"Name": "gpu", "CapacityType": "CAPACITY_BLOCK" if reservation else "ONDEMAND", "ComputeResources": [gpu]},
        {"Name": "cpu", "CapacityType": "SPOT", "ComputeResources": [cpu]},
    ]
    return {"Region": "us-east-2", "Scheduling": {"Scheduler": "slurm", "SlurmQueues": queues}, **sections}


def plant_stack(account: Account, name: str, written: dict[str, Any] | None = None, **resources: Any) -> Any:
    """Make the stack of a cluster, and put its configuration where ParallelCluster does."""
    parameters = {"ResourcesS3Bucket": BUCKET, "ArtifactS3RootDirectory": f"parallelcluster/clusters/{name}"}
    if written is not None:
        plant_config(account, name, written)
    return create(
        account,
        resources or {"Topic": {"Type": "AWS::SNS::Topic"}},
        name=name,
        sections={"Parameters": {key: {"Type": "String"} for key in parameters}},
        Parameters=[{"ParameterKey": key, "ParameterValue": value} for key, value in parameters.items()],
        Tags=[
            {"Key": "parallelcluster:version", "Value": "3.16.1"},
            {"Key": "parallelcluster:cluster-name", "Value": name},
        ],
        DisableRollback=True,
    )


def plant_config(account: Account, name: str, written: dict[str, Any]) -> None:
    s3 = account.client("s3")
    with suppress(s3.exceptions.BucketAlreadyOwnedByYou):
        s3.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": account.region})
    key = f"parallelcluster/clusters/{name}/configs/cluster-config.yaml"
    s3.put_object(Bucket=BUCKET, Key=key, Body=yaml.safe_dump(written).encode())


@cache
def image_and_subnet(endpoint: str, client: Any) -> dict[str, str]:
    """Return where to launch: asked once for an account."""
    assert endpoint
    return {"ImageId": IMAGE, "SubnetId": client.describe_subnets()["Subnets"][0]["SubnetId"]}


def launch(
    account: Account, name: str, kind: str, instance_type: str = "m5.large", *, count: int = 1, **tags: str
) -> Any:
    """Launch instances as ParallelCluster does, and return how the first is described."""
    tagged = {"cluster-name": name, "node-type": kind, **{key.replace("_", "-"): one for key, one in tags.items()}}
    marks = [{"Key": f"parallelcluster:{key}", "Value": value} for key, value in tagged.items()]
    ec2 = account.client("ec2")
    return ec2.run_instances(
        **image_and_subnet(str(account.endpoint), ec2),
        InstanceType=instance_type,
        MinCount=count,
        MaxCount=count,
        TagSpecifications=[{"ResourceType": "instance", "Tags": marks}],
    )["Instances"][0]


def plant_fleet(account: Account, name: str, status: str) -> None:
    dynamodb = account.client("dynamodb")
    with suppress(dynamodb.exceptions.ResourceInUseException):
        dynamodb.create_table(
            TableName=f"parallelcluster-{name}",
            KeySchema=[{"AttributeName": "Id", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "Id", "AttributeType": "S"}],
            BillingMode="PAY_PER_REQUEST",
        )
    data = {"status": {"S": status}, "lastStatusUpdatedTime": {"S": "2026-05-06 13:25:00.123456+00:00"}}
    dynamodb.put_item(TableName=f"parallelcluster-{name}", Item={"Id": {"S": "COMPUTE_FLEET"}, "Data": {"M": data}})


def plant_event(account: Account, name: str, head: Any, kind: str, level: str, **said: Any) -> None:
    """Write an event of the fleet as ParallelCluster's daemons do."""
    stream = f"ip-{head['PrivateIpAddress'].replace('.', '-')}.{head['InstanceId']}.{kind}"
    now_ms = int(account.clock.now() * 1000) - 60_000
    event = {"datetime": datetime.now(UTC).isoformat(), "version": 0, "scheduler": "slurm", "level": level, **said}
    put(account, stream, [(now_ms, json.dumps(event))], group=f"/aws/parallelcluster/{name}-202605061300")
