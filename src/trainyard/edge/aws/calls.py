"""Calls to AWS: one function for every operation of every service, and one for those that answer in pages."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from botocore.exceptions import ClientError

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.errors import aws_errors, has_code

# Services whose permissions have another prefix than boto3's name of them.
# https://docs.aws.amazon.com/service-authorization/latest/reference/reference_policies_actions-resources-contextkeys.html
_PREFIXES = {
    "amp": "aps",
    "efs": "elasticfilesystem",
    "elbv2": "elasticloadbalancing",
    "service-quotas": "servicequotas",
    "sso-admin": "sso",
}
# Operations whose permission has another name.
# https://docs.aws.amazon.com/AmazonS3/latest/userguide/using-with-s3-policy-actions.html
_PERMISSIONS = {
    "get_aws_default_service_quota": "servicequotas:GetAWSDefaultServiceQuota",
    "delete_objects": "s3:DeleteObject",
    "get_bucket_encryption": "s3:GetEncryptionConfiguration",
    "get_bucket_lifecycle_configuration": "s3:GetLifecycleConfiguration",
    "head_bucket": "s3:ListBucket",
    "list_buckets": "s3:ListAllMyBuckets",
    "head_object": "s3:GetObject",
    "list_objects_v2": "s3:ListBucket",
    "put_bucket_encryption": "s3:PutEncryptionConfiguration",
    "put_bucket_lifecycle_configuration": "s3:PutLifecycleConfiguration",
    "put_public_access_block": "s3:PutBucketPublicAccessBlock",
}


def call(  # noqa: PLR0913  where, what, and what may come of it
    account: Account,
    service: str,
    operation: str,
    /,
    *,
    doing: str = "",
    none_if: Collection[str] = (),
    region: str | None = None,
    **parameters: Any,
) -> Any:
    """Return what AWS answers; None where it answers with one of the codes ``none_if``, see ``errors.has_code``.

    ``operation`` is boto3's name of it, and ``doing`` completes "could not …".
    Raises NotAllowedError where a policy denies it, and TrainyardError where AWS says anything else.
    """
    client = account.client(service) if region is None else account.client(service, region)
    with aws_errors(account.region, doing, permission_of(service, operation)):
        try:
            return getattr(client, operation)(**parameters)
        except ClientError as error:
            if has_code(error, none_if):
                return None
            raise


def pages(account: Account, service: str, operation: str, key: str, /, **parameters: Any) -> tuple[Any, ...]:
    """Return everything that an operation lists below a key, page after page; nothing where ``call`` returns None.

    Takes the arguments of ``call``, and raises what it raises.
    """
    return pages_or_none(account, service, operation, key, **parameters) or ()


def pages_or_none(  # noqa: PLR0913  as call
    account: Account,
    service: str,
    operation: str,
    key: str,
    /,
    *,
    doing: str = "",
    none_if: Collection[str] = (),
    **parameters: Any,
) -> tuple[Any, ...] | None:
    """Return what ``pages`` returns, and None where ``call`` returns None."""
    client = account.client(service)
    with aws_errors(account.region, doing, permission_of(service, operation)):
        try:
            listed = client.get_paginator(operation).paginate(**parameters)
            return tuple(item for page in listed for item in page.get(key, ()))
        except ClientError as error:
            if has_code(error, none_if):
                return None
            raise


def permission_of(service: str, operation: str) -> str:
    """Return the permission that an operation needs, such as ec2:DescribeVpcs."""
    action = "".join(word.capitalize() for word in operation.split("_"))
    return _PERMISSIONS.get(operation) or f"{_PREFIXES.get(service, service)}:{action}"


def by_values(**values: Collection[str]) -> list[dict[str, Any]]:
    """Return EC2's filters: what is not there is left out of the answer, where asking by id would be an error."""
    names = {name: name if name.startswith("tag:") else name.replace("_", "-") for name in values}
    return [{"Name": names[name], "Values": sorted(allowed)} for name, allowed in values.items()]


def parts(items: Sequence[Any], size: int) -> list[Sequence[Any]]:
    """Return items in parts of a size that one call takes."""
    return [items[first : first + size] for first in range(0, len(items), size)]
