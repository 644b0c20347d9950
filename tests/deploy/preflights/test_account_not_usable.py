import pytest

from tests.deploy.preflights.good import found, problems
from tests.deploy.preflights.recorded import Refusal

PREFLIGHT = "account-not-usable"


def regions(state: str) -> dict[str, object]:
    return {"ec2.DescribeRegions": {"Regions": [{"RegionName": "us-east-2", "OptInStatus": state}]}}


@pytest.mark.parametrize("code", ["ExpiredToken", "InvalidClientTokenId", "SignatureDoesNotMatch"])
def test_credentials_that_aws_does_not_accept_are_found_with_how_to_sign_in(code):
    (problem,) = problems(PREFLIGHT, answers={"sts.GetCallerIdentity": Refusal(code, "The token has expired", 403)})
    assert problem.path == ("region",)
    assert problem.message == "AWS does not accept the credentials: The token has expired"
    assert "aws sso login" in (problem.remedy or "")


def test_a_region_that_is_switched_off_is_found():
    assert found(PREFLIGHT, answers=regions("not-opted-in")) == ["region"]


def test_a_region_that_was_switched_on_is_fine():
    assert found(PREFLIGHT, answers=regions("opted-in")) == []


def test_a_region_that_does_not_exist_is_found():
    assert found(PREFLIGHT, answers={"ec2.DescribeRegions": {"Regions": []}}) == ["region"]


def test_who_may_not_ask_for_regions_may_go_on():
    assert found(PREFLIGHT, answers={"ec2.DescribeRegions": Refusal("UnauthorizedOperation")}) == []
