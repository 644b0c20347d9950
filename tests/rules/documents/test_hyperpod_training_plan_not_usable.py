import pytest

from tests.rules.documents.found import paths

RULE = "hyperpod-training-plan-not-usable"
ARN = "arn:aws:sagemaker:us-east-2:111122223333:training-plan/llm"
FOUND = ["InstanceGroups[0].TrainingPlanArn"]


def _group(plan: str, type_: str = "ml.p5.48xlarge") -> str:
    group = f'{{"InstanceGroupName": "a", "InstanceType": "{type_}", "TrainingPlanArn": "{plan}"}}'
    return f'{{"ClusterName": "c", "InstanceGroups": [{group}]}}'


@pytest.mark.parametrize("plan", ["llm", "arn:aws:ec2:us-east-2:111122223333:capacity-reservation/cr-1"])
def test_what_is_no_training_plan_is_found(plan: str):
    assert paths(RULE, _group(plan)) == FOUND


@pytest.mark.parametrize("type_", ["ml.m5.2xlarge", "ml.c5n.large", "m7i.large"])
def test_a_plan_for_a_type_without_accelerators_is_found(type_: str):
    assert paths(RULE, _group(ARN, type_)) == FOUND


@pytest.mark.parametrize("type_", ["ml.p5.48xlarge", "ml.p6e-gb200.36xlarge", "ml.trn2.48xlarge", "ml.g6.48xlarge"])
@pytest.mark.parametrize("plan", [ARN, ARN.replace("arn:aws:", "arn:aws-us-gov:"), "", "${PLAN}"])
def test_what_plans_may_hold_is_not_found(plan: str, type_: str):
    assert paths(RULE, _group(plan, type_)) == []
