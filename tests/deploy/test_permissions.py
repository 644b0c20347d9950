"""Whoever deploys has to be allowed what there is, and what the spec makes necessary."""

from __future__ import annotations

import botocore.session
import pytest

from tests.specs import spec_of
from trainyard.deploy.requirements.permissions import needed_actions, parts

# Services whose actions are written otherwise than boto calls the service.
SERVICES = {"elasticfilesystem": "efs", "elasticloadbalancing": "elbv2", "aps": "amp"}
# Actions that are no operation, or that allow operations of other names.
# https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazons3.html
NO_OPERATIONS = {
    "iam:PassRole",
    "s3:GetLifecycleConfiguration",
    "s3:ListBucket",
    "s3:PutBucketPublicAccessBlock",
    "s3:PutEncryptionConfiguration",
    "s3:PutLifecycleConfiguration",
    "sso:CreateManagedApplicationInstance",
}


@pytest.mark.parametrize("part", parts())
def test_every_action_is_an_operation_of_its_service(part: str):
    models = botocore.session.get_session()
    for action in set(parts()[part]["actions"]) - NO_OPERATIONS:
        service, name = action.split(":")
        assert name in models.get_service_model(SERVICES.get(service, service)).operation_names, action


@pytest.mark.parametrize("part", parts())
def test_every_part_is_in_order_and_says_where_it_is_from(part: str):
    said = parts()[part]
    assert said["actions"] == sorted(set(said["actions"]))
    assert said["source"].startswith("https://")
    assert said["read"]


def test_a_key_for_secrets_has_to_be_grantable_on_eks_alone():
    key = "iam: {kms_key: arn:aws:kms:us-east-2:123456789012:key/1a2b3c4d-1234-1234-1234-1a2b3c4d5e6f}"
    with_key = needed_actions(spec_of(f"platform: eks\n{key}"))
    assert set(with_key) - set(needed_actions(spec_of("platform: eks"))) == {"kms:CreateGrant", "kms:DescribeKey"}
    assert "kms:CreateGrant" not in needed_actions(spec_of(key))
