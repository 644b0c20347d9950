"""Amazon S3: buckets of our own, files that are uploaded, and objects written only where nobody else has written.

https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from threading import Event
from typing import Any, NamedTuple

from boto3.s3.transfer import BaseSubscriber, TransferManager  # type: ignore[import-untyped]  # as in account.py
from botocore.exceptions import ClientError

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import call, pages, parts
from trainyard.edge.aws.errors import DENIED, NO_OBJECT, account_error, aws_errors, code, has_code
from trainyard.errors import TrainyardError
from trainyard.stop_request import LOOK_EVERY_S, look

# https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateBucket.html: the one region that may not be named
_UNNAMED_REGION = "us-east-1"
_NO_BUCKET = ("NoSuchBucket",)
# 412 where the condition does not hold, 409 where two write at once.
_CHANGED = {"PreconditionFailed", "ConditionalRequestConflict", "412", "409"}
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
        if code(error) in NO_OBJECT:
            return "missing"
        if code(error) in DENIED:
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
    place = {} if account.region == _UNNAMED_REGION else {"LocationConstraint": account.region}
    configuration = {"CreateBucketConfiguration": place} if place else {}
    blocked = ("BlockPublicAcls", "IgnorePublicAcls", "BlockPublicPolicy", "RestrictPublicBuckets")
    rule = {"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}
    own = {"Bucket": bucket, "ExpectedBucketOwner": account.id}
    with aws_errors(account.region, f"make bucket {bucket}"):
        client = account.client("s3")
        try:
            client.create_bucket(Bucket=bucket, **configuration)
        except ClientError as error:
            if code(error) != "BucketAlreadyOwnedByYou":
                raise
        client.put_public_access_block(**own, PublicAccessBlockConfiguration=dict.fromkeys(blocked, True))
        client.put_bucket_encryption(**own, ServerSideEncryptionConfiguration={"Rules": [rule]})
        return _end_broken_uploads(client, own)


def _end_broken_uploads(client: Any, own: dict[str, str]) -> bool:
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
    try:
        if not _has_lifecycle(client, own):
            client.put_bucket_lifecycle_configuration(**own, LifecycleConfiguration={"Rules": [rule]})
    except ClientError as error:
        if code(error) not in DENIED:
            raise
        return False
    return True


def _has_lifecycle(client: Any, own: dict[str, str]) -> bool:
    try:
        client.get_bucket_lifecycle_configuration(**own)
    except ClientError as error:
        if code(error) != "NoSuchLifecycleConfiguration":
            raise
        return False
    return True


def get(account: Account, bucket: str, key: str) -> Object | None:
    """Return an object, None where there is none."""
    with aws_errors(account.region, f"read s3://{bucket}/{key}"):
        try:
            answer = account.client("s3").get_object(Bucket=bucket, Key=key, ExpectedBucketOwner=account.id)
            return Object(answer["Body"].read(), answer["ETag"])
        except ClientError as error:
            if code(error) in NO_OBJECT:
                return None
            raise


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
    written: dict[str, Any] = {"Bucket": bucket, "Key": key, "ExpectedBucketOwner": account.id, "Body": content}
    refused = _CHANGED | NO_OBJECT - set(_NO_BUCKET) if condition else ()
    doing = f"write s3://{bucket}/{key}"
    answer = call(account, "s3", "put_object", doing=doing, none_if=refused, **written, **condition)
    if answer is not None:
        return str(answer["ETag"])
    existing = get(account, bucket, key)
    return existing.etag if existing is not None and existing.content == content else None


def upload(account: Account, bucket: str, key: str, file: Path) -> None:
    """Upload a file as an object, in parts where it is large, whole or not at all. S3 compares its SHA-256.

    https://docs.aws.amazon.com/boto3/latest/guide/s3-uploading-files.html
    https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity.html
    """
    doing = f"upload {file.name} to s3://{bucket}/{key}"
    extra = {"ExpectedBucketOwner": account.id, "ChecksumAlgorithm": "SHA256"}
    ended = _UploadEnd()
    # What leaves the block early cancels the upload: s3transfer/manager.py
    with aws_errors(account.region, doing), TransferManager(account.client("s3")) as manager:
        sent = manager.upload(str(file), bucket, key, extra, [ended])
        while not ended.event.wait(LOOK_EVERY_S):
            look()
        sent.result()


class _UploadEnd(BaseSubscriber):  # type: ignore[misc]  # boto3 has no types
    """Notices the end of an upload, which goes on in threads."""

    def __init__(self) -> None:
        self.event = Event()

    def on_done(self, future: object, **_: object) -> None:  # noqa: ARG002  as it is called
        self.event.set()


def sizes_below(account: Account, bucket: str, prefix: str) -> Mapping[str, int]:
    """Return key and size in bytes of everything below a prefix; nothing where there is no such bucket.

    What is still being uploaded in parts is not listed: https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html
    """
    place = {"Bucket": bucket, "Prefix": prefix, "ExpectedBucketOwner": account.id}
    doing = f"list s3://{bucket}/{prefix}"
    listed = pages(account, "s3", "list_objects_v2", "Contents", doing=doing, none_if=_NO_BUCKET, **place)
    return {entry["Key"]: entry["Size"] for entry in listed}


def delete(account: Account, bucket: str, key: str) -> None:
    """Delete an object. One that is not there is no error."""
    place = {"Bucket": bucket, "Key": key, "ExpectedBucketOwner": account.id}
    call(account, "s3", "delete_object", doing=f"delete s3://{bucket}/{key}", none_if=_NO_BUCKET, **place)


def delete_empty_bucket(account: Account, bucket: str) -> bool:
    """Delete a bucket if nothing lies in it, and return whether it is gone."""
    try:
        place = {"Bucket": bucket, "ExpectedBucketOwner": account.id}
        call(account, "s3", "delete_bucket", doing=f"delete bucket {bucket}", none_if=_NO_BUCKET, **place)
    except TrainyardError as error:
        if has_code(error.__cause__, ("BucketNotEmpty",)):
            return False
        raise
    return True


def delete_if_same(account: Account, bucket: str, key: str, etag: str) -> None:
    """Delete an object that still has this tag; what somebody else has changed stays.

    https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-deletes.html
    """
    existing = get(account, bucket, key)
    if existing is None or existing.etag != etag:
        return
    place = {"Bucket": bucket, "Key": key, "IfMatch": etag, "ExpectedBucketOwner": account.id}
    call(account, "s3", "delete_object", doing=f"delete s3://{bucket}/{key}", none_if=_CHANGED | NO_OBJECT, **place)


def delete_below(account: Account, bucket: str, prefix: str) -> int:
    """Delete every object below a prefix and return how many there were."""
    if not prefix.endswith("/"):
        raise TrainyardError(f"will not delete everything that begins with {prefix!r}", where=bucket)
    keys = list(sizes_below(account, bucket, prefix))
    for part in parts(keys, _KEYS_A_CALL):
        request = {"Objects": [{"Key": key} for key in part], "Quiet": True}
        place: dict[str, Any] = {"Bucket": bucket, "Delete": request, "ExpectedBucketOwner": account.id}
        answer = call(account, "s3", "delete_objects", doing=f"empty s3://{bucket}/{prefix}", **place)
        if failed := answer.get("Errors"):
            raise TrainyardError(
                f"could not delete s3://{bucket}/{failed[0].get('Key')}: {failed[0].get('Message')}", where=bucket
            )
    return len(keys)
