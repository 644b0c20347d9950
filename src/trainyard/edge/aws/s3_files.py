"""Amazon S3: large files from this machine, uploaded in parts where they are large.

https://docs.aws.amazon.com/boto3/latest/guide/s3-uploading-files.html
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from boto3.exceptions import S3UploadFailedError  # type: ignore[import-untyped]  # as in account.py
from botocore.exceptions import BotoCoreError, ClientError

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.refusals import account_error, code
from trainyard.errors import TrainyardError


def sizes_below(account: Account, bucket: str, prefix: str) -> Mapping[str, int]:
    """Return key and size in bytes of everything below a prefix; nothing where there is no such bucket.

    What is still being uploaded in parts is not listed: https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html
    """
    pages = account.client("s3").get_paginator("list_objects_v2")
    try:
        found = pages.paginate(Bucket=bucket, Prefix=prefix, ExpectedBucketOwner=account.id)
        return {one["Key"]: one["Size"] for page in found for one in page.get("Contents", ())}
    except ClientError as error:
        if code(error) == "NoSuchBucket":
            return {}
        raise account_error(error, account.region, f"list s3://{bucket}/{prefix}") from error


def upload(account: Account, bucket: str, key: str, file: Path) -> None:
    """Upload a file as an object, whole or not at all. S3 compares what arrives with its SHA-256.

    https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity.html
    """
    doing = f"upload {file.name} to s3://{bucket}/{key}"
    extra = {"ExpectedBucketOwner": account.id, "ChecksumAlgorithm": "SHA256"}
    try:
        account.client("s3").upload_file(str(file), bucket, key, ExtraArgs=extra)
    except (BotoCoreError, ClientError) as error:
        raise account_error(error, account.region, doing) from error
    except S3UploadFailedError as error:
        # boto3 wraps what S3 said: boto3/s3/inject.py
        if isinstance(error.__context__, ClientError):
            raise account_error(error.__context__, account.region, doing) from error
        raise TrainyardError(
            f"could not {doing}: {error}", where=account.region, hint="if it may pass, try again"
        ) from error
