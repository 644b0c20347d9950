"""Buckets for what nodes fetch that are encrypted with a key that nodes may not use."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.edge.aws import kms, s3_lookup
from trainyard.edge.aws.errors import NotAllowedError
from trainyard.render.cloudformation.assets import needs_assets
from trainyard.rules import Problem

_PATH = ("assets", "bucket")


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield the spec's own bucket where its key is neither S3's nor the one that the spec names."""
    bucket, key_arn = context.spec.assets.bucket, context.spec.iam.kms_key
    if bucket is None or not needs_assets(context.spec) or not _is_here(context, bucket):
        return
    named = context.ask(s3_lookup.encryption_key, bucket, context.account.id)
    if named is None or _is_the_same(named, key_arn) or named.endswith(_OF_S3):
        return
    key = context.ask(kms.key, named)
    if key is None:
        yield Problem(_PATH, f"bucket {bucket} is encrypted with key {named}, which does not exist", _OTHER_BUCKET)
    elif key.get("KeyManager") != "AWS" and (key_arn is None or key.get("Arn") != key_arn):
        yield _problem(context, bucket, str(key.get("Arn") or named))


# The key that AWS keeps for S3: whoever may use the bucket may use it.
# https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingKMSEncryption.html
_OF_S3 = "alias/aws/s3"
_POLICY = "name a policy that lets nodes use this key in iam.policies"
_OTHER_BUCKET = "choose another key for the bucket, or name another bucket"


def _is_here(context: PreflightContext, bucket: str) -> bool:
    bucket_answer = context.ask(s3_lookup.bucket, bucket, context.account.id)
    return bucket_answer.state == "there" and bucket_answer.region in (None, context.spec.region)


def _is_the_same(named: str, key_arn: str | None) -> bool:
    return key_arn is not None and named in (key_arn, key_arn.rpartition("/")[2])


def _problem(context: PreflightContext, bucket: str, key: str) -> Problem:
    key_arn = context.spec.iam.kms_key
    message = f"bucket {bucket} is encrypted with {key}, and {_named(key_arn)}"
    if any(map(_may_allow, context.spec.iam.policies)):
        remedy = "see that one of iam.policies allows kms:Decrypt and kms:GenerateDataKey of it"
        return Problem(_PATH, message, remedy, "warning")
    if _may_be_open(context, key):
        remedy = "see that the key's own policy allows nodes kms:Decrypt and kms:GenerateDataKey through S3"
        return Problem(_PATH, message, f"{remedy}, or {_POLICY}", "warning")
    return Problem(_PATH, message)


def _may_be_open(context: PreflightContext, key: str) -> bool:
    """Return whether the key's own policy may allow every node; also where nobody may read it.

    What names the account only leaves it to IAM, and roles that are yet to be made cannot be named.
    https://docs.aws.amazon.com/kms/latest/developerguide/key-policy-default.html
    """
    try:
        statements = context.ask(kms.statements, key)
    except NotAllowedError:
        return True
    if statements is None:  # of another account, which alone may read it
        return True
    return any(
        statement.get("Effect") == "Allow" and _names_everybody(statement.get("Principal")) for statement in statements
    )


def _names_everybody(principal: object) -> bool:
    named = principal.get("AWS") if isinstance(principal, dict) else principal
    return "*" in named if isinstance(named, list) else named == "*"


def _named(key_arn: str | None) -> str:
    return "iam.kms_key names none" if key_arn is None else f"nodes may use {key_arn} only"


def _may_allow(policy: str) -> bool:
    """Return whether a policy may allow a key of the account: AWS's own do not, but for those of administrators."""
    # https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies_job-functions.html
    return ":iam::aws:" not in policy or policy.endswith(("/AdministratorAccess", "/PowerUserAccess"))


PREFLIGHT = Preflight(
    severity="error",
    title="Bucket for assets with another key",
    rationale=(
        "What lies in a bucket with a KMS key of your own can be read only by who may use that key, and nodes may use "
        "the one that iam.kms_key names. Unless its own policy or one of iam.policies lets them use another one, S3 "
        "refuses every node what it runs when it starts, and nobody notices before."
    ),
    remedy=(
        f"{_POLICY}; iam.kms_key would do as well, but encrypts file systems and shared volumes with it too, and so "
        "replaces those of a cluster that has data"
    ),
    source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingKMSEncryption.html#require-sse-kms",
    permissions=("s3:ListBucket", "s3:GetEncryptionConfiguration", "kms:DescribeKey", "kms:GetKeyPolicy"),
    check=check,
)
