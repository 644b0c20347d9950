"""Clusters of EKS as AWS describes them, also where it leaves things out."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.deploy.preflights.recorded import RecordedAccount, Refusal
from tests.edge.aws.in_memory import account_in_memory
from trainyard.edge.aws import eks

NETWORK = {"subnetIds": ["subnet-0123456789abcdef0"], "securityGroupIds": ["sg-1"]}


@pytest.fixture
def account():
    with account_in_memory() as made:
        yield made


@pytest.fixture
def cluster(account):
    account.client("eks").create_cluster(
        name="llm",
        version="1.35",
        roleArn="arn:aws:iam::123456789012:role/r",
        resourcesVpcConfig={**NETWORK, "publicAccessCidrs": ["203.0.113.7/32"], "endpointPublicAccess": True},
        tags={"trainyard:cluster": "llm"},
        logging={
            "clusterLogging": [{"types": ["api", "audit"], "enabled": True}, {"types": ["scheduler"], "enabled": False}]
        },
    )
    return account


def test_a_cluster_is_found_with_what_it_says(cluster):
    eks_cluster = eks.find_cluster(cluster, "llm")
    assert eks_cluster is not None
    assert (eks_cluster.name, eks_cluster.status, eks_cluster.version) == ("llm", "ACTIVE", "1.35")
    assert eks_cluster.tags == {"trainyard:cluster": "llm"}
    assert eks_cluster.endpoint.startswith("https://")
    assert eks_cluster.certificate_authority
    assert eks_cluster.logs == ("api", "audit")
    assert eks_cluster.security_groups[0] == "sg-1"


def test_what_is_not_there_is_none(account):
    assert eks.find_cluster(account, "llm") is None
    assert eks.find_node_group(account, "llm", "training") is None


def test_node_groups_come_by_name_with_their_sizes(cluster):
    for name in ("training", "system"):
        cluster.client("eks").create_nodegroup(
            clusterName="llm",
            nodegroupName=name,
            scalingConfig={"minSize": 0, "desiredSize": 2, "maxSize": 4},
            subnets=["subnet-0123456789abcdef0"],
            nodeRole="arn:aws:iam::123456789012:role/node",
            instanceTypes=["p5.48xlarge"],
            labels={"trainyard/queue": name},
            taints=[{"key": "nvidia.com/gpu", "value": "true", "effect": "NO_SCHEDULE"}],
        )
    system, training = eks.node_groups(cluster, "llm")
    assert (system.name, training.name) == ("system", "training")
    assert (training.min_nodes, training.desired_nodes, training.max_nodes) == (0, 2, 4)
    assert training.instance_types == ("p5.48xlarge",)
    assert training.taints == (("nvidia.com/gpu", "true", "NO_SCHEDULE"),)
    assert len(training.scaling_groups) == 1


BARE: dict[str, Any] = {"name": "llm", "arn": "arn:aws:eks:us-east-2:123456789012:cluster/llm"}


def recorded(**answers: Any) -> Any:
    return RecordedAccount("us-east-2", answers={f"eks.{call}": value for call, value in answers.items()})


def test_a_cluster_that_is_being_made_has_no_endpoint_yet():
    found = eks.find_cluster(recorded(DescribeCluster={"cluster": {**BARE, "status": "CREATING"}}), "llm")
    assert found is not None
    assert (found.endpoint, found.certificate_authority, found.tags, found.health) == ("", "", {}, ())


def test_what_eks_finds_wrong_is_told():
    issue = {"code": "Ec2SubnetNotFound", "message": "the subnet is gone", "resourceIds": ["subnet-1"]}
    found = eks.find_cluster(recorded(DescribeCluster={"cluster": {**BARE, "health": {"issues": [issue]}}}), "llm")
    assert found is not None
    assert found.health == (eks.HealthIssue("Ec2SubnetNotFound", "the subnet is gone", ("subnet-1",)),)


def test_a_cluster_that_is_gone_has_no_node_groups():
    assert eks.node_groups(recorded(ListNodegroups=Refusal("ResourceNotFoundException")), "llm") == ()


def test_add_ons_with_their_versions_and_values():
    account = recorded(
        ListAddons={"addons": ["vpc-cni", "coredns"]},
        DescribeAddon=lambda asked: {
            "addon": {
                "addonName": asked["addonName"],
                "addonVersion": "v1",
                "status": "DEGRADED",
                "configurationValues": "{}",
                "podIdentityAssociations": ["arn:a"],
            }
        },
    )
    addons = eks.addons(account, "llm")
    assert [addon.name for addon in addons] == ["coredns", "vpc-cni"]
    assert addons[0][1:] == ("v1", "DEGRADED", (), "{}", True)


def test_updates_say_why_they_failed_the_newest_first():
    made = {
        "a": {
            "id": "a",
            "type": "VersionUpdate",
            "status": "Successful",
            "createdAt": datetime(2026, 11, 21, tzinfo=UTC),
        },
        "b": {
            "id": "b",
            "type": "AddonUpdate",
            "status": "Failed",
            "createdAt": datetime(2026, 11, 22, tzinfo=UTC),
            "errors": [{"errorCode": "ConfigurationConflict", "errorMessage": "apply failed"}],
        },
    }
    account = recorded(
        ListUpdates={"updateIds": ["a", "b"]}, DescribeUpdate=lambda asked: {"update": made[asked["updateId"]]}
    )
    newest, oldest = eks.updates(account, "llm", node_group="training")
    assert (newest.id, newest.errors, oldest.id) == ("b", ("ConfigurationConflict: apply failed",), "a")
