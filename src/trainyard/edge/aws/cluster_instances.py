"""The instances of a cluster by any tag that says so, not only by the one that everything else asks for."""

from __future__ import annotations

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import pages
from trainyard.edge.aws.ec2 import Described

# ParallelCluster's own, those that our rendering asks it to set, and CloudFormation's, which stand on the head node. An
# instance that lacks one of them is found by another.
# https://docs.aws.amazon.com/parallelcluster/latest/ug/Tags-v3.html
_TAGS = ("parallelcluster:cluster-name", "trainyard:cluster", "aws:cloudformation:stack-name")


def instances_of_cluster(account: Account, name: str) -> tuple[Described, ...]:
    """Return the instances that one of these tags gives to a cluster, in whatever state they are."""
    found: dict[str, Described] = {}
    for tag in _TAGS:
        wanted = [{"Name": f"tag:{tag}", "Values": [name]}]
        reservations = pages(account, "ec2:DescribeInstances", "describe_instances", "Reservations", Filters=wanted)
        found |= {one["InstanceId"]: one for reservation in reservations for one in reservation["Instances"]}
    return tuple(found.values())


def instance_by_id(account: Account, instance: str) -> Described | None:
    """Return an instance, whoever it belongs to; None where there is none of that id."""
    wanted = [{"Name": "instance-id", "Values": [instance]}]
    reservations = pages(account, "ec2:DescribeInstances", "describe_instances", "Reservations", Filters=wanted)
    return next((one for reservation in reservations for one in reservation["Instances"]), None)
