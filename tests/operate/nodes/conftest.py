"""A cluster without an account, and an account with a cluster in it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.edge.aws.in_memory import StandingClock, account_in_memory
from tests.operate.nodes.planted import BUCKET, Planted
from trainyard.edge.aws import s3
from trainyard.edge.aws.account import Account


@pytest.fixture
def cluster() -> Planted:
    """A cluster that has just been deployed."""
    return Planted()


@pytest.fixture
def account() -> Iterator[Account]:
    """An account with a bucket, whose clock begins at the time of the instances in it and moves when somebody waits."""
    clock = StandingClock()
    clock.time = time.time()
    with account_in_memory() as made:
        s3.make_bucket(made, BUCKET)
        yield replace(made, clock=clock)
