"""Amazon S3: where buckets and objects lie, and whose they are. Asks only.

https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadBucket.html
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from botocore.exceptions import ClientError

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import DENIED, answer, answer_or_none, client
from trainyard.edge.aws.refusals import code

_MISSING = {"404", "NoSuchBucket", "NoSuchKey", "NotFound"}
# A bucket in another region answers a HEAD with its region, and with 301 or 400 where the signature is for another one.
_ELSEWHERE = {"301", "400", "PermanentRedirect", "BadRequest"}
# What buckets from before 2023 answer, where nobody has chosen anything.
# https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketEncryption.html
_UNENCRYPTED = {"ServerSideEncryptionConfigurationNotFoundError", "NoSuchBucket"}


class BucketAnswer(NamedTuple):
    """What HEAD says about a bucket."""

    state: Literal["there", "missing", "refused"]
    region: str | None
    """Where it lies, which S3 tells whoever asks."""


def bucket(account: Account, name: str, owner: str | None = None) -> BucketAnswer:
    """Return what there is of a bucket. With an owner, a bucket of another account is refused."""
    expected = {} if owner is None else {"ExpectedBucketOwner": owner}

    def ask() -> BucketAnswer:
        try:
            answered = client(account, "s3").head_bucket(Bucket=name, **expected)
        except ClientError as error:
            return _refused(error)
        return BucketAnswer("there", answered.get("BucketRegion"))

    return answer(account, "s3:ListBucket", ask)


def _refused(error: ClientError) -> BucketAnswer:
    headers: dict[str, Any] = error.response.get("ResponseMetadata", {}).get("HTTPHeaders", {})
    region = headers.get("x-amz-bucket-region")
    if code(error) in _MISSING:
        return BucketAnswer("missing", None)
    if code(error) in _ELSEWHERE and region is not None:
        return BucketAnswer("there", region)
    if code(error) in DENIED:
        return BucketAnswer("refused", region)
    raise error


def encryption_key(account: Account, name: str, owner: str) -> str | None:
    """Return the KMS key that a bucket encrypts with, as its settings name it; None where S3 takes a key of its own.

    That name is an id, an ARN or an alias: https://docs.aws.amazon.com/AmazonS3/latest/API/API_ServerSideEncryptionByDefault.html
    """

    def ask() -> str | None:
        answered = client(account, "s3").get_bucket_encryption(Bucket=name, ExpectedBucketOwner=owner)
        rules = answered["ServerSideEncryptionConfiguration"]["Rules"]
        defaults = (rule.get("ApplyServerSideEncryptionByDefault", {}) for rule in rules)
        return next((one["KMSMasterKeyID"] for one in defaults if one.get("KMSMasterKeyID")), None)

    return answer_or_none(account, "s3:GetEncryptionConfiguration", ask, _UNENCRYPTED)


def object_state(account: Account, bucket: str, key: str) -> Literal["there", "missing", "refused"]:
    """Return whether an object is there. Without s3:ListBucket a missing one is refused too."""

    def ask() -> Literal["there", "missing", "refused"]:
        try:
            client(account, "s3").head_object(Bucket=bucket, Key=key)
        except ClientError as error:
            if code(error) in _MISSING:
                return "missing"
            if code(error) in DENIED | _ELSEWHERE:
                return "refused"
            raise
        return "there"

    return answer(account, "s3:GetObject", ask)
