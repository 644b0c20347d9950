"""What eksctl refuses of a ClusterConfig before it makes anything, as far as it was read from its source.

https://github.com/eksctl-io/eksctl/blob/main/pkg/apis/eksctl.io/v1alpha5/validation.go
https://github.com/eksctl-io/eksctl/blob/main/pkg/vpc/vpc.go
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from botocore.exceptions import ClientError

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.eks import offered_versions
from trainyard.platforms.eks.rehearsal.eksctl.cluster_template import subnet_ids
from trainyard.platforms.eks.rehearsal.eksctl.node_group_template import instance_types
from trainyard.platforms.eks.rehearsal.eksctl.stacks import eksctl_refusal

_ZONE = re.compile(r"[a-z]{2}(-[a-z]+)+-[0-9][a-z]")
# Beside a launch template of one's own. https://docs.aws.amazon.com/eks/latest/eksctl/launch-template-support.html
_NOT_WITH_TEMPLATE = (
    "instanceType", "ami", "ssh", "securityGroups", "volumeSize", "volumeType", "volumeIOPS", "volumeThroughput",
    "volumeEncrypted", "efaEnabled", "instanceName", "instancePrefix", "disablePodIMDS", "overrideBootstrapCommand",
    "enableDetailedMonitoring", "maxPodsPerNode", "preBootstrapCommands", "placement",
)  # fmt: skip


def refuse_config(account: Account, config: Mapping[str, Any]) -> None:
    """Raise EksctlRefusedError with everything that is wrong with a configuration.

    Which versions there are, eksctl asks EKS since 0.202.0: https://github.com/eksctl-io/eksctl/pull/8144
    """
    version, versions = str(config["metadata"]["version"]), offered_versions(account)
    wrong = [] if version in versions else [f"invalid version, supported values: {', '.join(versions)}"]
    zones = _zones(account, config)
    wrong += _of_network(config, zones)
    for group in config["managedNodeGroups"]:
        wrong += [
            f"managedNodeGroups[{group['name']}]: {problem}" for problem in _of_group(account, config, group, zones)
        ]
    if wrong:
        raise eksctl_refusal("create", wrong)


def subnets_of(account: Account, config: Mapping[str, Any], group: Mapping[str, Any]) -> list[str]:
    """Return the subnets of a node group: those that it names, or those of its zones; of a kind with its network."""
    if group.get("subnets"):
        named = {key: subnet["id"] for kind in config["vpc"]["subnets"].values() for key, subnet in kind.items()}
        return [named.get(subnet, subnet) for subnet in group["subnets"]]
    kind = "private" if group.get("privateNetworking") else "public"
    mine = [subnet["id"] for subnet in config["vpc"]["subnets"].get(kind, {}).values()]
    zones, zones_wanted = _zones(account, config), group.get("availabilityZones")
    return [subnet for subnet in mine if zones_wanted is None or zones[subnet] in zones_wanted]


def _zones(account: Account, config: Mapping[str, Any]) -> dict[str, str]:
    """Return the zone of each subnet that is named."""
    extra = [
        subnet
        for group in config["managedNodeGroups"]
        for subnet in group.get("subnets", ())
        if subnet.startswith("subnet-")
    ]
    try:
        answer = account.client("ec2").describe_subnets(SubnetIds=list(dict.fromkeys([*subnet_ids(config), *extra])))
    except ClientError as error:
        raise eksctl_refusal("create", [str(error)]) from error
    return {subnet["SubnetId"]: subnet["AvailabilityZone"] for subnet in answer["Subnets"]}


def _of_network(config: Mapping[str, Any], zones: Mapping[str, str]) -> Iterator[str]:
    for kind in config["vpc"]["subnets"].values():
        for key, subnet in kind.items():
            if _ZONE.fullmatch(key) and zones[subnet["id"]] != key:
                yield f"subnet {subnet['id']} is in {zones[subnet['id']]}, and vpc.subnets calls it {key}"
    if len({zones[id_] for id_ in subnet_ids(config)}) < 2:
        yield "insufficient number of subnets: at least two in different availability zones are needed"


def _of_group(
    account: Account, config: Mapping[str, Any], group: Mapping[str, Any], zones: Mapping[str, str]
) -> Iterator[str]:
    del zones
    if not subnets_of(account, config, group):
        yield f"no subnets found in zones {', '.join(group.get('availabilityZones', ()))}"
    if "launchTemplate" in group and (both := [key for key in _NOT_WITH_TEMPLATE if key in group]):
        yield f"cannot set {', '.join(both)} when a launch template is supplied"
    if "instanceType" in group and "instanceTypes" in group:
        yield "only one of instanceType or instanceTypes can be specified"
    target = group.get("capacityReservation", {}).get("capacityReservationTarget", {})
    if {"capacityReservationID", "capacityReservationResourceGroupARN"} <= set(target):
        yield "only one of CapacityReservationID or CapacityReservationResourceGroupARN may be specified at a time"
    if group.get("instanceMarketOptions") and not target.get("capacityReservationID"):
        yield "instanceMarketOptions of capacity blocks need capacityReservation.capacityReservationTarget"
    if group.get("efaEnabled"):
        yield from _without_efa(account, instance_types(group))


def _without_efa(account: Account, types: Sequence[str]) -> Iterator[str]:
    described = account.client("ec2").describe_instance_types(InstanceTypes=list(types))["InstanceTypes"]
    for described_type in described:
        if not described_type["NetworkInfo"].get("EfaSupported"):
            yield f"instance type {described_type['InstanceType']} does not support EFA"
