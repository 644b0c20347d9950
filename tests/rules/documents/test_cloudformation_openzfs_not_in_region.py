"""FSx for OpenZFS that large regions lack, in templates."""

from __future__ import annotations

import pytest

from tests.rules.documents.found import problems, template

RULE = "cloudformation-openzfs-not-in-region"


def found(deployment: str, more: str = "") -> list[str]:
    text = template(f"FSx::FileSystem {{OpenZFSConfiguration: {{DeploymentType: {deployment}}}}}", more=more)
    return [problem.message for problem in problems(RULE, text)]


def test_the_regions_are_named():
    assert found("SINGLE_AZ_HA_1") == ["A is of type SINGLE_AZ_HA_1, which us-east-1, us-east-2, us-west-2 do not have"]


def test_the_default_of_a_parameter_counts():
    assert len(found("!Ref D", "Parameters: {D: {Type: String, Default: SINGLE_AZ_HA_1}}\n")) == 1


@pytest.mark.parametrize("deployment", ["SINGLE_AZ_1", "SINGLE_AZ_HA_2", "MULTI_AZ_1", "NOVEL", "!Ref Unknown", "[]"])
def test_others_are_left_alone(deployment: str):
    assert found(deployment) == []
