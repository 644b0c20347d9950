"""The nodes of a cluster: instances of its node groups, with the labels, taints and resources that they would have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from moto.ec2.models import ec2_backends

from trainyard.catalog.instances import find
from trainyard.rehearsal.emulated.breakdown import breakdown_at
from trainyard.rehearsal.emulated.eks.node_groups import is_system
from trainyard.rehearsal.emulated.eks.state import EmulatedEksCluster
from trainyard.rehearsal.emulated.resource import Aws

_EFFECTS = {"NO_SCHEDULE": "NoSchedule", "NO_EXECUTE": "NoExecute", "PREFER_NO_SCHEDULE": "PreferNoSchedule"}
_CPU_ARCHITECTURES = {"x86_64": "amd64", "arm64": "arm64"}
# What the system keeps of advertised memory differs by type; Karpenter reckons with this much.
# https://karpenter.sh/docs/reference/settings/
_MEMORY_OVERHEAD = 0.075
# What nodes with EFA set aside: https://docs.aws.amazon.com/eks/latest/userguide/node-efa.html
_HUGE_PAGES_MIB = 5128 * 2
# https://docs.aws.amazon.com/eks/latest/userguide/choosing-instance-type.html
_FEW_VCPUS, _PODS_OF_FEW, _PODS = 30, 110, 250
_EVICTION_MIB = 100
_UNSCHEDULABLE = "node.kubernetes.io/unschedulable"


def nodes(aws: Aws, cluster: EmulatedEksCluster) -> list[dict[str, Any]]:
    """Return the nodes that joined, without what device plugins add."""
    failing = breakdown_at("nodes") is not None
    groups = [node_group for node_group in cluster.node_groups.values() if is_system(node_group) or not failing]
    return [node for group in groups for node in _of_group(aws, cluster, group)]


def efa_interfaces(aws: Aws, group: Mapping[str, Any]) -> int:
    """Return how many interfaces with EFA the nodes of a group are launched with."""
    name = group["resources"]["autoScalingGroups"][0]["name"]
    template = ec2_backends[aws.account_id][aws.region].get_launch_template_by_name(name)
    written = template.latest_version().data.get("NetworkInterfaces") or ()
    return sum(1 for interface in written if str(interface.get("InterfaceType", "")).startswith("efa"))


def with_changes(node: dict[str, Any], changes: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return a node with what somebody has applied to it; what is cordoned has the taint of that as well.

    https://kubernetes.io/docs/reference/labels-annotations-taints/#node-kubernetes-io-unschedulable
    """
    change = changes.get(node["metadata"]["uid"])
    if change is None:
        return node
    metadata = {
        key: {**node["metadata"].get(key, {}), **change["metadata"].get(key, {})} for key in ("labels", "annotations")
    }
    spec = {**node["spec"], **change.get("spec", {})}
    if spec.get("unschedulable"):
        spec["taints"] = [*spec.get("taints", ()), {"key": _UNSCHEDULABLE, "value": "", "effect": "NoSchedule"}]
    return {**node, "metadata": {**node["metadata"], **metadata}, "spec": spec}


def with_devices(node: Mapping[str, Any], pods: Iterable[Mapping[str, Any]], efa: int) -> dict[str, Any]:
    """Return a node with the accelerators and EFA interfaces that device plugins among these pods give to pods."""
    images = [container["image"] for pod in pods for container in pod["spec"]["containers"]]
    added = {
        plugin["resource"]: str(_count(node, plugin["of"], efa))
        for plugin in _plugins()
        if any(_is(plugin, image) for image in images)
    }
    status = node["status"]
    resources = {key: {**status[key], **added} for key in ("capacity", "allocatable")}
    return {**node, "status": {**status, **resources}}


def _of_group(aws: Aws, cluster: EmulatedEksCluster, group: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the nodes of a group. Moto's own objects are looked at: a cluster is looked at often."""
    own = {"eks:cluster-name": cluster.name, "eks:nodegroup-name": group["nodegroupName"]}
    efa = efa_interfaces(aws, group)
    for instance in ec2_backends[aws.account_id][aws.region].all_instances():
        if instance.state != "running":
            continue
        tags = {tag["key"]: tag["value"] for tag in instance.get_tags()}
        if own.items() <= tags.items():
            yield _node(cluster, group, _described(instance), efa)


def _described(instance: Any) -> dict[str, Any]:
    """Return what DescribeInstances says of it that a node is made of."""
    return {
        "InstanceId": instance.id,
        "InstanceType": instance.instance_type,
        "PrivateDnsName": instance.private_dns_name,
        "PrivateIpAddress": instance.private_ip,
        "LaunchTime": instance.launch_time,
        "Placement": {"AvailabilityZone": instance.availability_zone},
    }


def _node(
    cluster: EmulatedEksCluster, group: Mapping[str, Any], instance: Mapping[str, Any], efa: int
) -> dict[str, Any]:
    zone, capacity = instance["Placement"]["AvailabilityZone"], _capacity(instance["InstanceType"], efa)
    taints = [
        {"key": taint["key"], "value": taint.get("value", ""), "effect": _EFFECTS[taint["effect"]]}
        for taint in group["taints"]
    ]
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": instance["PrivateDnsName"],
            "uid": instance["InstanceId"],
            "creationTimestamp": instance["LaunchTime"].strftime("%Y-%m-%dT%H:%M:%SZ"),
            "labels": {**_well_known(instance, zone), **_of_eks(group), **group["labels"]},
        },
        "spec": {"providerID": f"aws:///{zone}/{instance['InstanceId']}", **({"taints": taints} if taints else {})},
        "status": {
            "addresses": [
                {"type": "InternalIP", "address": instance["PrivateIpAddress"]},
                {"type": "Hostname", "address": instance["PrivateDnsName"]},
            ],
            "capacity": capacity,
            "allocatable": _allocatable(capacity),
            "conditions": _conditions(),
            "nodeInfo": {
                "kubeletVersion": f"v{cluster.described['version']}.0-eks-emulated",
                "osImage": "Amazon Linux 2023",
            },
        },
    }


def _well_known(instance: Mapping[str, Any], zone: str) -> dict[str, str]:
    """Return the labels of https://kubernetes.io/docs/reference/labels-annotations-taints/."""
    facts = find(instance["InstanceType"])
    return {
        "kubernetes.io/hostname": instance["PrivateDnsName"],
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": _CPU_ARCHITECTURES[(facts and facts.architecture) or "x86_64"],
        "node.kubernetes.io/instance-type": instance["InstanceType"],
        "topology.kubernetes.io/zone": zone,
        "topology.kubernetes.io/region": zone[:-1],
    }


def _of_eks(group: Mapping[str, Any]) -> dict[str, str]:
    """Return the labels that EKS gives nodes of its groups.

    https://docs.aws.amazon.com/eks/latest/userguide/managed-node-groups.html
    """
    return {
        "eks.amazonaws.com/nodegroup": group["nodegroupName"],
        "eks.amazonaws.com/capacityType": group["capacityType"],
    }


def _capacity(instance_type: str, efa: int) -> dict[str, str]:
    facts = find(instance_type)
    vcpus, memory = (facts.vcpus, facts.memory_mib) if facts is not None else (2, 4096)
    pages = _HUGE_PAGES_MIB if efa else 0
    return {
        "cpu": str(vcpus or 2),
        "memory": f"{int((memory or 4096) * (1 - _MEMORY_OVERHEAD))}Mi",
        "hugepages-2Mi": f"{pages}Mi" if pages else "0",
        "pods": str(_PODS_OF_FEW if (vcpus or 2) < _FEW_VCPUS else _PODS),
    }


def _allocatable(capacity: Mapping[str, str]) -> dict[str, str]:
    """Return what is left for pods: the kubelet and the system take a share that grows with the number of pods.

    https://github.com/awslabs/amazon-eks-ami/blob/main/nodeadm/internal/kubelet/config.go
    """
    pods, cpus = int(capacity["pods"]), int(capacity["cpu"])
    pages = int(capacity["hugepages-2Mi"].removesuffix("Mi"))
    memory = int(capacity["memory"].removesuffix("Mi")) - pages - (11 * pods + 255) - _EVICTION_MIB
    reserved = 60 + (10 if cpus > 1 else 0) + 5 * min(max(cpus - 2, 0), 2) + 2.5 * max(cpus - 4, 0)
    return {**capacity, "cpu": f"{int(cpus * 1000 - reserved)}m", "memory": f"{memory}Mi"}


def _conditions() -> list[dict[str, str]]:
    ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "kubelet is posting ready status"}
    kinds = ("MemoryPressure", "DiskPressure", "PIDPressure")
    return [ready, *({"type": kind, "status": "False", "reason": "KubeletHasNone", "message": ""} for kind in kinds)]


def _is(plugin: Mapping[str, str], image: str) -> bool:
    return plugin["image"] in image and plugin.get("without", " ") not in image


def _count(node: Mapping[str, Any], what: str, efa: int) -> int:
    if what == "efa_interfaces":
        return efa
    facts = find(node["metadata"]["labels"]["node.kubernetes.io/instance-type"])
    chips = facts.accelerators if facts is not None else None
    vendor = {"gpus": "nvidia", "neuron_chips": "aws"}[what]
    return chips.count if chips is not None and chips.vendor == vendor else 0


@cache
def _plugins() -> tuple[Mapping[str, str], ...]:
    file = Path(__file__).with_name("devices.yaml")
    return tuple(yaml.load(file.read_bytes(), Loader=yaml.CSafeLoader))
