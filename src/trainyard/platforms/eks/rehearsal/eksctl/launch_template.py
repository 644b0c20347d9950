"""The launch template that eksctl makes for a node group, with what belongs to it: EFA's security group and placement.

https://github.com/eksctl-io/eksctl/blob/main/pkg/cfn/builder/managed_launch_template.go
https://github.com/eksctl-io/eksctl/blob/main/pkg/cfn/builder/network_interfaces.go
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from email.mime.multipart import MIMEMultipart
from email.mime.nonmultipart import MIMENonMultipart
from typing import Any

from trainyard.platforms.eks.rehearsal.eksctl.names import cluster_stack, group_tags

_ALL = {"IpProtocol": "-1"}
_TAGGED = ("instance", "volume", "network-interface")
_GIB, _IOPS, _MIB_S = 80, 3000, 125
_CAPACITY_BLOCK = "capacity-block"


def launch_template(config: Mapping[str, Any], group: Mapping[str, Any], cards: int) -> dict[str, Any]:
    """Return the launch template and what it refers to. With EFA, ``cards`` is how many network cards there are."""
    efa = bool(group.get("efaEnabled"))
    ssh = group.get("ssh", {})
    named = bool(ssh.get("allow") and ssh.get("publicKeyName"))
    placed = efa and "capacityReservation" not in group
    groups = [
        {"Fn::ImportValue": f"{cluster_stack(config['metadata']['name'])}::ClusterSecurityGroupId"},
        *group.get("securityGroups", {}).get("attachIDs", ()),
        *([{"Ref": "SSH"}] if named else []),
        *([{"Ref": "EFASG"}] if efa else []),
    ]
    data = {
        "MetadataOptions": {
            "HttpTokens": "required",
            "HttpPutResponseHopLimit": 1 if group.get("disablePodIMDS") else 2,
        },
        "BlockDeviceMappings": [{"DeviceName": "/dev/xvda", "Ebs": _volume(group)}],
        "TagSpecifications": [{"ResourceType": kind, "Tags": _tags(config, group)} for kind in _TAGGED],
        **(
            {"NetworkInterfaces": [_interface(card, groups) for card in range(cards)]}
            if efa
            else {"SecurityGroupIds": groups}
        ),
        **({"Placement": {"GroupName": {"Ref": "NodeGroupPlacementGroup"}}} if placed else {}),
        **({"KeyName": ssh["publicKeyName"]} if ssh.get("publicKeyName") else {}),
        **({"ImageId": group["ami"]} if "ami" in group else {}),
        **({"InstanceType": group["instanceType"]} if is_of_block(group) else {}),
        **({"Monitoring": {"Enabled": True}} if group.get("enableDetailedMonitoring") else {}),
        **_capacity(group),
        **_user_data(group),
    }
    name = {"Fn::Sub": "${AWS::StackName}"}
    properties = {"LaunchTemplateName": name, "LaunchTemplateData": data}
    return {
        "LaunchTemplate": {"Type": "AWS::EC2::LaunchTemplate", "Properties": properties},
        **(_efa_group(config) if efa else {}),
        **(_ssh_group(config) if named else {}),
        **({"NodeGroupPlacementGroup": _PLACEMENT} if placed else {}),
    }


def is_of_block(group: Mapping[str, Any]) -> bool:
    """Return whether nodes are those of a Capacity Block. Then the launch template names their instance type.

    https://github.com/eksctl-io/eksctl/blob/main/pkg/cfn/builder/testdata/launch_template/capacity_block.json
    """
    is_block: bool = group.get("instanceMarketOptions", {}).get("marketType") == _CAPACITY_BLOCK
    return is_block


def _interface(card: int, groups: list[Any]) -> dict[str, Any]:
    return {"NetworkCardIndex": card, "DeviceIndex": min(card, 1), "InterfaceType": "efa", "Groups": groups}


def _volume(group: Mapping[str, Any]) -> dict[str, Any]:
    kind = group.get("volumeType", "gp3")
    speeds = (
        {"Iops": group.get("volumeIOPS", _IOPS), "Throughput": group.get("volumeThroughput", _MIB_S)}
        if kind == "gp3"
        else {}
    )
    own = {"Iops": group["volumeIOPS"]} if kind != "gp3" and "volumeIOPS" in group else {}
    size = {"VolumeSize": group.get("volumeSize", _GIB), "VolumeType": kind}
    return {**size, **speeds, **own, **({"Encrypted": True} if group.get("volumeEncrypted") else {})}


def _tags(config: Mapping[str, Any], group: Mapping[str, Any]) -> list[dict[str, str]]:
    middle = group.get("instanceName") or group["name"]
    name = f"{config['metadata']['name']}-{middle}-Node"
    if "instancePrefix" in group:
        name = f"{group['instancePrefix']}-{name}"
    tags = {"Name": name, **group_tags(group["name"]), **config["metadata"].get("tags", {}), **group.get("tags", {})}
    return [{"Key": key, "Value": value} for key, value in tags.items()]


def _capacity(group: Mapping[str, Any]) -> dict[str, Any]:
    target = group.get("capacityReservation", {}).get("capacityReservationTarget", {})
    names = {
        "CapacityReservationId": target.get("capacityReservationID"),
        "CapacityReservationResourceGroupArn": target.get("capacityReservationResourceGroupARN"),
    }
    by_kind = {key: value for key, value in names.items() if value}
    market = group.get("instanceMarketOptions", {}).get("marketType")
    return {
        **({"CapacityReservationSpecification": {"CapacityReservationTarget": by_kind}} if by_kind else {}),
        **({"InstanceMarketOptions": {"MarketType": market}} if market else {}),
    }


def _user_data(group: Mapping[str, Any]) -> dict[str, str]:
    """Return the NodeConfig as a message with one part, which EKS merges with its own."""
    config = group.get("overrideBootstrapCommand")
    if config is None:
        return {}
    part = MIMENonMultipart("application", "node.eks.aws")
    part.set_payload(config)
    message = MIMEMultipart("mixed", boundary="==eksctl==")
    message.attach(part)
    return {"UserData": base64.b64encode(message.as_bytes()).decode()}


def _efa_group(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return a security group that admits itself in both directions."""
    group = {"Ref": "EFASG"}
    described = {"GroupDescription": "EFA-enabled security group", "VpcId": config["vpc"]["id"]}
    into = {"GroupId": group, "SourceSecurityGroupId": group, **_ALL}
    out = {"GroupId": group, "DestinationSecurityGroupId": group, **_ALL}
    return {
        "EFASG": {"Type": "AWS::EC2::SecurityGroup", "Properties": described},
        "EFAIngressSelf": {"Type": "AWS::EC2::SecurityGroupIngress", "Properties": into},
        "EFAEgressSelf": {"Type": "AWS::EC2::SecurityGroupEgress", "Properties": out},
    }


def _ssh_group(config: Mapping[str, Any]) -> dict[str, Any]:
    rule = {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "CidrIp": config["vpc"].get("cidr", "10.0.0.0/8")}
    properties = {"GroupDescription": "Allow SSH access", "VpcId": config["vpc"]["id"], "SecurityGroupIngress": [rule]}
    return {"SSH": {"Type": "AWS::EC2::SecurityGroup", "Properties": properties}}


_PLACEMENT = {"Type": "AWS::EC2::PlacementGroup", "Properties": {"Strategy": "cluster"}}
