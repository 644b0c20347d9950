import pytest

from tests.rules.documents.found import problems, template

RULE = "cloudformation-pcs-role-name"


def judged(role: str) -> list[str | None]:
    profile = "IAM::InstanceProfile {Roles: [!Ref A]}"
    group = "PCS::ComputeNodeGroup {IamInstanceProfileArn: !GetAtt B.Arn}"
    return [problem.severity for problem in problems(RULE, template(f"IAM::Role {role}", profile, group))]


@pytest.mark.parametrize(
    ("role", "severity"),
    [("{RoleName: nodes}", None), ("{RoleName: !Sub 'nodes-${A}', Path: /}", None), ("{}", "warning")],
)
def test_other_names_and_paths_are_found(role: str, severity: str | None):
    assert judged(role) == [severity]


@pytest.mark.parametrize(
    "role",
    ["{Path: /aws-pcs/}", "{RoleName: AWSPCS-nodes}", "{RoleName: !Sub 'AWSPCS-${A}'}", "{RoleName: !Ref Parameter}"],
)
def test_names_of_pcs_and_unknown_ones_are_fine(role: str):
    assert judged(role) == []


def test_roles_of_other_nodes_are_not_judged():
    assert problems(RULE, template("IAM::Role {RoleName: nodes}", "IAM::InstanceProfile {Roles: [!Ref A]}")) == []
