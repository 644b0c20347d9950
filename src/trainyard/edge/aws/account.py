"""The AWS account that work is done in: the real one, or one that is emulated on this machine."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import boto3  # type: ignore[import-untyped]  # its stubs are a package for each service
from botocore.config import Config
from botocore.session import Session

from trainyard.edge.aws.errors import aws_errors
from trainyard.stop_request import look, pause

# Throttling and server errors are tried again with growing pauses, up to this many times in all.
# https://docs.aws.amazon.com/boto3/latest/guide/retries.html
_ATTEMPTS = 10
_CONNECT_TIMEOUT_S = 10
_READ_TIMEOUT_S = 60
_WHO = (
    "AWS_PROFILE",
    "AWS_DEFAULT_PROFILE",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_SECURITY_TOKEN",
)


class Clock:
    """The time of the real world."""

    def now(self) -> float:
        """Return seconds since 1970."""
        return time.time()

    def sleep(self, seconds: float) -> None:
        """Wait, until somebody asks to stop: see stop_request.pause."""
        pause(seconds)


@dataclass(frozen=True)
class Account:
    """Where calls go, and with whose rights. Whoever works with it cannot tell whether it is emulated."""

    region: str
    endpoint: str | None = None
    """URL that takes the calls of every service; None for AWS itself."""
    profile: str | None = None
    """Profile of the AWS configuration; None for whatever the environment says."""
    credentials: Mapping[str, str] = field(default_factory=dict)
    """AWS_ACCESS_KEY_ID and so on, in place of those that are configured. Never printed."""
    clock: Clock = field(default_factory=Clock)
    kubectl: Callable[[Account, str], Any] | None = field(default=None, compare=False)
    """What asks the Kubernetes API of its clusters where that is emulated too; None for the user's own program."""
    eksctl: Callable[[Account], Any] | None = field(default=None, compare=False)
    """What makes its clusters of EKS where they are emulated; None for the user's own program."""
    attempts: int = _ATTEMPTS
    """How often a call is tried."""
    memory: Any = field(default=None, compare=False)
    """What remembers the answers of whoever only looks (remembered_answers.py); None where every question is asked."""

    def __repr__(self) -> str:
        """Leave out the credentials."""
        return f"Account({self.region}, {self.endpoint or 'AWS'})"

    def client(self, service: str, region: str | None = None) -> Any:
        """Return botocore's client of a service; one is kept for each.

        Raises TrainyardError where there are no credentials or no such profile.
        """
        key = (service, region or self.region)
        with self._making:
            return self._clients.get(key) or self._made(key)

    def _made(self, key: tuple[str, str]) -> Any:
        config = Config(
            retries={"mode": "standard", "total_max_attempts": self.attempts},
            connect_timeout=_CONNECT_TIMEOUT_S,
            read_timeout=_READ_TIMEOUT_S,
        )
        service, region = key
        with aws_errors(self.region):
            made = self._session.client(service, region_name=region, endpoint_url=self.endpoint, config=config)
        made.meta.events.register("before-send", lambda **_: look())  # each attempt of each call
        if self.memory is not None:
            self.memory.watch(made)
        self._clients[key] = made
        return made

    @property
    def access_key_id(self) -> str:
        """The key that calls are signed with, which is no secret; empty where there is none."""
        found = self._session.get_credentials()
        return str(found.access_key) if found is not None else ""

    @property
    def has_credentials(self) -> bool:
        """Whether there are any, said without asking the instance that this may run on, which elsewhere takes seconds.

        Raises TrainyardError where there is no such profile.
        """
        if self.credentials:
            return True
        session = Session(profile=self.profile)
        with aws_errors(self.region):
            providers = session.get_component("credential_provider")
            providers.remove("iam-role")
            return providers.load_credentials() is not None

    def url_of(self, host: str) -> str:
        """Return where a host answers that belongs to the account, such as that of a Grafana workspace.

        Behind an endpoint of one's own everything is there: who is meant says the header Host, which stays the host.
        """
        return self.endpoint or f"https://{host}"

    @cached_property
    def id(self) -> str:
        """The number of the account. The first call that anything makes, so it is the one that finds bad credentials.

        Raises TrainyardError where AWS cannot be reached or does not know who calls.
        """
        with aws_errors(self.region):
            return str(self.client("sts").get_caller_identity()["Account"])

    def variables(self) -> dict[str, str]:
        """Return environment variables that send another program to the same account with the same rights."""
        variables = {
            "AWS_REGION": self.region,
            "AWS_DEFAULT_REGION": self.region,
            "AWS_RETRY_MODE": "standard",
            "AWS_MAX_ATTEMPTS": str(_ATTEMPTS),
            **self.credentials,
        }
        if self.profile is not None:
            variables["AWS_PROFILE"] = self.profile
        if self.endpoint is not None:
            variables["AWS_ENDPOINT_URL"] = self.endpoint
        return variables

    @cached_property
    def _making(self) -> Any:
        # Making clients is not safe in threads, using them is.
        # https://docs.aws.amazon.com/boto3/latest/guide/clients.html#multithreading-or-multiprocessing-with-clients
        return threading.RLock()

    @cached_property
    def _clients(self) -> dict[tuple[str, str], Any]:
        return {}

    @cached_property
    def _session(self) -> Any:
        with aws_errors(self.region):
            return boto3.Session(
                aws_access_key_id=self.credentials.get("AWS_ACCESS_KEY_ID"),
                aws_secret_access_key=self.credentials.get("AWS_SECRET_ACCESS_KEY"),
                aws_session_token=self.credentials.get("AWS_SESSION_TOKEN"),
                profile_name=self.profile,
                region_name=self.region,
            )


def account(region: str, profile: str | None = None) -> Account:
    """Return the account that the environment and the AWS configuration name.

    AWS_ENDPOINT_URL is honoured, as every AWS program does:
    https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html
    """
    return Account(region, endpoint=os.environ.get("AWS_ENDPOINT_URL") or None, profile=profile)


def program_variables(account: Account) -> dict[str, str]:
    """Return the environment of programs that work in an account: the user's, without the account that it names.

    Variables that name credentials are left out where the account has its own.

    Keys in the environment would win over a profile that was chosen for this call, and lead to another account:
    https://docs.aws.amazon.com/boto3/latest/guide/credentials.html
    """
    replaced = _WHO if account.credentials or account.profile else ()
    variables = {name: value for name, value in os.environ.items() if name not in replaced}
    if account.endpoint is not None:  # then nothing is to be asked elsewhere
        variables = {name: value for name, value in variables.items() if not name.startswith("AWS_ENDPOINT_URL")}
        variables["AWS_EC2_METADATA_DISABLED"] = "true"
    return {**variables, **account.variables()}
