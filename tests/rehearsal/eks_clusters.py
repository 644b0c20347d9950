"""A small cluster of Amazon EKS in an emulated account, without the stacks of ours around it."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.request import Request, urlopen

from trainyard.document.write import yaml_text
from trainyard.edge.aws.account import Account
from trainyard.platforms.eks.rehearsal.eksctl.emulated_eksctl import EmulatedEksctl
from trainyard.platforms.eks.rehearsal.eksctl.installed_check import InstalledEksctlCheck

GPU_TAINT = {"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"}


def eksctl_of(account: Account) -> EmulatedEksctl:
    """Return an emulated eksctl that asks no program of this machine."""
    return EmulatedEksctl(account, InstalledEksctlCheck(account, program=None))


def config_for(account: Account, *groups: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a configuration in the VPC that every account has, with a node group for the system."""
    subnets = account.client("ec2").describe_subnets()["Subnets"]
    first = {subnet["AvailabilityZone"]: {"id": subnet["SubnetId"]} for subnet in reversed(subnets)}
    zones = dict(sorted(first.items())[:2])
    metadata = {
        "name": f"c{uuid.uuid4().hex[:8]}",
        "region": account.region,
        "version": "1.35",
        "tags": {"team": "llm"},
    }
    return {
        "apiVersion": "eksctl.io/v1alpha5",
        "kind": "ClusterConfig",
        "metadata": metadata,
        "accessConfig": {"authenticationMode": "API"},
        "iam": {"withOIDC": True},
        "vpc": {"id": subnets[0]["VpcId"], "subnets": {"private": zones}},
        "addons": [{"name": "coredns", "version": "v1.13.2-eksbuild.4"}],
        "managedNodeGroups": [group("system", "c5.2xlarge", 1, labels={"trainyard/nodes": "system"}), *groups],
        **more,
    }


def group(name: str, instance_type: str, nodes: int, **more: Any) -> dict[str, Any]:
    """Return a node group in the first zone."""
    sizes = {"minSize": 0, "desiredCapacity": nodes, "maxSize": max(nodes, 2)}
    return {"name": name, "instanceType": instance_type, "privateNetworking": True, **sizes, **more}


def made(account: Account, *groups: dict[str, Any], **more: Any) -> str:
    """Make a cluster and return its name."""
    config = config_for(account, *groups, **more)
    eksctl_of(account).create_cluster(yaml_text(config), lambda _: None)
    return str(config["metadata"]["name"])


def deleted(account: Account, name: str) -> None:
    """Delete a cluster as eksctl does."""
    eksctl_of(account).delete_cluster(name, account.region, lambda _: None)


@contextmanager
def made_by_trainyard(account: Account, *groups: dict[str, Any]) -> Iterator[str]:
    """Give the name of a cluster with the tag of ours, which goes afterwards."""
    name = made(account, *groups)
    eks = account.client("eks")
    eks.tag_resource(resourceArn=eks.describe_cluster(name=name)["cluster"]["arn"], tags={"trainyard:cluster": name})
    yield name
    deleted(account, name)


def end_pod(account: Account, cluster: str, pod: str, **state: Any) -> None:
    """End the container of a pod; with a reason, the pod."""
    body = json.dumps({"region": account.region, "cluster": cluster, "pod": pod, **state}).encode()
    urlopen(Request(f"{account.endpoint}/trainyard/pod-end", body, method="PUT")).close()
