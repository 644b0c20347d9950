"""What botocore raises, in words that say what to do next."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

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

UNTRANSLATED = (BotoCoreError, ClientError)
"""What calls raise where nobody has turned it into a TrainyardError: a network that went away, for the most part."""

_SIGN_IN = "sign in with `aws sso login` or `aws configure`, or choose a profile with --profile"
# https://docs.aws.amazon.com/IAM/latest/UserGuide/reference-arns.html and each service's page of common errors
_BAD_CREDENTIALS = {
    "AuthFailure",
    "ExpiredToken",
    "ExpiredTokenException",
    "InvalidClientTokenId",
    "RequestExpired",
    "SignatureDoesNotMatch",
    "UnrecognizedClientException",
}
DENIED = {"AccessDenied", "AccessDeniedException", "UnauthorizedOperation"}
"""Codes of calls that a policy does not allow."""
_UNSIGNED = (NoCredentialsError, PartialCredentialsError, CredentialRetrievalError, TokenRetrievalError)
_NO_ANSWER = (EndpointConnectionError, HTTPClientError)
_REGION_OFF = {"OptInRequired", "InvalidRegion", "IllegalLocationConstraintException"}


def code(error: BaseException) -> str:
    """Return the code of what AWS refused, such as NoSuchBucket; empty where AWS did not answer."""
    return str(error.response.get("Error", {}).get("Code", "")) if isinstance(error, ClientError) else ""


def words(error: BaseException) -> str:
    """Return what AWS said, on one line."""
    said = error.response.get("Error", {}).get("Message", "") if isinstance(error, ClientError) else str(error)
    return " ".join(str(said or error).split())


def account_error(error: BotoCoreError | ClientError, region: str, doing: str = "") -> TrainyardError:
    """Return the error of a call that failed for good. ``doing`` completes "could not …"."""
    said, where, hint = _explained(error, region)
    return TrainyardError(f"could not {doing}: {said}" if doing else said, where=where, hint=hint)


@contextmanager
def translated(region: str) -> Iterator[None]:
    """Turn whatever calls raise inside into a TrainyardError."""
    try:
        yield
    except UNTRANSLATED as error:
        raise account_error(error, region) from error


def _explained(error: BotoCoreError | ClientError, region: str) -> tuple[str, str | None, str]:
    refused = code(error)
    reasons: tuple[tuple[bool, str, str | None, str], ...] = (
        (isinstance(error, ProfileNotFound), "", "--profile", "`aws configure list-profiles` lists them"),
        (isinstance(error, _UNSIGNED), "no AWS credentials: ", None, _SIGN_IN),
        (refused in _BAD_CREDENTIALS, "AWS does not accept the credentials: ", None, _SIGN_IN),
        (refused in DENIED, "not allowed: ", None, "ask for this permission, or choose a profile with --profile"),
        (refused in _REGION_OFF, "", region, "switch the region on for the account, or write another one"),
        (isinstance(error, _NO_ANSWER), "AWS does not answer: ", region, "check the region and the network"),
    )
    for applies, what, where, hint in reasons:
        if applies:
            return what + words(error), where, hint
    return words(error), refused or None, "if it may pass, try again"
