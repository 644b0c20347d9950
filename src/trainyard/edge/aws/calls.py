"""Questions to AWS that change nothing: what may be refused, and what may be missing, told apart."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, TypeVar

from botocore.exceptions import BotoCoreError, ClientError

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.refusals import account_error, code, words
from trainyard.errors import TrainyardError

Answer = TypeVar("Answer")

# How services word a refusal; 403 is all that S3 answers to HEAD.
# https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
# https://docs.aws.amazon.com/ARG/latest/APIReference/API_ListGroupResources.html
# https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadBucket.html
DENIED = {
    "AccessDenied",
    "AccessDeniedException",
    "UnauthorizedOperation",
    "UnauthorizedException",
    "ForbiddenException",
    "Forbidden",
    "403",
}


class NotAllowedError(TrainyardError):
    """AWS does not answer whoever asks."""

    def __init__(self, permission: str, said: str) -> None:
        """Name the permission that is missing."""
        super().__init__(f"not allowed: {permission}", hint=f"ask for the permission {permission}; AWS says: {said}")
        self.permission = permission


def client(account: Account, service: str) -> Any:
    """Return botocore's client of a service."""
    return account.client(service)


def answer(account: Account, permission: str, ask: Callable[[], Answer]) -> Answer:
    """Return what AWS answers. Raises NotAllowedError, or TrainyardError where AWS says anything else."""
    try:
        return ask()
    except (BotoCoreError, ClientError) as error:
        if code(error) in DENIED:
            raise NotAllowedError(permission, words(error)) from error
        raise account_error(error, account.region, f"ask AWS ({permission})") from error


def answer_or_none(
    account: Account, permission: str, ask: Callable[[], Answer], missing: Collection[str]
) -> Answer | None:
    """Return what AWS answers, None where it answers with one of the codes that say: there is no such thing."""

    def ask_knowing() -> Answer | None:
        try:
            return ask()
        except ClientError as error:
            if code(error) in missing:
                return None
            raise

    return answer(account, permission, ask_knowing)


def pages(account: Account, permission: str, operation: str, key: str, **arguments: Any) -> tuple[Any, ...]:
    """Return everything that an operation lists below a key, page after page.

    ``permission`` is service:Action, and ``operation`` boto3's name of the call.
    """
    service = _CLIENTS.get(permission.partition(":")[0], permission.partition(":")[0])

    def ask() -> tuple[Any, ...]:
        listed = client(account, service).get_paginator(operation).paginate(**arguments)
        return tuple(one for page in listed for one in page.get(key, ()))

    return answer(account, permission, ask)


# Services whose permissions have another name than their client.
_CLIENTS = {"elasticfilesystem": "efs", "sso": "sso-admin"}


def by_values(**values: Collection[str]) -> list[dict[str, Any]]:
    """Return EC2's filters: what is not there is left out of the answer, where asking by id would be an error."""
    return [{"Name": name.replace("_", "-"), "Values": sorted(wanted)} for name, wanted in values.items()]
