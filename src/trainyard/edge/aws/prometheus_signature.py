"""Requests to Amazon Managed Prometheus are signed, with credentials that are renewed before they expire."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import boto3  # type: ignore[import-untyped]  # its stubs are a package for each service
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.exceptions import NoCredentialsError

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.refusals import account_error, translated

# https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-compatible-APIs.html
_SERVICE = "aps"
_ARGUMENTS = {
    "AWS_ACCESS_KEY_ID": "aws_access_key_id",
    "AWS_SECRET_ACCESS_KEY": "aws_secret_access_key",
    "AWS_SESSION_TOKEN": "aws_session_token",
}


class AmazonSignature:
    """Signature Version 4 with the credentials of an account."""

    is_amazon = True

    def __init__(self, account: Account, region: str) -> None:
        """Look for credentials when they are first needed. The region is that of the workspace."""
        self._account = account
        self._region = region
        self._looking = threading.Lock()
        self._found: Any = None

    def headers(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> dict[str, str]:
        """Return the signature, and what it covers beyond the headers that are there."""
        # Only what no proxy on the way changes.
        signed = {name: value for name, value in headers.items() if name == "Content-Type"}
        request = AWSRequest(method, url, headers=signed, data=body)
        SigV4Auth(self._credentials(), _SERVICE, self._region).add_auth(request)
        return dict(request.headers.items())

    def renew(self) -> bool:
        """Read the configuration anew: `aws sso login` may have been called meanwhile."""
        with self._looking:
            self._found = None
        return not self._account.credentials

    def _credentials(self) -> Any:
        # The SDK asks for new ones where those that it has end soon, and one thread at a time is enough for that.
        with self._looking, translated(self._account.region):
            if self._found is None:
                self._found = self._looked_for()
            return self._found.get_frozen_credentials()

    def _looked_for(self) -> Any:
        account = self._account
        given = {argument: account.credentials.get(name) for name, argument in _ARGUMENTS.items()}
        found = boto3.Session(profile_name=account.profile, region_name=self._region, **given).get_credentials()
        if found is None:
            raise account_error(NoCredentialsError(), account.region)
        return found
