from typing import Any

import pytest

from tests.deploy.preflights.good import KEY, found, problems
from tests.deploy.preflights.recorded import Refusal

PREFLIGHT = "kms-key-not-usable"


def key(**of: Any) -> dict[str, Any]:
    return {"kms.DescribeKey": {"KeyMetadata": {"KeyId": KEY, "KeyState": "Enabled", **of}}}


def test_a_key_that_is_not_there_is_found():
    (problem,) = problems(PREFLIGHT, answers={"kms.DescribeKey": Refusal("NotFoundException")})
    assert problem.path == ("iam", "kms_key")
    assert problem.message == f"there is no key {KEY}"


@pytest.mark.parametrize("state", ["Disabled", "PendingDeletion", "PendingImport", "Unavailable"])
def test_a_key_that_is_not_enabled_is_found(state):
    assert found(PREFLIGHT, answers=key(KeyState=state)) == ["iam.kms_key"]


def test_an_asymmetric_key_is_found():
    assert found(PREFLIGHT, answers=key(KeySpec="RSA_2048")) == ["iam.kms_key"]
