import pytest

from tests.rules.documents.found import managed, paths, problems

RULE = "eksctl-node-policies-replaced"
WORKER, ECR = "arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy", "arn:aws:iam::aws:policy/AmazonEC2ContainerRegistry"


def test_policies_without_those_of_nodes_are_found_with_what_is_missing():
    (problem,) = problems(RULE, managed("iam: {attachPolicyARNs: [arn:aws:iam::123456789012:policy/mine]}"))
    assert problem.path == ("managedNodeGroups", 0, "iam", "attachPolicyARNs")
    assert problem.remedy == "add AmazonEKSWorkerNodePolicy and AmazonEC2ContainerRegistryReadOnly"


def test_one_that_is_missing_is_named_alone():
    (problem,) = problems(RULE, managed(f"iam: {{attachPolicyARNs: ['{WORKER}']}}"))
    assert problem.remedy == "add AmazonEC2ContainerRegistryReadOnly"


@pytest.mark.parametrize("access", ["ReadOnly", "PullOnly", "PowerUser"])
def test_both_are_fine_whichever_of_ecr_s(access: str):
    assert paths(RULE, managed(f"iam: {{attachPolicyARNs: ['{WORKER}', '{ECR}{access}']}}")) == []


def test_policies_that_are_added_replace_none():
    assert paths(RULE, managed("iam: {withAddonPolicies: {fsx: true}}")) == []
