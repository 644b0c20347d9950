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


def stacks(status: str = "CREATE_COMPLETE", **tags: str) -> dict[str, Any]:
    carried = [{"Key": f"trainyard:{key}", "Value": value} for key, value in tags.items()]
    made = {"StackName": "use2-network", "StackStatus": status, "CreationTime": NOW, "StackId": "arn", "Tags": carried}
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
