"""How EKS runs the nodes of a group: a launch template of its own, made of the user's, and an Auto Scaling group.

https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from moto.ec2.models import ec2_backends
from moto.ec2.models.amis import Ami
from moto.ec2.utils import random_ami_id

from trainyard.catalog.instances import find
from trainyard.rehearsal.emulated.apis.auto_scaling import refusal_of
from trainyard.rehearsal.emulated.eks.state import cluster_of
from trainyard.rehearsal.emulated.resource import Aws

_AMAZON = "602401143452"  # https://docs.aws.amazon.com/eks/latest/userguide/add-ons-images.html
_FILLED_IN = ("LaunchTemplateId", "LaunchTemplateName", "VersionNumber")


def template_of(aws: Aws, named: Mapping[str, str] | None) -> dict[str, Any]:
    """Return the data of a launch template, empty where none is named. Raises ClientError where it does not exist."""
    if not named:
        return {}
    which = {"LaunchTemplateId": named["id"]} if "id" in named else {"LaunchTemplateName": named["name"]}
    versions = aws.client("ec2").describe_launch_template_versions(**which, Versions=[named.get("version", "$Default")])
    data: dict[str, Any] = versions["LaunchTemplateVersions"][0]["LaunchTemplateData"]
    return data


def start(aws: Aws, group: Mapping[str, Any], template: Mapping[str, Any]) -> None:
    """Launch the nodes. What EC2 refuses is found by ``issues``."""
    name, sizes = _name(group), group["scalingConfig"]
    _make_profile(aws, group)
    created = aws.client("ec2").create_launch_template(
        LaunchTemplateName=name, LaunchTemplateData=_data(aws, group, template)
    )
    aws.client("autoscaling").create_auto_scaling_group(
        AutoScalingGroupName=name,
        MinSize=sizes["minSize"],
        MaxSize=sizes["maxSize"],
        DesiredCapacity=sizes["desiredSize"],
        VPCZoneIdentifier=",".join(group["subnets"]),
        LaunchTemplate={"LaunchTemplateId": created["LaunchTemplate"]["LaunchTemplateId"], "Version": "1"},
        Tags=[
            {
                "Key": key,
                "Value": value,
                "ResourceId": name,
                "ResourceType": "auto-scaling-group",
                "PropagateAtLaunch": True,
            }
            for key, value in _tags(group).items()
        ],
    )


def scale(aws: Aws, group: Mapping[str, Any]) -> None:
    """Run as many nodes as are wanted now."""
    sizes = group["scalingConfig"]
    aws.client("autoscaling").update_auto_scaling_group(
        AutoScalingGroupName=_name(group),
        MinSize=sizes["minSize"],
        MaxSize=sizes["maxSize"],
        DesiredCapacity=sizes["desiredSize"],
    )


def end(aws: Aws, group: Mapping[str, Any]) -> None:
    """Terminate the nodes, and remove what launched them."""
    name, iam = _name(group), aws.client("iam")
    if instances := instances_of(aws, group):
        aws.client("ec2").terminate_instances(InstanceIds=instances)
    aws.client("autoscaling").delete_auto_scaling_group(AutoScalingGroupName=name, ForceDelete=True)
    aws.client("ec2").delete_launch_template(LaunchTemplateName=name)
    iam.remove_role_from_instance_profile(InstanceProfileName=_profile(group), RoleName=_role(group))
    iam.delete_instance_profile(InstanceProfileName=_profile(group))


def instances_of(aws: Aws, group: Mapping[str, Any]) -> list[str]:
    """Return the ids of the nodes that run."""
    groups = aws.client("autoscaling").describe_auto_scaling_groups(AutoScalingGroupNames=[_name(group)])
    return [instance["InstanceId"] for group in groups["AutoScalingGroups"] for instance in group["Instances"]]


def issues(aws: Aws, group: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what EKS says where nodes are missing: the words of a launch that failed.

    https://github.com/aws/containers-roadmap/issues/2204
    """
    lacking = group["scalingConfig"]["desiredSize"] - len(instances_of(aws, group))
    if lacking <= 0:
        return []
    kind = "Spot" if group["capacityType"] == "SPOT" else "On-Demand"
    message = f"Could not launch {kind} Instances. {refusal_of(_name(group))} Launching EC2 instance failed."
    return [{"code": "AsgInstanceLaunchFailures", "message": message, "resourceIds": [_name(group)]}]


def _data(aws: Aws, group: Mapping[str, Any], template: Mapping[str, Any]) -> dict[str, Any]:
    """Return the user's template with what EKS adds: image, type, role, and its security group as a last resort."""
    kinds = group.get("instanceTypes") or [template.get("InstanceType") or "t3.medium"]
    data = {key: value for key, value in template.items() if value not in (None, "", [], {}) and key not in _FILLED_IN}
    groups = data.get("SecurityGroupIds") or any(
        interface.get("Groups") for interface in data.get("NetworkInterfaces", ())
    )
    if not groups:
        data["SecurityGroupIds"] = [_cluster_group(aws, group["clusterName"])]
    own_image = "ImageId" in data
    return {
        **data,
        **({} if own_image else {"ImageId": _image(aws, group["amiType"], kinds[0], group["version"])}),
        "InstanceType": kinds[0],
        "IamInstanceProfile": {"Name": _profile(group)},
    }


def _cluster_group(aws: Aws, cluster: str) -> str:
    network = cluster_of(aws, cluster).described["resourcesVpcConfig"]
    return str(network["clusterSecurityGroupId"])


def _image(aws: Aws, kind: str, instance_type: str, version: str) -> str:
    """Return the image that EKS takes for a kind of nodes; it is made up when it is first asked for.

    https://docs.aws.amazon.com/eks/latest/userguide/retrieve-ami-id.html
    """
    backend: Any = ec2_backends[aws.account_id][aws.region]
    name = f"amazon-eks-node-{kind.lower().replace('_', '-')}-{version}"
    image_id = next((ami.id for ami in backend.amis.values() if ami.name == name), None)
    if image_id is not None:
        return str(image_id)
    facts = find(instance_type)
    ami_id = random_ami_id()
    backend.amis[ami_id] = Ami(
        backend, ami_id, name=name, owner_id=_AMAZON, owner_alias="amazon", public=True, virtualization_type="hvm",
        architecture=(facts and facts.architecture) or "x86_64", root_device_type="ebs", region_name=f"{aws.region}a",
    )  # fmt: skip
    return str(ami_id)


def _make_profile(aws: Aws, group: Mapping[str, Any]) -> None:
    iam = aws.client("iam")
    iam.create_instance_profile(InstanceProfileName=_profile(group))
    iam.add_role_to_instance_profile(InstanceProfileName=_profile(group), RoleName=_role(group))


def _tags(group: Mapping[str, Any]) -> dict[str, str]:
    """Return the tags that EKS puts on instances. Those of the node group itself do not reach them.

    https://docs.aws.amazon.com/eks/latest/userguide/eks-using-tags.html
    """
    cluster = group["clusterName"]
    own = {"eks:cluster-name": cluster, "eks:nodegroup-name": group["nodegroupName"]}
    return {**own, f"kubernetes.io/cluster/{cluster}": "owned", f"k8s.io/cluster-autoscaler/{cluster}": "owned"}


def _name(group: Mapping[str, Any]) -> str:
    return str(group["resources"]["autoScalingGroups"][0]["name"])


def _profile(group: Mapping[str, Any]) -> str:
    return "eks-" + str(group["nodegroupArn"]).rpartition("/")[2]


def _role(group: Mapping[str, Any]) -> str:
    return str(group["nodeRole"]).rpartition("/")[2]
