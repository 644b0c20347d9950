"""An AWS account in the memory of this process, without sockets: moto's, as far as its own answers go."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

from moto import mock_aws

from trainyard.edge.aws.account import Account, Clock

if TYPE_CHECKING:
    from collections.abc import Iterator

IMAGE = "ami-03cf127a"
"""The one image that there is. moto makes its own hundreds anew for each account, which takes longer than a test."""
_IMAGES = Path(__file__).with_name("in_memory_images.json")
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
    with patch.dict(os.environ, {"MOTO_AMIS_PATH": str(_IMAGES)}), mock_aws():
        yield Account(region, credentials=CREDENTIALS, clock=StandingClock())
