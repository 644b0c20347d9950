"""An AWS account in the memory of this process, without sockets: moto's, as far as its own answers go."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from moto import mock_aws

from trainyard.edge.aws.account import Account, Clock

if TYPE_CHECKING:
    from collections.abc import Iterator

# One of the images that moto has: to list them all takes seconds.
IMAGE = "ami-03cf127a"
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "AKIAINMEMORYACCOUNT0", "AWS_SECRET_ACCESS_KEY": "made-up"}


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


@contextmanager
def account_in_memory(region: str = "us-east-2") -> Iterator[Account]:
    """Hand out an empty account."""
    with mock_aws():
        yield Account(region, credentials=CREDENTIALS, clock=StandingClock())
