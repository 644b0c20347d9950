"""Where the template of a request comes from: its body, or an object in S3."""

from __future__ import annotations

from urllib.parse import unquote, urlparse

from botocore.exceptions import ClientError

from trainyard.rehearsal.emulated.engine.refusals import InvalidError
from trainyard.rehearsal.emulated.engine.template import BODY_LIMIT_BYTES, URL_LIMIT_BYTES, check_size
from trainyard.rehearsal.emulated.in_process_account import InProcessAccount


def body_of(body: str | None, url: str | None, aws: InProcessAccount) -> str:
    """Return the text of the template. Raises InvalidError where there is none, two, or one that is too long."""
    if bool(body) == bool(url):
        raise InvalidError("Either Template URL or Template Body must be specified.")
    if body:
        check_size(body, BODY_LIMIT_BYTES)
        return body
    text = on_s3(url or "", aws)
    check_size(text, URL_LIMIT_BYTES)
    return text


def on_s3(url: str, aws: InProcessAccount) -> str:
    """Return an object's text by its URL, with the bucket as host or as path.

    https://docs.aws.amazon.com/AmazonS3/latest/userguide/VirtualHosting.html
    """
    parts = urlparse(url)
    host, path = parts.hostname or "", unquote(parts.path.lstrip("/"))
    if host.startswith(("s3.", "s3-")) or not host.endswith(("amazonaws.com", "amazonaws.com.cn")):
        bucket, _, key = path.partition("/")
    else:
        bucket, key = host.split(".s3")[0], path
    try:
        return str(aws.client("s3").get_object(Bucket=bucket, Key=key)["Body"].read().decode())
    except ClientError as error:
        raise InvalidError(f"S3 error: {error.response['Error']['Message']} ({url})") from error
