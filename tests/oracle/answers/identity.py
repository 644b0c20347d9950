"""Roles, policies, keys, secrets and the hosted zone. Policies of AWS exist only where AWS has them."""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING, Any

from tests.oracle.aws import ACCOUNT_ID, VPC, refusal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.oracle.account import Account

    Answer = dict[str, Any]
    Parameters = Mapping[str, Any]

# Of 256 to 8192 bits: MungeKeySecretSizeAndBase64Validator.
_MUNGE_KEY_BYTES = 128


def policy(account: Account, parameters: Parameters) -> Answer:
    """Describe a policy. Those of AWS have no account number in their ARN: arn:aws:iam::aws:policy/Name."""
    arn = parameters["PolicyArn"]
    managed = re.fullmatch(r"arn:[\w-]+:iam::(aws:policy/.+)", arn)
    if managed and managed[1] not in account.facts.managed_policies:
        raise refusal("NoSuchEntity", f"Policy {arn} does not exist or is not attachable.")
    return {"Policy": {"Arn": arn, "IsAttachable": True}}


def role(_account: Account, parameters: Parameters) -> Answer:
    """Every role exists."""
    return {"Role": _role(parameters["RoleName"])}


def instance_profile(_account: Account, parameters: Parameters) -> Answer:
    """Every instance profile exists and has a role."""
    name = parameters["InstanceProfileName"]
    return {"InstanceProfile": {"InstanceProfileName": name, "Roles": [_role(name)]}}


def kms_key(_account: Account, parameters: Parameters) -> Answer:
    """Every key exists."""
    return {"KeyMetadata": {"KeyId": parameters["KeyId"], "KeyState": "Enabled"}}


def secret(_account: Account, parameters: Parameters) -> Answer:
    """Every secret exists."""
    return {"ARN": parameters["SecretId"]}


def secret_value(_account: Account, parameters: Parameters) -> Answer:
    """Every secret is a munge key: nothing else is ever read."""
    key = base64.b64encode(bytes(_MUNGE_KEY_BYTES)).decode()
    return {"ARN": parameters["SecretId"], "SecretString": key}


def hosted_zone(account: Account, parameters: Parameters) -> Answer:
    """Every hosted zone is a private one of the VPC."""
    zone = {"Id": parameters["Id"], "Name": "hpc.internal.", "Config": {"PrivateZone": True}}
    return {"HostedZone": zone, "VPCs": [{"VPCRegion": account.facts.region, "VPCId": VPC}]}


def _role(name: str) -> dict[str, str]:
    return {"RoleName": name, "Arn": f"arn:aws:iam::{ACCOUNT_ID}:role/{name}"}


ANSWERS = {
    "iam.GetInstanceProfile": instance_profile,
    "iam.GetPolicy": policy,
    "iam.GetRole": role,
    "kms.DescribeKey": kms_key,
    "route53.GetHostedZone": hosted_zone,
    "secretsmanager.DescribeSecret": secret,
    "secretsmanager.GetSecretValue": secret_value,
}
