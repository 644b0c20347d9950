"""KMS keys that are not there or switched off."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.edge.aws import kms
from trainyard.rules import Problem

_PATH = ("iam", "kms_key")


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield the key where nothing can be encrypted with it."""
    arn = context.spec.iam.kms_key
    if arn is None:
        return
    key = context.ask(kms.key, arn)
    if key is None:
        yield Problem(_PATH, f"there is no key {arn}")
    elif key.get("KeyState") != "Enabled":
        yield Problem(_PATH, f"key {arn} is {key.get('KeyState')}, not Enabled", "switch it on, or name another one")
    elif key.get("KeySpec", "SYMMETRIC_DEFAULT") != "SYMMETRIC_DEFAULT":
        yield Problem(_PATH, f"key {arn} is of type {key['KeySpec']}", "storage takes only symmetric keys")


PREFLIGHT = Preflight(
    severity="error",
    title="KMS key that cannot be used",
    rationale=(
        "A volume whose key cannot be used vanishes while it is attached, without a word of why, and a file system is "
        "not made at all. Storage takes symmetric keys only."
    ),
    remedy="name a symmetric key that is enabled, in this region",
    source="https://docs.aws.amazon.com/ebs/latest/userguide/ebs-encryption-requirements.html",
    permissions=("kms:DescribeKey",),
    check=check,
)
