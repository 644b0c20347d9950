"""An AWS account in the memory of this process, without sockets: moto's, as far as its own answers go."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any
from unittest.mock import patch

import boto3  # type: ignore[import-untyped]  # its stubs are a package for each service
from botocore.loaders import create_loader
from botocore.session import Session
from moto import mock_aws

from trainyard.edge.aws.account import Account, Clock

IMAGE = "ami-03cf127a"
"""The one image that there is. moto makes its own hundreds anew for each account, which takes longer than a test."""
_IMAGES = Path(__file__).with_name("in_memory_images.json")
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "AKIAINMEMORYACCOUNT0", "AWS_SECRET_ACCESS_KEY": "made-up"}
# Keeps the models of services that it has read. Every session has one of its own otherwise, and reading them anew for
# each test took as long as the tests themselves.
_LOADER = create_loader()


class StandingClock(Clock):
    """A clock that moves only when somebody waits."""

    def __init__(self) -> None:
        """Begin at some moment."""
        self.time = 1_800_000_000.0

    def now(self) -> float:
        """Return the moment."""
        return self.time

    def sleep(self, seconds: float) -> None:
        """Move on at once."""
        self.time += seconds


class InMemoryAccount(Account):
    """An account whose sessions share what they have read about services."""

    @cached_property
    def _session(self) -> Any:
        session = Session(profile=self.profile)
        session.register_component("data_loader", _LOADER)
        paths = [*_LOADER.search_paths]
        session.set_credentials(CREDENTIALS["AWS_ACCESS_KEY_ID"], CREDENTIALS["AWS_SECRET_ACCESS_KEY"])
        made = boto3.Session(botocore_session=session, region_name=self.region)
        _LOADER.search_paths[:] = paths  # to which every session adds the same folder again
        return made


@contextmanager
def account_in_memory(region: str = "us-east-2") -> Iterator[Account]:
    """Hand out an empty account."""
    with patch.dict(os.environ, {"MOTO_AMIS_PATH": str(_IMAGES)}), mock_aws():
        yield InMemoryAccount(region, credentials=CREDENTIALS, clock=StandingClock())
