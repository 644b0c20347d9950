"""Amazon S3: what lies directly in a folder, and the beginning of an object. Asks only, and never without a bound.

Whatever may write to a folder may fill it, and may make an object of any size.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import answer_or_none, client
from trainyard.edge.aws.s3 import Object

_MISSING = {"404", "NoSuchBucket", "NoSuchKey", "NotFound"}


class Listed(NamedTuple):
    """An object as a listing shows it."""

    etag: str
    """Another one whenever the content changes."""
    size_bytes: int
    modified: float
    """When it was written, in seconds since 1970."""


class Listing(NamedTuple):
    """What lies in a folder."""

    objects: Mapping[str, Listed]
    """By their names in the folder."""
    whole: bool
    """False where there is more than was asked for."""


def objects_in(account: Account, bucket: str, folder: str, most_pages: int) -> Listing:
    """Return the objects in a folder, without those in folders below it; none where there is no such bucket.

    A page is one call and has 1,000 entries at most: https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html
    """
    found: dict[str, Listed] = {}

    def ask() -> Listing:
        place = {"Bucket": bucket, "Prefix": f"{folder}/", "Delimiter": "/", "ExpectedBucketOwner": account.id}
        token: dict[str, str] = {}
        for _ in range(most_pages):
            page = client(account, "s3").list_objects_v2(**place, **token)
            for one in page.get("Contents", ()):
                name = one["Key"].removeprefix(f"{folder}/")
                found[name] = Listed(one["ETag"], one["Size"], one["LastModified"].timestamp())
            if not page.get("IsTruncated"):
                return Listing(found, whole=True)
            token = {"ContinuationToken": page["NextContinuationToken"]}
        return Listing(found, whole=False)

    return answer_or_none(account, "s3:ListBucket", ask, _MISSING) or Listing({}, whole=True)


def beginning(account: Account, bucket: str, key: str, most_bytes: int) -> Object | None:
    """Return the first bytes of an object, all of them where it has no more; None where there is none.

    To who may not list the bucket, S3 calls what is missing forbidden:
    https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html
    """

    def ask() -> Object:
        got = client(account, "s3").get_object(Bucket=bucket, Key=key, ExpectedBucketOwner=account.id)
        with got["Body"] as body:
            return Object(body.read(most_bytes), got["ETag"])

    return answer_or_none(account, "s3:GetObject", ask, _MISSING)
