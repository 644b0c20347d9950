from typing import Any

import pytest

from tests.deploy.preflights.good import ACCOUNT, OWN_NETWORK, decisions, found, problems

PREFLIGHT = "permission-missing"


def caller(arn: str) -> dict[str, Any]:
    return {"sts.GetCallerIdentity": {"Account": ACCOUNT, "Arn": arn, "UserId": "A"}}


def test_what_a_policy_forbids_is_an_error():
    answers = {"iam.SimulatePrincipalPolicy": decisions(iam_CreateRole="explicitDeny")}
    (problem,) = problems(PREFLIGHT, answers=answers)
    assert problem.path == ("iam",)
    assert problem.message == f"arn:aws:iam::{ACCOUNT}:user/ml is forbidden iam:CreateRole"
    assert problem.severity is None


def test_what_nothing_allows_everywhere_is_a_warning():
    answers = {"iam.SimulatePrincipalPolicy": decisions(iam_CreateRole="implicitDeny", iam_PassRole="implicitDeny")}
    (problem,) = problems(PREFLIGHT, answers=answers)
    assert problem.severity == "warning"
    assert problem.message.endswith("on every resource: iam:CreateRole, iam:PassRole")


def denied(**more: Any) -> dict[str, Any]:
    result = {"EvalActionName": "iam:CreateRole", "EvalDecision": "explicitDeny", **more}
    return {"iam.SimulatePrincipalPolicy": {"EvaluationResults": [result]}}


def test_what_the_organisation_forbids_is_an_error():
    organisation = {"OrganizationsDecisionDetail": {"AllowedByOrganizations": False}}
    assert found(PREFLIGHT, answers=denied(EvalDecision="implicitDeny", **organisation)) == ["iam"]


def test_a_denial_that_depends_on_conditions_is_only_a_warning():
    assert found(PREFLIGHT, answers=denied(MissingContextValues=["aws:RequestedRegion"])) == ["iam (warning)"]


def test_of_a_session_the_role_is_asked_for_with_its_path():
    asked: list[str] = []

    def simulated(question: Any) -> dict[str, Any]:
        asked.append(question["PolicySourceArn"])
        return {"EvaluationResults": []}

    role = {"Path": "/ml/", "RoleName": "deployer", "RoleId": "AROAEXAMPLEROLEID000", "CreateDate": "2026-01-01",
            "Arn": f"arn:aws:iam::{ACCOUNT}:role/ml/deployer"}  # fmt: skip
    answers = {
        **caller(f"arn:aws:sts::{ACCOUNT}:assumed-role/deployer/me"),
        "iam.GetRole": {"Role": role},
        "iam.SimulatePrincipalPolicy": simulated,
    }
    assert found(PREFLIGHT, answers=answers) == []
    assert set(asked) == {f"arn:aws:iam::{ACCOUNT}:role/ml/deployer"}


@pytest.mark.parametrize("arn", [f"arn:aws:iam::{ACCOUNT}:root", f"arn:aws:sts::{ACCOUNT}:federated-user/me"])
def test_who_cannot_be_simulated_is_not_asked_for(arn):
    assert found(PREFLIGHT, answers={**caller(arn), "iam.SimulatePrincipalPolicy": {}}) == []


def test_only_what_the_spec_needs_is_asked_for():
    asked: list[str] = []

    def simulated(question: Any) -> dict[str, Any]:
        asked.extend(question["ActionNames"])
        return {"EvaluationResults": []}

    found(PREFLIGHT, OWN_NETWORK, {"iam.SimulatePrincipalPolicy": simulated})
    assert "ec2:CreateVpc" in asked
    assert "fsx:CreateFileSystem" not in asked
    assert len(asked) == len(set(asked))
