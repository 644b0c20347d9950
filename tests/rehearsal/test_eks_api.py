"""EKS's API in an emulated account: what it refuses, and what it goes on to show."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from tests.rehearsal import cloud
from tests.rehearsal.cloud import refusal
from trainyard.edge.aws.account import Account

Places = tuple[dict[str, str], list[str]]
"""Roles by their service, and subnets by their zone."""
pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]


def role(account: Account, service: str) -> str:
    principal = {"Service": f"{service}.amazonaws.com"}
    trust = {"Effect": "Allow", "Principal": principal, "Action": ["sts:AssumeRole", "sts:TagSession"]}
    document = json.dumps({"Version": "2012-10-17", "Statement": [trust]})
    made = account.client("iam").create_role(RoleName=f"r{uuid.uuid4().hex[:8]}", AssumeRolePolicyDocument=document)
    return str(made["Role"]["Arn"])


@pytest.fixture(scope="module")
def subnets(account: Account) -> list[str]:
    found = account.client("ec2").describe_subnets(Filters=[{"Name": "default-for-az", "Values": ["true"]}])["Subnets"]
    by_zone = {one["AvailabilityZone"]: one["SubnetId"] for one in found}
    return [by_zone[zone] for zone in sorted(by_zone)]


@pytest.fixture(scope="module")
def roles(account: Account) -> dict[str, str]:
    return {service: role(account, service) for service in ("eks", "ec2", "pods.eks")}


@pytest.fixture(scope="module")
def places(roles: dict[str, str], subnets: list[str]) -> Places:
    return roles, subnets


def asked(roles: dict[str, str], subnets: list[str], **more: Any) -> dict[str, Any]:
    network = {"subnetIds": subnets[:2]}
    return {
        "name": f"c{uuid.uuid4().hex[:8]}",
        "roleArn": roles["eks"],
        "resourcesVpcConfig": network,
        "version": "1.35",
        **more,
    }


@pytest.fixture(scope="module")
def cluster(account: Account, places: Places) -> Iterator[str]:
    eks, access = account.client("eks"), {"authenticationMode": "API"}
    name = eks.create_cluster(**asked(*places, accessConfig=access, tags={"team": "llm"}))["cluster"]["name"]
    yield name
    for nodegroup in eks.list_nodegroups(clusterName=name)["nodegroups"]:
        eks.delete_nodegroup(clusterName=name, nodegroupName=nodegroup)
    eks.delete_cluster(name=name)


def node_group(cluster: str, roles: dict[str, str], subnets: list[str], **more: Any) -> dict[str, Any]:
    sizes = {"minSize": 0, "desiredSize": 1, "maxSize": 2}
    plain = {"clusterName": cluster, "nodegroupName": f"n{uuid.uuid4().hex[:8]}", "subnets": subnets[:1]}
    return {**plain, "nodeRole": roles["ec2"], "scalingConfig": sizes, "instanceTypes": ["c5.2xlarge"], **more}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"roleArn": "arn:aws:iam::123456789012:role/nobody"}, "nobody"),
        ({"version": "1.24"}, "unsupported Kubernetes version 1.24"),
        ({"resourcesVpcConfig": {"subnetIds": ["subnet-0123456789abcdef0"]}}, "subnet-0123"),
        ({"name": "no spaces"}, "does not match"),
    ],
    ids=["role", "version", "subnet", "name"],
)
def test_a_cluster_that_names_what_is_not_there_is_refused(account: Account, places: Places, changed: Any, words: str):
    refused = refusal(account.client("eks").create_cluster, **{**asked(*places), **changed})
    assert refused[0] == "InvalidParameterException"
    assert words in refused[1]


def test_a_control_plane_stands_in_two_zones(account: Account, places: Places):
    one = asked(*places, resourcesVpcConfig={"subnetIds": places[1][:1]})
    assert "at least two different AZs" in refusal(account.client("eks").create_cluster, **one)[1]


def test_a_name_is_taken_once(account: Account, cluster: str, places: Places):
    refused = refusal(account.client("eks").create_cluster, **{**asked(*places), "name": cluster})
    assert refused == ("ResourceInUseException", f"Cluster already exists with name: {cluster}")


def test_a_cluster_that_is_not_there_is_said_so(account: Account):
    refused = refusal(account.client("eks").describe_cluster, name="nobody")
    assert refused == ("ResourceNotFoundException", "No cluster found for name: nobody.")


def test_a_cluster_holds_on_to_subnets_and_is_held_by_its_node_groups(account: Account, cluster: str, places: Places):
    assert refusal(account.client("ec2").delete_subnet, SubnetId=places[1][0])[0] == "DependencyViolation"
    group = node_group(cluster, *places)
    account.client("eks").create_nodegroup(**group)
    assert "Cluster has nodegroups attached" in refusal(account.client("eks").delete_cluster, name=cluster)[1]
    account.client("eks").delete_nodegroup(clusterName=cluster, nodegroupName=group["nodegroupName"])


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"scalingConfig": {"minSize": 2, "desiredSize": 1, "maxSize": 3}}, "have to grow in this order"),
        ({"nodeRole": "arn:aws:iam::123456789012:role/nobody"}, "nobody"),
        ({"launchTemplate": {"id": "lt-0123456789abcdef0"}}, "lt-0123456789abcdef0"),
        ({"amiType": "AL2023_x86_64_GPU"}, "is not one of"),
    ],
    ids=["sizes", "role", "launch template", "image"],
)
def test_a_node_group_that_cannot_be_is_refused(
    account: Account, cluster: str, places: Places, changed: Any, words: str
):
    before = cloud.inventory(account)
    refused = refusal(account.client("eks").create_nodegroup, **{**node_group(cluster, *places), **changed})
    assert refused[0] == "InvalidParameterException"
    assert words in refused[1]
    assert cloud.inventory(account) == before


def test_one_place_names_the_instance_type(account: Account, cluster: str, places: Places):
    name = f"t{uuid.uuid4().hex[:8]}"
    data = {"InstanceType": "c5.2xlarge"}
    account.client("ec2").create_launch_template(LaunchTemplateName=name, LaunchTemplateData=data)
    refused = refusal(
        account.client("eks").create_nodegroup, **node_group(cluster, *places, launchTemplate={"name": name})
    )
    assert "in both the launch template and the request" in refused[1]
    account.client("ec2").delete_launch_template(LaunchTemplateName=name)


def test_an_image_of_the_launch_template_is_the_user_s_own(account: Account, cluster: str, places: Places):
    client, name = account.client("eks"), "own-image"
    image = account.client("ec2").describe_images(Owners=["amazon"])["Images"][0]["ImageId"]
    data = {"ImageId": image}
    account.client("ec2").create_launch_template(LaunchTemplateName=name, LaunchTemplateData=data)
    asked = node_group(cluster, *places, launchTemplate={"name": name})
    described = client.create_nodegroup(**asked)["nodegroup"]
    assert described["amiType"] == "CUSTOM"
    client.delete_nodegroup(clusterName=cluster, nodegroupName=described["nodegroupName"])
    account.client("ec2").delete_launch_template(LaunchTemplateName=name)


def test_nodes_without_security_groups_are_in_that_of_the_cluster(account: Account, cluster: str, places: Places):
    eks, group = account.client("eks"), node_group(cluster, *places)
    eks.create_nodegroup(**group)
    filters = [{"Name": "tag:eks:nodegroup-name", "Values": [group["nodegroupName"]]}]
    (found,) = account.client("ec2").describe_instances(Filters=filters)["Reservations"]
    network = eks.describe_cluster(name=cluster)["cluster"]["resourcesVpcConfig"]
    assert [one["GroupId"] for one in found["Instances"][0]["SecurityGroups"]] == [network["clusterSecurityGroupId"]]


def test_labels_and_taints_change_in_place(account: Account, cluster: str, places: Places):
    eks = account.client("eks")
    taint = {"key": "a", "value": "b", "effect": "NO_SCHEDULE"}
    group = node_group(cluster, *places, labels={"old": "1"}, taints=[taint])
    eks.create_nodegroup(**group)
    where = {"clusterName": cluster, "nodegroupName": group["nodegroupName"]}
    labels = {"addOrUpdateLabels": {"new": "2"}, "removeLabels": ["old"]}
    update = eks.update_nodegroup_config(**where, labels=labels, taints={"removeTaints": [taint]})["update"]
    there = eks.describe_nodegroup(**where)["nodegroup"]
    assert (there["labels"], there["taints"]) == ({"new": "2"}, [])
    assert eks.describe_update(name=cluster, updateId=update["id"])["update"]["status"] == "Successful"


def test_pods_take_only_roles_that_let_them(account: Account, cluster: str, places: Places):
    eks, who = account.client("eks"), {"clusterName": cluster, "namespace": "monitoring", "serviceAccount": "agent"}
    assert "assume it" in refusal(eks.create_pod_identity_association, **who, roleArn=places[0]["ec2"])[1]
    made = eks.create_pod_identity_association(**who, roleArn=places[0]["pods.eks"])["association"]
    assert (
        refusal(eks.create_pod_identity_association, **who, roleArn=places[0]["pods.eks"])[0]
        == "ResourceInUseException"
    )
    eks.delete_pod_identity_association(clusterName=cluster, associationId=made["associationId"])
    assert eks.list_pod_identity_associations(clusterName=cluster)["associations"] == []


def test_access_entries_need_the_mode_that_has_them(account: Account, places: Places):
    eks = account.client("eks")
    name = eks.create_cluster(**asked(*places))["cluster"]["name"]
    refused = refusal(eks.create_access_entry, clusterName=name, principalArn=places[0]["ec2"])
    assert "authentication mode" in refused[1]
    eks.delete_cluster(name=name)


def test_tags_are_put_read_and_taken_away(account: Account, cluster: str):
    eks = account.client("eks")
    arn = eks.describe_cluster(name=cluster)["cluster"]["arn"]
    eks.tag_resource(resourceArn=arn, tags={"stage": "test"})
    assert eks.list_tags_for_resource(resourceArn=arn)["tags"] == {"team": "llm", "stage": "test"}
    eks.untag_resource(resourceArn=arn, tagKeys=["stage"])
    assert eks.describe_cluster(name=cluster)["cluster"]["tags"] == {"team": "llm"}


def test_what_is_wrong_with_values_of_an_add_on_is_said(account: Account, cluster: str):
    refused = refusal(
        account.client("eks").create_addon, clusterName=cluster, addonName="coredns", configurationValues="{replicas"
    )
    assert "not in supported format" in refused[1]


def test_lists_come_in_pages(account: Account, cluster: str):
    eks = account.client("eks")
    for name in ("coredns", "kube-proxy", "vpc-cni"):
        eks.create_addon(clusterName=cluster, addonName=name)
    first = eks.list_addons(clusterName=cluster, maxResults=2)
    second = eks.list_addons(clusterName=cluster, maxResults=2, nextToken=first["nextToken"])
    assert [*first["addons"], *second["addons"]] == ["coredns", "kube-proxy", "vpc-cni"]
    assert "nextToken" not in second


def test_versions_beyond_extended_support_are_not_offered(account: Account):
    offered = [one["clusterVersion"] for one in account.client("eks").describe_cluster_versions()["clusterVersions"]]
    assert "1.35" in offered
    assert "1.27" not in offered
