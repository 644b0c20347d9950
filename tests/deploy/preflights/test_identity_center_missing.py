from typing import Any

from tests.deploy.preflights.good import changed, found, problems
from tests.deploy.preflights.recorded import listening

PREFLIGHT = "identity-center-missing"
NONE: dict[str, Any] = {"sso-admin.ListInstances": {"Instances": []}}


def test_managed_grafana_without_identity_center_is_found():
    (problem,) = problems(PREFLIGHT, answers=NONE)
    assert problem.path == ("monitoring", "mode")
    assert problem.message == "account 123456789012 has no IAM Identity Center, and monitoring.mode is amp+amg"


def test_an_instance_that_is_not_active_is_none():
    failed = {"Instances": [{"InstanceArn": "arn:aws:sso:::instance/1", "Status": "CREATE_FAILED"}]}
    assert found(PREFLIGHT, answers={"sso-admin.ListInstances": failed}) == ["monitoring.mode"]


def test_other_modes_need_none():
    assert found(PREFLIGHT, changed("mode: amp+amg", "mode: amp-only"), NONE) == []


def test_every_region_is_asked_for():
    answer, heard = listening({"Instances": []})
    found(PREFLIGHT, answers={"sso-admin.ListInstances": answer})
    assert heard == [{"RegionScope": "ALL_REGIONS"}]
