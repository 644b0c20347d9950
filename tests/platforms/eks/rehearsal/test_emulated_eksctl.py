"""What an emulated eksctl makes of a configuration, and what it refuses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.rehearsal import cloud
from tests.rehearsal.eks_clusters import GPU_TAINT, config_for, deleted, eksctl_of, group, made
from trainyard.document.write import yaml_text
from trainyard.edge.aws.account import Account
from trainyard.edge.eksctl import EksctlRefusedError

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]

TRAINING = group(
    "training",
    "p5.48xlarge",
    2,
    labels={"trainyard/queue": "p5"},
    taints=[GPU_TAINT],
    efaEnabled=True,
    disablePodIMDS=True,
)


@pytest.fixture(scope="module")
def cluster(account: Account) -> Iterator[str]:
    addons = [{"name": "vpc-cni", "useDefaultPodIdentityAssociations": True}, {"name": "coredns"}]
    logs = {"clusterLogging": {"enableTypes": ["audit"], "logRetentionInDays": 14}}
    name = made(account, TRAINING, addons=addons, cloudWatch=logs)
    yield name
    deleted(account, name)
    account.client("logs").delete_log_group(logGroupName=f"/aws/eks/{name}/cluster")


def stacks(account: Account, name: str) -> list[str]:
    found = account.client("cloudformation").describe_stacks()["Stacks"]
    return sorted(
        one["StackName"].removeprefix(f"eksctl-{name}-") for one in found if f"eksctl-{name}-" in one["StackName"]
    )


def test_each_part_has_a_stack_of_the_name_that_eksctl_gives_it(account: Account, cluster: str):
    assert stacks(account, cluster) == [
        "addon-vpc-cni-podidentityrole-aws-node", "cluster", "nodegroup-system", "nodegroup-training",
    ]  # fmt: skip


def test_stacks_and_cluster_have_the_tags_of_the_configuration(account: Account, cluster: str):
    stack = account.client("cloudformation").describe_stacks(StackName=f"eksctl-{cluster}-nodegroup-training")[
        "Stacks"
    ][0]
    tags = {tag["Key"]: tag["Value"] for tag in stack["Tags"]}
    assert tags["team"] == "llm"
    assert tags["alpha.eksctl.io/cluster-name"] == cluster
    assert tags["alpha.eksctl.io/nodegroup-name"] == "training"
    assert account.client("eks").describe_cluster(name=cluster)["cluster"]["tags"]["team"] == "llm"


def test_nodes_are_launched_with_what_group_and_template_say(account: Account, cluster: str):
    filters = [
        {"Name": "tag:eks:nodegroup-name", "Values": ["training"]},
        {"Name": "tag:eks:cluster-name", "Values": [cluster]},
    ]
    found = account.client("ec2").describe_instances(Filters=filters)["Reservations"]
    instances = [instance for reservation in found for instance in reservation["Instances"]]
    assert len(instances) == 2
    assert {instance["InstanceType"] for instance in instances} == {"p5.48xlarge"}
    assert {len(instance["NetworkInterfaces"]) for instance in instances} == {32}
    assert {instance["MetadataOptions"]["HttpPutResponseHopLimit"] for instance in instances} == {1}
    tags = {tag["Key"]: tag["Value"] for tag in instances[0]["Tags"]}
    assert tags["team"] == "llm"
    assert tags[f"kubernetes.io/cluster/{cluster}"] == "owned"


def test_with_efa_and_no_reserved_capacity_there_is_a_placement_group(account: Account, cluster: str):
    found = account.client("cloudformation").describe_stack_resources(StackName=f"eksctl-{cluster}-nodegroup-training")
    kinds = {stack_resource["LogicalResourceId"] for stack_resource in found["StackResources"]}
    assert {"EFASG", "EFAIngressSelf", "EFAEgressSelf", "NodeGroupPlacementGroup", "LaunchTemplate"} <= kinds


def test_add_ons_have_the_roles_that_eks_recommends(account: Account, cluster: str):
    eks = account.client("eks")
    addon = eks.describe_addon(clusterName=cluster, addonName="vpc-cni")["addon"]
    (association,) = eks.list_pod_identity_associations(clusterName=cluster, namespace="kube-system")["associations"]
    assert addon["podIdentityAssociations"] == [association["associationArn"]]
    assert association["serviceAccount"] == "aws-node"


def test_logs_of_the_control_plane_are_kept_as_long_as_is_said(account: Account, cluster: str):
    groups = account.client("logs").describe_log_groups(logGroupNamePrefix=f"/aws/eks/{cluster}/")["logGroups"]
    assert [one["retentionInDays"] for one in groups] == [14]


def test_the_system_has_no_efa_and_says_so_to_nobody(account: Account, cluster: str):
    found = account.client("cloudformation").describe_stack_resources(StackName=f"eksctl-{cluster}-nodegroup-system")
    assert {stack_resource["LogicalResourceId"] for stack_resource in found["StackResources"]} == {
        "LaunchTemplate", "ManagedNodeGroup", "NodeInstanceRole",
    }  # fmt: skip


def test_a_cluster_that_is_deleted_leaves_nothing_but_its_log_group(account: Account):
    before = cloud.inventory(account)
    entry = {"principalARN": f"arn:aws:iam::{account.id}:role/admin", "accessPolicies": [ADMIN]}
    logs = {"clusterLogging": {"enableTypes": ["audit"]}}
    access = {"authenticationMode": "API", "accessEntries": [entry]}
    name = made(account, group("gpu", "g4dn.xlarge", 1), accessConfig=access, cloudWatch=logs)
    deleted(account, name)
    after = cloud.inventory(account)
    assert [one for one in after.pop("Log groups") if one not in before.get("Log groups", [])] == [
        f"/aws/eks/{name}/cluster"
    ]
    before.pop("Log groups", None)
    assert after == before
    account.client("logs").delete_log_group(logGroupName=f"/aws/eks/{name}/cluster")


ADMIN = {
    "policyARN": "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy",
    "accessScope": {"type": "cluster"},
}


def test_a_node_group_is_added_scaled_and_deleted(account: Account):
    name = made(account)
    config = config_for(account, group("late", "c5.2xlarge", 1), metadata=metadata_of(account, name))
    eksctl, eks = eksctl_of(account), account.client("eks")
    eksctl.create_node_groups(yaml_text(config), ["late"], lambda _: None)
    eksctl.scale_node_group(yaml_text(config), "late", (0, 2, 3), lambda _: None)
    late = eks.describe_nodegroup(clusterName=name, nodegroupName="late")["nodegroup"]
    assert late["scalingConfig"] == {"minSize": 0, "desiredSize": 2, "maxSize": 3}
    eksctl.delete_node_group(yaml_text(config), "late", lambda _: None)
    assert eks.list_nodegroups(clusterName=name)["nodegroups"] == ["system"]
    deleted(account, name)


def metadata_of(account: Account, name: str) -> dict[str, Any]:
    return {"name": name, "region": account.region, "version": "1.35", "tags": {"team": "llm"}}


def test_endpoint_and_logs_are_changed_by_calls(account: Account):
    name = made(account)
    config = config_for(account, metadata=metadata_of(account, name))
    config["vpc"] |= {"clusterEndpoints": {"publicAccess": False, "privateAccess": True}}
    config["cloudWatch"] = {"clusterLogging": {"enableTypes": ["api"]}}
    eksctl_of(account).put_settings(yaml_text(config), lambda _: None)
    there = account.client("eks").describe_cluster(name=name)["cluster"]
    assert there["resourcesVpcConfig"]["endpointPublicAccess"] is False
    assert there["logging"]["clusterLogging"] == [{"types": ["api"], "enabled": True}]
    deleted(account, name)
    account.client("logs").delete_log_group(logGroupName=f"/aws/eks/{name}/cluster")


def refused(account: Account, **changes: Any) -> str:
    config = config_for(account, TRAINING)
    config["managedNodeGroups"][1] = {**TRAINING, **changes.pop("group", {})}
    config["metadata"] |= changes.pop("metadata", {})
    with pytest.raises(EksctlRefusedError) as error:
        eksctl_of(account).dry_run(yaml_text({**config, **changes}))
    return error.value.problem


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"availabilityZones": ["us-east-2c"]}, "no subnets found in zones us-east-2c"),
        ({"instanceType": "c5.2xlarge"}, "c5.2xlarge does not support EFA"),
        ({"launchTemplate": {"id": "lt-0123456789abcdef0"}}, "when a launch template is supplied"),
        ({"instanceMarketOptions": {"marketType": "capacity-block"}}, "need capacityReservation"),
        ({"instanceTypes": ["p5.48xlarge"]}, "only one of instanceType or instanceTypes"),
    ],
)
def test_a_node_group_that_eksctl_would_not_take_is_refused(account: Account, changed: dict[str, Any], words: str):
    assert words in refused(account, group=changed)


def test_a_version_that_eks_does_not_make_is_refused(account: Account):
    assert "invalid version, supported values: 1." in refused(account, metadata={"version": "1.27"})


def test_a_subnet_under_the_name_of_another_zone_is_refused(account: Account):
    config = config_for(account)
    subnets = config["vpc"]["subnets"]["private"]
    crossed = dict(zip(subnets, reversed(subnets.values()), strict=True))
    with pytest.raises(EksctlRefusedError, match=r"vpc\.subnets calls it us-east-2a"):
        eksctl_of(account).dry_run(yaml_text({**config, "vpc": {**config["vpc"], "subnets": {"private": crossed}}}))


def test_one_zone_is_not_enough_for_a_control_plane(account: Account):
    config = config_for(account)
    one = dict([next(iter(config["vpc"]["subnets"]["private"].items()))])
    with pytest.raises(EksctlRefusedError, match="at least two in different availability zones"):
        eksctl_of(account).dry_run(yaml_text({**config, "vpc": {**config["vpc"], "subnets": {"private": one}}}))


def reserved(account: Account, nodes: int, zone: str = "us-east-2a") -> str:
    made_up = account.client("ec2").create_capacity_reservation(
        InstanceType="p4d.24xlarge", InstancePlatform="Linux/UNIX", AvailabilityZone=zone, InstanceCount=nodes
    )
    return str(made_up["CapacityReservation"]["CapacityReservationId"])


def reserving(reservation: str, nodes: int) -> dict[str, Any]:
    target = {"capacityReservationTarget": {"capacityReservationID": reservation}}
    return group("p4d", "p4d.24xlarge", nodes, capacityReservation=target, availabilityZones=["us-east-2a"])


def left(account: Account, reservation: str) -> int:
    found = account.client("ec2").describe_capacity_reservations(CapacityReservationIds=[reservation])
    return int(found["CapacityReservations"][0]["AvailableInstanceCount"])


def test_nodes_are_taken_from_their_reservation_and_given_back(account: Account):
    reservation = reserved(account, 3)
    name = made(account, reserving(reservation, 2))
    assert left(account, reservation) == 1
    deleted(account, name)
    assert left(account, reservation) == 3


@pytest.mark.parametrize(
    ("reservation", "nodes", "words"),
    [
        ((1, "us-east-2a"), 2, "ReservationCapacityExceeded"),
        ((2, "us-east-2b"), 2, "is for p4d.24xlarge in us-east-2b, not for p4d.24xlarge in us-east-2a"),
    ],
    ids=["too small", "in another zone"],
)
def test_a_node_group_without_its_capacity_fails_with_the_words_of_eks(
    account: Account, reservation: tuple[int, str], nodes: int, words: str
):
    config = config_for(account, reserving(reserved(account, *reservation), nodes))
    name = config["metadata"]["name"]
    with pytest.raises(EksctlRefusedError) as error:
        eksctl_of(account).create_cluster(yaml_text(config), lambda _: None)
    assert "Issue(Code=AsgInstanceLaunchFailures, Message=Could not launch On-Demand Instances." in error.value.problem
    assert words in error.value.problem
    assert "ROLLBACK_COMPLETE" in error.value.problem
    deleted(account, name)
    assert stacks(account, name) == []
