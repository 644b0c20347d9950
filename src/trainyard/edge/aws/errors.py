"""What botocore raises: codes of AWS by what they mean, and TrainyardErrors that say what to do next.

https://docs.aws.amazon.com/IAM/latest/APIReference/CommonErrors.html
https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    CredentialRetrievalError,
    EndpointConnectionError,
    HTTPClientError,
    NoCredentialsError,
    PartialCredentialsError,
    ProfileNotFound,
    TokenRetrievalError,
)

from trainyard.errors import TrainyardError
from trainyard.stop_request import deferred

UNTRANSLATED = (BotoCoreError, ClientError)
"""What calls raise where nobody has turned it into a TrainyardError: a network that went away, for the most part."""

DENIED = frozenset(
    {
        "AccessDenied",
        "AccessDeniedException",
        "NotAuthorized",
        "UnauthorizedOperation",  # EC2
        "UnauthorizedException",  # https://docs.aws.amazon.com/ARG/latest/APIReference/API_ListGroupResources.html
        "AuthorizationError",  # https://docs.aws.amazon.com/sns/latest/api/API_ListSubscriptionsByTopic.html
        "ForbiddenException",  # https://docs.aws.amazon.com/singlesignon/latest/OIDCAPIReference/CommonErrors.html
        "Forbidden",
        "403",  # all that S3 answers to HEAD: https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadBucket.html
    }
)
"""A policy does not allow the call."""
BAD_CREDENTIALS = frozenset(
    {
        "AuthFailure",
        "ExpiredToken",
        "ExpiredTokenException",
        "InvalidClientTokenId",
        "RequestExpired",
        "SignatureDoesNotMatch",
        "UnrecognizedClientException",
    }
)
"""AWS does not know the credentials, or does not any more."""
REGION_OFF = frozenset({"OptInRequired", "InvalidRegion", "IllegalLocationConstraintException"})
"""The account has not switched the region on, or there is no such region."""
TRANSIENT = frozenset(
    {
        "InternalFailure",
        "ServerException",
        "ServiceUnavailable",
        "ThrottlingException",
        "TooManyRequestsException",
    }
)
"""Throttling, or a fault of AWS, that was there even after botocore had tried for a while."""

NO_ENTITY = frozenset({"NoSuchEntity", "NoSuchEntityException"})
"""IAM has no such role, profile or policy."""
NO_OBJECT = frozenset({"404", "NoSuchBucket", "NoSuchKey", "NotFound"})
"""S3 has no such object or no such bucket: https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html."""
NO_STACK = frozenset({"ValidationError: does not exist"})
"""CloudFormation has no such stack: https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_DescribeStacks.html."""

# A HEAD is answered without a body, and this is what S3 makes of credentials that have expired:
# https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadBucket.html
_NO_REASON = frozenset({"400", "BadRequest"})
_SIGN_IN = (
    "sign in with `aws sso login` or `aws configure`, or choose a profile with --profile; "
    "then run the same command again"
)
_UNSIGNED = (NoCredentialsError, PartialCredentialsError, CredentialRetrievalError, TokenRetrievalError)
_NO_ANSWER = (EndpointConnectionError, HTTPClientError)


class NotAllowedError(TrainyardError):
    """A policy does not allow a call."""

    def __init__(self, permission: str, message: str, doing: str = "") -> None:
        """Name the permission that is missing, and what AWS says about it. ``doing`` completes "could not …"."""
        if doing:
            hint = f"ask for the permission {permission}, or choose a profile with --profile"
            super().__init__(f"could not {doing}: not allowed: {message}", hint=hint)
        else:
            hint = f"ask for the permission {permission}; AWS says: {message}"
            super().__init__(f"not allowed: {permission}", hint=hint)
        self.permission = permission


def code(error: BaseException | None) -> str:
    """Return the code of what AWS refused, such as NoSuchBucket; empty where AWS did not answer."""
    return str(error.response.get("Error", {}).get("Code", "")) if isinstance(error, ClientError) else ""


def words(error: BaseException) -> str:
    """Return what AWS said, on one line."""
    message = error.response.get("Error", {}).get("Message", "") if isinstance(error, ClientError) else str(error)
    return " ".join(str(message or error).split())


def has_code(error: BaseException | None, codes: Collection[str]) -> bool:
    """Return whether AWS answered with one of some codes.

    ``CODE: WORDS`` is a code whose message has these words: some services have one code for everything.
    """
    if not isinstance(error, ClientError):
        return False
    message = words(error).lower()
    pairs = (named.partition(": ") for named in codes)
    return any(named == code(error) and part.lower() in message for named, _, part in pairs)


def account_error(
    error: BotoCoreError | ClientError, region: str, doing: str = "", permission: str = ""
) -> TrainyardError:
    """Return the error of a call that failed for good: a NotAllowedError where a policy denies a known permission.

    ``doing`` completes "could not …".
    """
    if permission and has_code(error, DENIED):
        return NotAllowedError(permission, words(error), doing)
    if permission:
        doing = doing or f"ask AWS ({permission})"
    problem, where, hint = _explanation(error, region)
    return TrainyardError(f"could not {doing}: {problem}" if doing else problem, where=where, hint=hint)


@contextmanager
def cleaned_up(action: Callable[[], object]) -> Iterator[None]:
    """Do something at the end of the block, whatever happened in it; somebody who asks to stop waits for it.

    What goes wrong with it is raised only where the block ended well: the first error is the one to be told.
    """
    try:
        yield
    except BaseException:
        with deferred(), suppress(TrainyardError, *UNTRANSLATED):
            action()
        raise
    with deferred():
        action()


@contextmanager
def aws_errors(region: str, doing: str = "", permission: str = "") -> Iterator[None]:
    """Turn what calls raise inside into the error of ``account_error``."""
    try:
        yield
    except UNTRANSLATED as error:
        raise account_error(error, region, doing, permission) from error


def _explanation(error: BotoCoreError | ClientError, region: str) -> tuple[str, str | None, str]:
    refused = code(error)
    reasons: tuple[tuple[bool, str, str | None, str], ...] = (
        (isinstance(error, ProfileNotFound), "", "--profile", "`aws configure list-profiles` lists them"),
        (isinstance(error, _UNSIGNED), "no AWS credentials: ", None, _SIGN_IN),
        (refused in BAD_CREDENTIALS, "AWS does not accept the credentials: ", None, _SIGN_IN),
        (refused in _NO_REASON, "S3 gives no reason; most often the credentials have expired: ", region, _SIGN_IN),
        (refused in DENIED, "not allowed: ", None, "ask for this permission, or choose a profile with --profile"),
        (refused in REGION_OFF, "", region, "switch the region on for the account, or write another one"),
        (isinstance(error, _NO_ANSWER), "AWS does not answer: ", region, "check the region and the network"),
    )
    for applies, problem, where, hint in reasons:
        if applies:
            return problem + words(error), where, hint
    return words(error), refused or None, "if it may pass, try again"
