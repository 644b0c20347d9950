"""An AWS account in the memory of this process, without sockets: moto's, as far as its own answers go."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
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
# Keeps the models of services that it has read, for every session.
_LOADER = create_loader()
# Clients hold nothing of an account: what they are asked, the account in memory of that moment answers.
# Making them anew took longer than most tests, so the next account takes over those of the one before.
_IDLE: dict[tuple[str, str], list[Any]] = {}
_TAKEN: list[tuple[tuple[str, str], Any, dict[str, Any]]] = []


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

    def _made(self, key: tuple[str, str]) -> Any:
        idle = _IDLE.get(key)
        client = idle.pop() if idle else super()._made(key)
        handlers = vars(client.meta.events._emitter)
        _TAKEN.append((key, client, {name: copy(value) for name, value in handlers.items()}))
        self._clients[key] = client
        return client

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
        try:
            yield InMemoryAccount(region, credentials=CREDENTIALS, clock=StandingClock())
        finally:
            _give_back()


def _give_back() -> None:
    """Keep the clients for the next account, without the handlers that were added to them."""
    while _TAKEN:
        key, client, handlers = _TAKEN.pop()
        vars(client.meta.events._emitter).update(handlers)
        _IDLE.setdefault(key, []).append(client)
