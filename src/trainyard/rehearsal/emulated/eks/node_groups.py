"""Managed node groups: what they name has to exist, and one whose first nodes do not come up fails and stays.

https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateNodegroup.html
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from botocore.exceptions import ClientError

from trainyard.rehearsal.emulated.apis.ec2_run_instances import SYSTEM
from trainyard.rehearsal.emulated.breakdown import breakdown_at
from trainyard.rehearsal.emulated.eks import node_launch
from trainyard.rehearsal.emulated.eks.state import (
    EmulatedEksCluster,
    arn,
    begin_update,
    cluster_of,
    in_use_error,
    invalid,
    not_found_error,
    now,
)
from trainyard.rehearsal.emulated.resource import Aws

_SIZES = {"minSize": 1, "maxSize": 2, "desiredSize": 2}


def create(aws: Aws, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer CreateNodegroup. Its nodes are launched at once."""
    cluster, name = cluster_of(aws, request["clusterName"]), request["nodegroupName"]
    if name in cluster.node_groups:
        raise in_use_error(f"NodeGroup already exists with name {name} and cluster name {cluster.name}")
    template = _template_data(aws, cluster, request)
    _refuse_wrong_sizes({**_SIZES, **request.get("scalingConfig", {})})
    group = {**_described(aws, cluster, request), **({"amiType": "CUSTOM"} if template.get("ImageId") else {})}
    cluster.node_groups[name] = group
    node_launch.start(aws, group, template)
    _look(aws, group)
    return {"nodegroup": {**group, "status": "CREATING"}}


def describe(aws: Aws, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer DescribeNodegroup."""
    return {"nodegroup": existing_group(aws, request)}


def list_groups(aws: Aws, request: Mapping[str, Any]) -> list[str]:
    """Return the names of the node groups of a cluster."""
    return sorted(cluster_of(aws, request["clusterName"]).node_groups)


def update(aws: Aws, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer UpdateNodegroupConfig: sizes, labels, taints and repair."""
    cluster, group = cluster_of(aws, request["clusterName"]), existing_group(aws, request)
    sizes = {**group["scalingConfig"], **request.get("scalingConfig", {})}
    _refuse_wrong_sizes(sizes)
    group["scalingConfig"] = sizes
    for name in ("updateConfig", "nodeRepairConfig"):
        group[name] = request.get(name, group.get(name))
    _relabel(group, request.get("labels", {}), request.get("taints", {}))
    node_launch.scale(aws, group)
    _look(aws, group)
    return begin_update(cluster, "ConfigUpdate", request)


def update_version(aws: Aws, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer UpdateNodegroupVersion: another version of Kubernetes, or of the launch template."""
    cluster, group = cluster_of(aws, request["clusterName"]), existing_group(aws, request)
    group["version"] = request.get("version", cluster.described["version"])
    group["launchTemplate"] = {**group.get("launchTemplate", {}), **request.get("launchTemplate", {})}
    return begin_update(cluster, "VersionUpdate", request)


def delete(aws: Aws, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer DeleteNodegroup. Its instances go first."""
    group = existing_group(aws, request)
    node_launch.end(aws, group)
    del cluster_of(aws, request["clusterName"]).node_groups[group["nodegroupName"]]
    return {"nodegroup": {**group, "status": "DELETING"}}


def existing_group(aws: Aws, request: Mapping[str, Any]) -> dict[str, Any]:
    """Return a node group. Raises the service's error where there is none."""
    group = cluster_of(aws, request["clusterName"]).node_groups.get(request["nodegroupName"])
    if group is None:
        raise not_found_error(f"No node group found for name: {request['nodegroupName']}.")
    return group


def _described(aws: Aws, cluster: EmulatedEksCluster, request: Mapping[str, Any]) -> dict[str, Any]:
    name, number = request["nodegroupName"], str(uuid.uuid4())
    group = {
        "nodegroupName": name,
        "nodegroupArn": arn(aws, f"nodegroup/{cluster.name}/{name}/{number}"),
        "clusterName": cluster.name,
        "version": request.get("version", cluster.described["version"]),
        "createdAt": now(),
        "modifiedAt": now(),
        "status": "ACTIVE",
        "capacityType": request.get("capacityType", "ON_DEMAND"),
        "scalingConfig": {**_SIZES, **request.get("scalingConfig", {})},
        "subnets": request["subnets"],
        "amiType": request.get("amiType", "AL2023_x86_64_STANDARD"),
        "nodeRole": request["nodeRole"],
        "labels": dict(request.get("labels", {})),
        "taints": list(request.get("taints", [])),
        "resources": {"autoScalingGroups": [{"name": f"eks-{name}-{number}"}]},
        "health": {"issues": []},
        "tags": dict(request.get("tags", {})),
    }
    optional = ("instanceTypes", "launchTemplate", "diskSize", "updateConfig", "nodeRepairConfig", "remoteAccess")
    return {**group, **{key: request[key] for key in optional if key in request}}


def _template_data(aws: Aws, cluster: EmulatedEksCluster, request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data of the launch template; empty where there is none. Refuses what names something missing."""
    try:
        aws.client("iam").get_role(RoleName=request["nodeRole"].rpartition("/")[2])
        subnets = aws.client("ec2").describe_subnets(SubnetIds=request["subnets"])["Subnets"]
        template = node_launch.template_of(aws, request.get("launchTemplate"))
    except ClientError as error:
        raise invalid(error.response["Error"]["Message"]) from error
    vpc = cluster.described["resourcesVpcConfig"]["vpcId"]
    if outside := [subnet["SubnetId"] for subnet in subnets if subnet["VpcId"] != vpc]:
        raise invalid(f"Subnets {', '.join(outside)} are not in the VPC of the cluster, {vpc}")
    if template.get("InstanceType") and request.get("instanceTypes"):
        raise invalid("You cannot specify an instance type in both the launch template and the request")
    if template.get("IamInstanceProfile"):
        raise invalid(
            "Launch template should not specify an instance profile. The noderole in your request will be used"
        )
    return template


def _refuse_wrong_sizes(sizes: Mapping[str, int]) -> None:
    if not sizes["minSize"] <= sizes["desiredSize"] <= sizes["maxSize"]:
        raise invalid(
            f"Minimum capacity {sizes['minSize']}, desired capacity {sizes['desiredSize']} and maximum capacity "
            f"{sizes['maxSize']} have to grow in this order"
        )


def _relabel(group: dict[str, Any], labels: Mapping[str, Any], taints: Mapping[str, Any]) -> None:
    gone = set(labels.get("removeLabels", ()))
    kept_labels = {key: value for key, value in group["labels"].items() if key not in gone}
    group["labels"] = {**kept_labels, **labels.get("addOrUpdateLabels", {})}
    changed = [*taints.get("addOrUpdateTaints", ()), *taints.get("removeTaints", ())]
    others = [taint for taint in group["taints"] if all(taint["key"] != other["key"] for other in changed)]
    group["taints"] = [*others, *taints.get("addOrUpdateTaints", ())]


def _look(aws: Aws, group: dict[str, Any]) -> None:
    """Say how the node group is: whether its nodes could be launched, and whether they joined.

    https://docs.aws.amazon.com/eks/latest/APIReference/API_Issue.html
    """
    issues = node_launch.issues(aws, group)
    instances = node_launch.instances_of(aws, group)
    failing = breakdown_at("nodes")
    if failing is not None and instances and not is_system(group):
        message = "Instances failed to join the kubernetes cluster"
        issues.append({"code": "NodeCreationFailure", "message": message, "resourceIds": instances})
    group["health"] = {"issues": issues}
    group["modifiedAt"] = now()
    group["status"] = "ACTIVE" if not issues else "CREATE_FAILED" if group["status"] == "ACTIVE" else group["status"]


def is_system(group: Mapping[str, Any]) -> bool:
    """Return whether a node group runs the cluster itself."""
    return bool(group["nodegroupName"] == SYSTEM)
