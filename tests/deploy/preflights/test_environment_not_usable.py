from typing import Any

import pytest

from tests.deploy.preflights.good import NOW, found, problems

PREFLIGHT = "environment-not-usable"
SPEC = """\
name: llm-p5
region: us-east-2
platform: parallelcluster
environment: use2
queues: [{name: compute-gpu, instance_type: p5.48xlarge, nodes: {min: 0, max: 4}}]
"""


ON_EKS = SPEC.replace("parallelcluster", "eks").replace("queues:", "network: {availability_zone: us-east-2a}\nqueues:")
NETWORK = {
    "VpcId": "vpc-0123456789abcdef0",
    "PrimaryPrivateSubnet": "subnet-0123456789abcdef1",
    "PublicSubnet": "subnet-0123456789abcdef0",
    "HeadNodeSecurityGroup": "sg-0123456789abcdef0",
    "ComputeNodeSecurityGroup": "sg-0123456789abcdef1",
}


def stacks(status: str = "CREATE_COMPLETE", outputs: dict[str, str] | None = None, **tags: str) -> dict[str, Any]:
    carried = [{"Key": f"trainyard:{key}", "Value": value} for key, value in tags.items()]
    given = NETWORK if outputs is None else outputs
    made = {
        "StackName": "use2-network",
        "StackStatus": status,
        "CreationTime": NOW,
        "StackId": "arn",
        "Tags": carried,
        "Outputs": [{"OutputKey": key, "OutputValue": value} for key, value in given.items()],
    }
    return {"cloudformation.DescribeStacks": {"Stacks": [made]}}


def test_an_environment_that_is_whole_is_fine():
    assert found(PREFLIGHT, SPEC, stacks(environment="use2")) == []


def test_an_environment_that_is_not_there_is_found():
    (problem,) = problems(PREFLIGHT, SPEC, {"cloudformation.DescribeStacks": {"Stacks": []}})
    assert problem.path == ("environment",)
    assert problem.message == "account 123456789012 has no environment use2 in us-east-2"


@pytest.mark.parametrize("tags", [{"environment": "usw2"}, {"environment": "use2", "cluster": "llm-a100"}])
def test_stacks_of_others_and_of_its_clusters_are_not_the_environment(tags):
    assert found(PREFLIGHT, SPEC, stacks(**tags)) == ["environment"]


@pytest.mark.parametrize("status", ["CREATE_IN_PROGRESS", "ROLLBACK_COMPLETE", "DELETE_FAILED"])
def test_an_environment_that_is_not_whole_is_found(status):
    assert found(PREFLIGHT, SPEC, stacks(status, environment="use2")) == ["environment"]


def test_a_cluster_without_one_asks_for_none():
    assert found(PREFLIGHT, answers={"cloudformation.DescribeStacks": {}}) == []


def test_an_environment_of_one_zone_has_no_subnet_for_a_control_plane_of_eks():
    (problem,) = problems(PREFLIGHT, ON_EKS, stacks(environment="use2"))
    assert problem.path == ("environment",)
    assert "private subnet of the control plane of EKS in a second zone (ControlPlaneSubnet)" in problem.message
    assert "network.secondary_availability_zone" in str(problem.remedy)
    second = {**NETWORK, "ControlPlaneSubnet": "subnet-0123456789abcdef2"}
    assert found(PREFLIGHT, ON_EKS, stacks(environment="use2", outputs=second)) == []


@pytest.mark.parametrize("spec", [SPEC, ON_EKS], ids=["parallelcluster", "eks"])
def test_an_environment_without_a_network_of_its_own_gives_no_subnets(spec: str):
    (problem,) = problems(PREFLIGHT, spec, stacks(environment="use2", outputs={}))
    assert "(PrimaryPrivateSubnet)" in problem.message
    assert "network.existing" in str(problem.remedy)


def test_a_file_system_that_the_environment_does_not_have_is_named():
    spec = SPEC + "file_systems: [{mount: /fsx, lustre: {id: environment}}]\n"
    (problem,) = problems(PREFLIGHT, spec, stacks(environment="use2"))
    assert "(FSxLustreFilesystemId)" in problem.message
    assert "into the spec of the environment" in str(problem.remedy)


def test_another_zone_than_that_of_the_environment_s_nodes_is_found():
    spec = SPEC.replace("queues:", "network: {availability_zone: us-east-2c}\nqueues:")
    (problem,) = problems(PREFLIGHT, spec, stacks(environment="use2"))
    assert problem.path == ("network", "availability_zone")
    assert problem.message == "nodes of environment use2 stand in us-east-2a, and the cluster is to be in us-east-2c"
    assert problem.remedy == "write us-east-2a, or leave the zone out"


def test_the_zone_of_a_queue_is_that_of_the_environment_or_is_found():
    right = SPEC.replace("nodes:", "availability_zone: us-east-2a, nodes:")
    assert found(PREFLIGHT, right, stacks(environment="use2")) == []
    (problem,) = problems(PREFLIGHT, right.replace("us-east-2a", "us-east-2c"), stacks(environment="use2"))
    assert problem.path == ("queues", 0, "availability_zone")
    assert "stand in us-east-2a, and queue compute-gpu is to be in us-east-2c" in problem.message
