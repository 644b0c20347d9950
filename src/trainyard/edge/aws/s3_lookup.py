"""Amazon S3: where buckets and objects lie, whose they are, and what is in them. Asks only, and never without a bound.

Whatever may write to a folder may fill it, and may make an object of any size.
https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadBucket.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from botocore.exceptions import ClientError

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import call
from trainyard.edge.aws.errors import DENIED, NO_OBJECT, aws_errors, code
from trainyard.edge.aws.s3 import Object

# A bucket in another region answers a HEAD with its region, and with 301 or 400 where the signature is for another one.
_ELSEWHERE = {"301", "400", "PermanentRedirect", "BadRequest"}
# What buckets from before 2023 answer, where nobody has chosen anything.
# https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketEncryption.html
_UNENCRYPTED = {"ServerSideEncryptionConfigurationNotFoundError", "NoSuchBucket"}

_MOST_BUCKETS = 100


class BucketAnswer(NamedTuple):
    """What HEAD says about a bucket."""

    state: Literal["there", "missing", "refused"]
    region: str | None
    """Where it lies, which S3 tells whoever asks."""


class ListedObject(NamedTuple):
    """An object as a listing shows it."""

    etag: str
    """Another one whenever the content changes."""
    size_bytes: int
    modified: float
    """When it was written, in seconds since 1970."""


class FolderListing(NamedTuple):
    """What lies in a folder."""

    objects: Mapping[str, ListedObject]
    """By their names in the folder."""
    whole: bool
    """False where there is more than was asked for."""


def bucket(account: Account, name: str, owner: str | None = None) -> BucketAnswer:
    """Return what there is of a bucket. With an owner, a bucket of another account is refused."""
    expected = {} if owner is None else {"ExpectedBucketOwner": owner}
    with aws_errors(account.region, permission="s3:ListBucket"):
        try:
            answer = account.client("s3").head_bucket(Bucket=name, **expected)
        except ClientError as error:
            return _without_bucket(error, account.region)
        return BucketAnswer("there", answer.get("BucketRegion"))


def _without_bucket(error: ClientError, asked_region: str) -> BucketAnswer:
    headers: dict[str, Any] = error.response.get("ResponseMetadata", {}).get("HTTPHeaders", {})
    region = headers.get("x-amz-bucket-region")
    if code(error) in NO_OBJECT:
        return BucketAnswer("missing", None)
    if code(error) in _ELSEWHERE and region not in (None, asked_region):
        return BucketAnswer("there", region)
    if code(error) in DENIED:
        return BucketAnswer("refused", region)
    raise error


def encryption_key(account: Account, name: str, owner: str) -> str | None:
    """Return the KMS key that a bucket encrypts with, as its settings name it; None where S3 takes a key of its own.

    That name is an id, an ARN or an alias: https://docs.aws.amazon.com/AmazonS3/latest/API/API_ServerSideEncryptionByDefault.html
    """
    place = {"Bucket": name, "ExpectedBucketOwner": owner}
    answer = call(account, "s3", "get_bucket_encryption", none_if=_UNENCRYPTED, **place)
    rules = answer["ServerSideEncryptionConfiguration"]["Rules"] if answer else ()
    defaults = (rule.get("ApplyServerSideEncryptionByDefault", {}) for rule in rules)
    return next((default["KMSMasterKeyID"] for default in defaults if default.get("KMSMasterKeyID")), None)


def object_state(account: Account, bucket: str, key: str) -> Literal["there", "missing", "refused"]:
    """Return whether an object is there. Without s3:ListBucket a missing one is refused too."""
    with aws_errors(account.region, permission="s3:GetObject"):
        try:
            account.client("s3").head_object(Bucket=bucket, Key=key)
        except ClientError as error:
            if code(error) in NO_OBJECT:
                return "missing"
            if code(error) in DENIED | _ELSEWHERE:
                return "refused"
            raise
        return "there"


def objects_in(account: Account, bucket: str, folder: str, most_pages: int) -> FolderListing:
    """Return the objects in a folder, without those in folders below it; none where there is no such bucket.

    A page is one call and has 1,000 entries at most: https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html
    """
    place = {"Bucket": bucket, "Prefix": f"{folder}/", "Delimiter": "/", "ExpectedBucketOwner": account.id}
    objects: dict[str, ListedObject] = {}
    token: dict[str, str] = {}
    for _ in range(most_pages):
        page = call(account, "s3", "list_objects_v2", none_if=NO_OBJECT, **place, **token)
        if page is None:
            return FolderListing({}, whole=True)
        for entry in page.get("Contents", ()):
            name = entry["Key"].removeprefix(f"{folder}/")
            objects[name] = ListedObject(entry["ETag"], entry["Size"], entry["LastModified"].timestamp())
        if not page.get("IsTruncated"):
            return FolderListing(objects, whole=True)
        token = {"ContinuationToken": page["NextContinuationToken"]}
    return FolderListing(objects, whole=False)


def folders_in(account: Account, bucket: str, folder: str, most: int) -> tuple[str, ...]:
    """Return the names of the first folders in a folder; none where there is no such bucket."""
    place = {"Bucket": bucket, "Prefix": f"{folder}/", "Delimiter": "/", "ExpectedBucketOwner": account.id}
    page = call(account, "s3", "list_objects_v2", none_if=NO_OBJECT, MaxKeys=most, **place) or {}
    return tuple(entry["Prefix"].split("/")[-2] for entry in page.get("CommonPrefixes", ()))


def bucket_names(account: Account, beginning: str) -> tuple[str, ...]:
    """Return the names of the account's buckets in any region that begin so. Raises NotAllowedError."""
    answer = call(account, "s3", "list_buckets", Prefix=beginning, MaxBuckets=_MOST_BUCKETS)
    return tuple(name for entry in answer.get("Buckets", ()) if (name := entry["Name"]).startswith(beginning))


def first_bytes(account: Account, bucket: str, key: str, most_bytes: int) -> Object | None:
    """Return the first bytes of an object, all of them where it has no more; None where there is none.

    To who may not list the bucket, S3 calls what is missing forbidden:
    https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html
    """
    place = {"Bucket": bucket, "Key": key, "ExpectedBucketOwner": account.id}
    answer = call(account, "s3", "get_object", none_if=NO_OBJECT, **place)
    if answer is None:
        return None
    with aws_errors(account.region, permission="s3:GetObject"), answer["Body"] as body:
        return Object(body.read(most_bytes), answer["ETag"])
