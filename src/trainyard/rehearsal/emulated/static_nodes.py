"""The compute nodes that an emulated head node launches: those that always run, from launch templates of the fleet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from trainyard.rehearsal.emulated.resource import Aws
from trainyard.rehearsal.emulated.slurm import SlurmNode

Launched = list[dict[str, Any]]
"""Instances as EC2 describes them when they are launched."""
# PCLUSTER_SLURM_DYNAMODB_PREFIX in pcluster/constants.py of https://pypi.org/project/aws-parallelcluster/3.16.1/
_NAMES_PREFIX = "parallelcluster-slurm-"
# Where a compute resource says no MaxCount: DEFAULT_MAX_COUNT in pcluster/constants.py, as above.
_MOST_NODES = 10
_ALIVE = {"Name": "instance-state-name", "Values": ["pending", "running", "stopping", "stopped"]}


@dataclass(frozen=True, slots=True)
class SlurmCluster:
    """What the head node knows of its cluster."""

    name: str
    config: Mapping[str, Any]
    log_group: str | None
    resources: Mapping[str, str]
    """Physical ids of the stack's resources by logical id."""
    inactive: frozenset[str] = frozenset()
    """Queues whose partition is inactive, so that no node of them is to run."""


def launch_missing(aws: Aws, cluster: SlurmCluster) -> None:
    """Launch the static nodes that do not run yet, and give them names. Raises ClientError where there is no capacity.

    A launch template is called after cluster, queue and compute resource: pcluster/templates/queues_stack.py of
    https://pypi.org/project/aws-parallelcluster/3.16.1/
    """
    for queue, resource in _compute_resources(cluster.config):
        desired = 0 if queue["Name"] in cluster.inactive else int(resource.get("MinCount") or 0)
        running = len(_running(aws, cluster.name, queue["Name"], resource["Name"]))
        if desired > running:
            launched = _launch(aws, cluster, queue, resource, desired - running)
            prefix = f"{queue['Name']}-st-{resource['Name']}"
            _name(aws, cluster, prefix, running + 1, [instance["PrivateIpAddress"] for instance in launched])
            _remember(aws, cluster, prefix, running + 1, [instance["InstanceId"] for instance in launched])


def terminate_surplus(aws: Aws, cluster: SlurmCluster) -> None:
    """Terminate the nodes that a changed configuration has no longer, as clustermgtd does.

    https://github.com/aws/aws-parallelcluster-node/blob/develop/src/slurm_plugin/clustermgtd.py
    """
    desired = {
        (queue["Name"], resource["Name"]): int(resource.get("MinCount") or 0)
        for queue, resource in _compute_resources(cluster.config)
    }
    seen: Counter[tuple[str, str]] = Counter()
    surplus = []
    filters = [_tag("cluster-name", cluster.name), _tag("node-type", "Compute"), _ALIVE]
    for instance in _instances(aws, filters):
        tags = {tag["Key"].removeprefix("parallelcluster:"): tag["Value"] for tag in instance["Tags"]}
        place = (tags.get("queue-name", ""), tags.get("compute-resource-name", ""))
        seen[place] += 1
        if seen[place] > desired.get(place, 0):
            surplus.append(instance["InstanceId"])
    if surplus:
        aws.client("ec2").terminate_instances(InstanceIds=surplus)


def static_nodes(aws: Aws, cluster: SlurmCluster) -> Iterator[tuple[str, Mapping[str, Any] | None]]:
    """Yield the names of the static nodes, each with its instance where it has one."""
    for queue, resource in _compute_resources(cluster.config):
        running = _running(aws, cluster.name, queue["Name"], resource["Name"])
        for number in range(int(resource.get("MinCount") or 0)):
            name = f"{queue['Name']}-st-{resource['Name']}-{number + 1}"
            yield name, running[number] if number < len(running) else None


def slurm_nodes(aws: Aws, cluster: SlurmCluster) -> Iterator[SlurmNode]:
    """Yield all nodes that are configured: dynamic ones, which nothing here starts, have no instance."""
    addresses = {
        name: instance.get("PrivateIpAddress") for name, instance in static_nodes(aws, cluster) if instance is not None
    }
    for queue, resource in _compute_resources(cluster.config):
        least = int(resource.get("MinCount") or 0)
        for number in range(int(resource.get("MaxCount", _MOST_NODES))):
            kind, place = ("st", number + 1) if number < least else ("dy", number - least + 1)
            name = f"{queue['Name']}-{kind}-{resource['Name']}-{place}"
            yield SlurmNode(queue["Name"], name, addresses.get(name))


def terminate_compute_nodes(aws: Aws, cluster_name: str, queue: str | None = None) -> None:
    """Terminate every compute node of a cluster, or of one of its queues."""
    own = [] if queue is None else [_tag("queue-name", queue)]
    filters = [_tag("cluster-name", cluster_name), _tag("node-type", "Compute"), *own, _ALIVE]
    if names := [instance["InstanceId"] for instance in _instances(aws, filters)]:
        aws.client("ec2").terminate_instances(InstanceIds=names)


def _compute_resources(config: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    for queue in config["Scheduling"]["SlurmQueues"]:
        for resource in queue["ComputeResources"]:
            yield queue, resource


def _launch(
    aws: Aws, cluster: SlurmCluster, queue: Mapping[str, Any], resource: Mapping[str, Any], count: int
) -> Launched:
    template: dict[str, Any] = {"LaunchTemplateName": f"{cluster.name}-{queue['Name']}-{resource['Name']}"}
    several = [instance["InstanceType"] for instance in resource.get("Instances") or []]
    kind = {"InstanceType": several[0]} if several else {}
    subnet = {"SubnetId": queue["Networking"]["SubnetIds"][0]}
    tags = [
        {"Key": "parallelcluster:queue-name", "Value": queue["Name"]},
        {"Key": "parallelcluster:compute-resource-name", "Value": resource["Name"]},
    ]
    answer = aws.client("ec2").run_instances(
        LaunchTemplate={**template, "Version": "$Latest"},
        MinCount=count,
        MaxCount=count,
        **kind,
        **subnet,
        TagSpecifications=[{"ResourceType": "instance", "Tags": tags}],
    )
    return list(answer["Instances"])


def _name(aws: Aws, cluster: SlurmCluster, prefix: str, first: int, addresses: list[str]) -> None:
    """Write names such as compute-gpu-st-p5-48xlarge-1 into the cluster's own zone, where it has one."""
    zone = cluster.resources.get("Route53HostedZone")
    if not zone:
        return
    changes = [
        {
            "Action": "UPSERT",
            "ResourceRecordSet": {
                "Name": f"{prefix}-{first + at}.{cluster.name.lower()}.pcluster.",
                "Type": "A",
                "TTL": 120,
                "ResourceRecords": [{"Value": address}],
            },
        }
        for at, address in enumerate(addresses)
    ]
    aws.client("route53").change_resource_record_sets(HostedZoneId=zone, ChangeBatch={"Changes": changes})


def _remember(aws: Aws, cluster: SlurmCluster, prefix: str, first: int, instances: list[str]) -> None:
    """Write which instance bears which name into the cluster's table of names, where it has one.

    ``_store_assigned_hostnames`` in slurm_plugin/instance_manager.py of https://github.com/aws/aws-parallelcluster-node
    """
    table = f"{_NAMES_PREFIX}{cluster.name}"
    if table not in cluster.resources.values():
        return
    for at, instance in enumerate(instances):
        item = {"Id": {"S": f"{prefix}-{first + at}"}, "InstanceId": {"S": instance}}
        aws.client("dynamodb").put_item(TableName=table, Item=item)


def _running(aws: Aws, cluster_name: str, queue: str, resource: str) -> list[Mapping[str, Any]]:
    filters = [_tag("cluster-name", cluster_name), _tag("queue-name", queue), _tag("compute-resource-name", resource)]
    return list(_instances(aws, [*filters, _ALIVE]))


def _instances(aws: Aws, filters: list[dict[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for page in aws.client("ec2").get_paginator("describe_instances").paginate(Filters=filters):
        for reservation in page["Reservations"]:
            yield from reservation["Instances"]


def _tag(name: str, value: str) -> dict[str, Any]:
    return {"Name": f"tag:parallelcluster:{name}", "Values": [value]}
