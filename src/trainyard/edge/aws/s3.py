"""Amazon S3: buckets of our own, and objects that are written only where nobody else has written.

https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from botocore.exceptions import BotoCoreError, ClientError

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.refusals import account_error, code
from trainyard.errors import TrainyardError

# https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateBucket.html: the one region that may not be named
_UNNAMED_REGION = "us-east-1"
_MISSING = {"404", "NoSuchKey", "NotFound"}
# 412 where the condition does not hold, 409 where two write at once.
_TAKEN = {"PreconditionFailed", "ConditionalRequestConflict", "412", "409"}
_KEYS_A_CALL = 1000
_UPLOAD_DAYS = 7


class Object(NamedTuple):
    """The content of an object, and the tag that says whether it is still the same."""

    content: bytes
    etag: str


def own_bucket(account: Account) -> str:
    """Return the name of the bucket that trainyard makes for an account and region."""
    return f"trainyard-{account.id}-{account.region}"


def bucket_problem(account: Account, bucket: str) -> str | None:
    """Return why a bucket cannot be used, None where it can; `missing` where nobody has it.

    Raises TrainyardError where AWS does not say.
    """
    try:
        answer = account.client("s3").head_bucket(Bucket=bucket, ExpectedBucketOwner=account.id)
    except ClientError as error:
        if code(error) in ("404", "NoSuchBucket"):
            return "missing"
        if code(error) in ("403", "AccessDenied", "Forbidden"):
            return "it belongs to another account, or you may not use it"
        if code(error) in ("301", "PermanentRedirect"):
            return "it lies in another region"
        raise account_error(error, account.region, f"look at bucket {bucket}") from error
    region = answer.get("BucketRegion") or account.region
    return None if region == account.region else f"it lies in {region}"


def make_bucket(account: Account, bucket: str) -> bool:
    """Make a bucket, private, encrypted and without the remains of broken uploads. What it is already stays.

    Return whether it is that S3 removes those remains: who may not say so has a bucket all the same.
    """
    client = account.client("s3")
    place = {} if account.region == _UNNAMED_REGION else {"LocationConstraint": account.region}
    try:
        try:
            client.create_bucket(Bucket=bucket, **({"CreateBucketConfiguration": place} if place else {}))
        except ClientError as error:
            if code(error) != "BucketAlreadyOwnedByYou":
                raise
        _close(client, bucket, account)
        return _end_broken_uploads(client, bucket, account)
    except ClientError as error:
        raise account_error(error, account.region, f"make bucket {bucket}") from error


def _close(client: Any, bucket: str, account: Account) -> None:
    blocked = ("BlockPublicAcls", "IgnorePublicAcls", "BlockPublicPolicy", "RestrictPublicBuckets")
    client.put_public_access_block(
        Bucket=bucket,
        PublicAccessBlockConfiguration=dict.fromkeys(blocked, True),
        ExpectedBucketOwner=account.id,
    )
    rule = {"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}
    client.put_bucket_encryption(
        Bucket=bucket, ServerSideEncryptionConfiguration={"Rules": [rule]}, ExpectedBucketOwner=account.id
    )


def _end_broken_uploads(client: Any, bucket: str, account: Account) -> bool:
    """Let S3 remove the parts of uploads that never ended, which cost like objects. Rules that are there stay.

    Return whether it was allowed to look, and to add the rule where there are none.

    https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpu-abort-incomplete-mpu-lifecycle-config.html
    """
    rule = {
        "ID": "trainyard-broken-uploads",
        "Status": "Enabled",
        "Filter": {"Prefix": "trainyard/"},
        "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": _UPLOAD_DAYS},
    }
    place = {"Bucket": bucket, "ExpectedBucketOwner": account.id}
    try:
        if not _has_lifecycle(client, place):
            client.put_bucket_lifecycle_configuration(**place, LifecycleConfiguration={"Rules": [rule]})
    except ClientError as error:
        if code(error) != "AccessDenied":
            raise
        return False
    return True


def _has_lifecycle(client: Any, place: dict[str, str]) -> bool:
    try:
        client.get_bucket_lifecycle_configuration(**place)
    except ClientError as error:
        if code(error) != "NoSuchLifecycleConfiguration":
            raise
        return False
    return True


def get(account: Account, bucket: str, key: str) -> Object | None:
    """Return an object, None where there is none."""
    try:
        answer = account.client("s3").get_object(Bucket=bucket, Key=key, ExpectedBucketOwner=account.id)
        return Object(answer["Body"].read(), answer["ETag"])
    except ClientError as error:
        if code(error) in _MISSING | {"NoSuchBucket"}:
            return None
        raise account_error(error, account.region, f"read s3://{bucket}/{key}") from error
    except BotoCoreError as error:
        raise account_error(error, account.region, f"read s3://{bucket}/{key}") from error


def put(account: Account, bucket: str, key: str, content: bytes) -> None:
    """Write an object, whatever was there."""
    _put(account, bucket, key, content, {})


def put_if_absent(account: Account, bucket: str, key: str, content: bytes) -> str | None:
    """Write an object where there is none and return its tag; None where somebody else's is there.

    A first attempt whose answer was lost counts as ours, so the content must tell writers apart.
    """
    return _put(account, bucket, key, content, {"IfNoneMatch": "*"})


def put_if_same(account: Account, bucket: str, key: str, content: bytes, etag: str) -> str | None:
    """Replace an object that still has this tag and return the new one; None where somebody else has changed it."""
    return _put(account, bucket, key, content, {"IfMatch": etag})


def _put(account: Account, bucket: str, key: str, content: bytes, condition: dict[str, str]) -> str | None:
    place = {"Bucket": bucket, "Key": key, "ExpectedBucketOwner": account.id}
    try:
        etag: str = account.client("s3").put_object(**place, Body=content, **condition)["ETag"]
    except ClientError as error:
        if not condition or code(error) not in _TAKEN | _MISSING:
            raise account_error(error, account.region, f"write s3://{bucket}/{key}") from error
        there = get(account, bucket, key)
        return there.etag if there is not None and there.content == content else None
    return etag


def delete(account: Account, bucket: str, key: str) -> None:
    """Delete an object. One that is not there is no error."""
    try:
        account.client("s3").delete_object(Bucket=bucket, Key=key, ExpectedBucketOwner=account.id)
    except ClientError as error:
        if code(error) != "NoSuchBucket":
            raise account_error(error, account.region, f"delete s3://{bucket}/{key}") from error


def delete_empty_bucket(account: Account, bucket: str) -> bool:
    """Delete a bucket if nothing lies in it, and return whether it is gone."""
    try:
        account.client("s3").delete_bucket(Bucket=bucket, ExpectedBucketOwner=account.id)
    except ClientError as error:
        if code(error) == "BucketNotEmpty":
            return False
        if code(error) != "NoSuchBucket":
            raise account_error(error, account.region, f"delete bucket {bucket}") from error
    return True


def keys(account: Account, bucket: str, prefix: str) -> Iterator[str]:
    """Yield the keys below a prefix; none where there is no such bucket."""
    pages = account.client("s3").get_paginator("list_objects_v2")
    try:
        for page in pages.paginate(Bucket=bucket, Prefix=prefix, ExpectedBucketOwner=account.id):
            yield from (one["Key"] for one in page.get("Contents", ()))
    except ClientError as error:
        if code(error) != "NoSuchBucket":
            raise account_error(error, account.region, f"list s3://{bucket}/{prefix}") from error


def delete_if_same(account: Account, bucket: str, key: str, etag: str) -> None:
    """Delete an object that still has this tag; what somebody else has changed stays.

    https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-deletes.html
    """
    there = get(account, bucket, key)
    if there is None or there.etag != etag:
        return
    try:
        account.client("s3").delete_object(Bucket=bucket, Key=key, IfMatch=etag, ExpectedBucketOwner=account.id)
    except ClientError as error:
        if code(error) not in _TAKEN | _MISSING | {"NoSuchBucket"}:
            raise account_error(error, account.region, f"delete s3://{bucket}/{key}") from error


def delete_below(account: Account, bucket: str, prefix: str) -> int:
    """Delete every object below a prefix and return how many there were."""
    if not prefix.endswith("/"):
        raise TrainyardError(f"will not delete everything that begins with {prefix!r}", where=bucket)
    found = list(keys(account, bucket, prefix))
    for first in range(0, len(found), _KEYS_A_CALL):
        part = [{"Key": key} for key in found[first : first + _KEYS_A_CALL]]
        try:
            answer = account.client("s3").delete_objects(
                Bucket=bucket, Delete={"Objects": part, "Quiet": True}, ExpectedBucketOwner=account.id
            )
        except ClientError as error:
            raise account_error(error, account.region, f"empty s3://{bucket}/{prefix}") from error
        if failed := answer.get("Errors"):
            raise TrainyardError(
                f"could not delete s3://{bucket}/{failed[0].get('Key')}: {failed[0].get('Message')}", where=bucket
            )
    return len(found)
