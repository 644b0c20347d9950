"""eksctl's file of a cluster that runs, whoever has made it: control plane, add-ons and managed node groups.

Access entries, roles of service accounts, Fargate profiles and nodes that EKS does not manage are not read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trainyard.document.plain_data import present
from trainyard.edge.aws import eks
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.ec2 import Described, launch_template_data, subnets
from trainyard.edge.aws.eks import EksCluster, NodeGroupState

_OWN_TAGS = ("aws:", "alpha.eksctl.io/", "eksctl.cluster.k8s.io/", "eksctl.io/")
_GROUP_TAG = "alpha.eksctl.io/nodegroup-name"
_EVERYBODY = ("0.0.0.0/0",)
# https://docs.aws.amazon.com/eks/latest/APIReference/API_Nodegroup.html#AmazonEKS-Type-Nodegroup-amiType
_FAMILIES = {"AL2023": "AmazonLinux2023", "AL2": "AmazonLinux2", "BOTTLEROCKET": "Bottlerocket"}
_EFFECTS = {"NO_SCHEDULE": "NoSchedule", "NO_EXECUTE": "NoExecute", "PREFER_NO_SCHEDULE": "PreferNoSchedule"}
_EFA = ("efa", "efa-only")


def running_cluster(account: Account, name: str) -> dict[str, Any] | None:
    """Return the file; None where there is no such cluster. Asks only."""
    cluster = eks.find_cluster(account, name)
    if cluster is None:
        return None
    groups = eks.node_groups(account, name)
    ids = {*cluster.subnets, *(subnet for group in groups for subnet in group.subnets)}
    described = subnets(account, tuple(sorted(ids)))
    encryption = {"keyARN": cluster.key} if cluster.key else {}
    return {
        "apiVersion": "eksctl.io/v1alpha5",
        "kind": "ClusterConfig",
        "metadata": {
            "name": name,
            "region": account.region,
            "version": cluster.version,
            **present(tags=_foreign(cluster.tags)),
        },
        "vpc": _vpc(cluster, described),
        **present(
            secretsEncryption=encryption,
            cloudWatch={"clusterLogging": {"enableTypes": list(cluster.logs)}} if cluster.logs else None,
            addons=[_addon(addon) for addon in eks.addons(account, name)],
            managedNodeGroups=[_node_group(account, group, described) for group in groups],
        ),
    }


def _vpc(cluster: EksCluster, described: Mapping[str, Described]) -> dict[str, Any]:
    """Return the network. EKS's own security group, the last one, comes with every cluster."""
    ranges = () if cluster.public_cidrs == _EVERYBODY else cluster.public_cidrs
    by_kind: dict[str, dict[str, Any]] = {}
    for id_ in cluster.subnets:
        subnet = described.get(id_, {})
        named = by_kind.setdefault("public" if subnet.get("MapPublicIpOnLaunch") else "private", {})
        zone = subnet.get("AvailabilityZone", id_)
        named[id_ if zone in named else zone] = {"id": id_}
    return {
        "id": cluster.vpc,
        "subnets": by_kind,
        "clusterEndpoints": {"publicAccess": cluster.endpoint_public, "privateAccess": cluster.endpoint_private},
        **present(publicAccessCIDRs=list(ranges), controlPlaneSecurityGroupIDs=list(cluster.security_groups[:-1])),
    }


def _addon(addon: eks.Addon) -> dict[str, Any]:
    return {"name": addon.name, "version": addon.version, **present(configurationValues=addon.configuration or None)}


def _node_group(account: Account, group: NodeGroupState, described: Mapping[str, Described]) -> dict[str, Any]:
    is_public = any(described.get(id_, {}).get("MapPublicIpOnLaunch") for id_ in group.subnets)
    family = _FAMILIES.get(group.image_type.partition("_")[0])
    taints = [
        {"key": key, **({"value": value} if value else {}), "effect": _EFFECTS[effect]}
        for key, value, effect in group.taints
    ]
    return {
        "name": group.name,
        **_types(list(group.instance_types)),
        **_launch_template(account, group),
        "minSize": group.min_nodes,
        "desiredCapacity": group.desired_nodes,
        "maxSize": group.max_nodes,
        "subnets": list(group.subnets),
        **present(
            amiFamily=family,
            privateNetworking=None if is_public else True,
            spot=True if group.capacity_type == "SPOT" else None,
            instanceMarketOptions={"marketType": "capacity-block"} if group.capacity_type == "CAPACITY_BLOCK" else None,
            labels=_foreign(group.labels),
            taints=taints,
            tags=_foreign(group.tags),
            nodeRepairConfig={"enabled": True} if group.is_repaired else None,
            iam={"instanceRoleARN": group.role} if group.role else None,
        ),
    }


def _types(names: list[str]) -> dict[str, Any]:
    if len(names) == 1:
        return {"instanceType": names[0]}
    return {"instanceTypes": names} if names else {}


def _launch_template(account: Account, group: NodeGroupState) -> dict[str, Any]:
    """Return what the launch template says where eksctl has made it, otherwise its id and version."""
    if group.launch_template is None:
        return {}
    id_, version = group.launch_template
    data = launch_template_data(account, id_, version or "$Default") if _GROUP_TAG in group.tags else None
    if data is None:
        return {"launchTemplate": {"id": id_, **present(version=version or None)}}
    interfaces = data.get("NetworkInterfaces", ())
    volume: Mapping[str, Any] = next((drive.get("Ebs", {}) for drive in data.get("BlockDeviceMappings", ())), {})
    target = data.get("CapacityReservationSpecification", {}).get("CapacityReservationTarget", {})
    named = present(
        capacityReservationID=target.get("CapacityReservationId"),
        capacityReservationResourceGroupARN=target.get("CapacityReservationResourceGroupArn"),
    )
    key = data.get("KeyName")
    return {
        **(_types([data["InstanceType"]]) if "InstanceType" in data else {}),
        **present(
            ami=data.get("ImageId"),
            efaEnabled=True if any(interface.get("InterfaceType") in _EFA for interface in interfaces) else None,
            volumeSize=volume.get("VolumeSize"),
            volumeType=volume.get("VolumeType"),
            volumeIOPS=volume.get("Iops"),
            volumeThroughput=volume.get("Throughput"),
            volumeEncrypted=True if volume.get("Encrypted") else None,
            ssh={"allow": True, "publicKeyName": key} if key else None,
            enableDetailedMonitoring=True if data.get("Monitoring", {}).get("Enabled") else None,
            capacityReservation={"capacityReservationTarget": named} if named else None,
        ),
    }


def _foreign(tags: Mapping[str, str]) -> dict[str, str]:
    """Return tags or labels without those that EKS and eksctl set themselves."""
    return {key: value for key, value in tags.items() if not key.startswith(_OWN_TAGS)}
