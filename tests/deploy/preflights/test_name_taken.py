import pytest

from tests.deploy.preflights.good import found, problems, stack
from tests.deploy.preflights.on_eks import SPEC as EKS

PREFLIGHT = "name-taken"


@pytest.mark.parametrize("name", ["llm-p5", "llm-p5-network", "llm-p5-storage", "llm-p5-monitoring", "llm-p5-assets"])
@pytest.mark.parametrize("owner", [None, "somebody-else"])
def test_a_stack_that_was_not_made_for_this_cluster_is_found(name, owner):
    (problem,) = problems(PREFLIGHT, answers={"cloudformation.DescribeStacks": stack(name, owner=owner)})
    assert problem.path == ("name",)
    assert problem.message == f"account 123456789012 has a stack {name} already, which was not made for this cluster"


@pytest.mark.parametrize(
    "status", ["CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE", "CREATE_IN_PROGRESS"]
)
def test_a_whole_stack_of_the_same_cluster_is_fine(status):
    assert found(PREFLIGHT, answers={"cloudformation.DescribeStacks": stack("llm-p5", status)}) == []


@pytest.mark.parametrize("status", ["ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "CREATE_FAILED"])
def test_a_cluster_that_failed_is_an_error_unless_it_is_to_be_made_again(status):
    answers = {"cloudformation.DescribeStacks": stack("llm-p5", status)}
    (problem,) = problems(PREFLIGHT, answers=answers)
    assert problem.message == f"stack llm-p5 of an earlier deployment is {status}"
    assert "--recreate" in (problem.remedy or "")
    assert found(PREFLIGHT, answers=answers, recreates=True) == ["name (warning)"]


@pytest.mark.parametrize("status", ["ROLLBACK_COMPLETE", "CREATE_FAILED", "DELETE_FAILED", "DELETE_IN_PROGRESS"])
def test_what_is_left_of_a_stack_beside_it_is_a_warning(status):
    answers = {"cloudformation.DescribeStacks": stack("llm-p5-network", status)}
    assert found(PREFLIGHT, answers=answers) == ["name (warning)"]


def test_a_cluster_that_could_not_be_deleted_is_a_warning():
    assert found(PREFLIGHT, answers={"cloudformation.DescribeStacks": stack("llm-p5", "DELETE_FAILED")}) == [
        "name (warning)"
    ]


def test_a_cluster_of_this_name_on_another_platform_is_found():
    (problem,) = problems(PREFLIGHT, answers={"cloudformation.DescribeStacks": stack("llm-p5-batch")})
    assert problem.message == "stack llm-p5-batch is a cluster of this name on batch"
    assert problem.remedy == "choose another name, or destroy that cluster first"


def test_a_stack_of_somebody_else_that_only_ends_like_a_cluster_on_another_platform_is_fine():
    answers = {"cloudformation.DescribeStacks": stack("llm-p5-batch", owner="somebody-else")}
    assert found(PREFLIGHT, answers=answers) == []


@pytest.mark.parametrize("status", ["ROLLBACK_COMPLETE", "CREATE_FAILED"])
def test_a_cluster_of_eks_that_failed_is_an_error_unless_it_is_to_be_made_again(status):
    answers = {"cloudformation.DescribeStacks": stack("eksctl-llm-p5-cluster", status)}
    (problem,) = problems(PREFLIGHT, EKS, answers)
    assert problem.message == f"stack eksctl-llm-p5-cluster of an earlier deployment is {status}"
    assert found(PREFLIGHT, EKS, answers, recreates=True) == ["name (warning)"]


def test_a_cluster_of_this_name_on_eks_is_found():
    answers = {"cloudformation.DescribeStacks": stack("eksctl-llm-p5-cluster")}
    (problem,) = problems(PREFLIGHT, answers=answers)
    assert problem.message == "stack eksctl-llm-p5-cluster is a cluster of this name on eks"
    assert found(PREFLIGHT, EKS, answers) == []


def test_launch_templates_of_somebody_else_are_found():
    answers = {"cloudformation.DescribeStacks": stack("llm-p5-nodes", owner="somebody-else")}
    assert found(PREFLIGHT, EKS, answers) == ["name"]
