from tests.deploy.preflights.good import ACCOUNT, BOUNDARY, POLICY, changed, found, problems
from tests.deploy.preflights.recorded import Refusal

PREFLIGHT = "policy-not-found"
NONE = {"iam.GetPolicy": Refusal("NoSuchEntity", status=404)}


def test_policies_that_are_not_there_are_found():
    told = problems(PREFLIGHT, answers=NONE)
    assert [problem.path for problem in told] == [("iam", "permissions_boundary"), ("iam", "policies", 0)]
    assert [problem.message for problem in told] == [f"there is no policy {BOUNDARY}", f"there is no policy {POLICY}"]


def test_a_policy_of_another_account_is_found():
    spec = changed(f"arn:aws:iam::{ACCOUNT}:policy/boundary", "arn:aws:iam::210987654321:policy/boundary")
    assert found(PREFLIGHT, spec) == ["iam.permissions_boundary"]
