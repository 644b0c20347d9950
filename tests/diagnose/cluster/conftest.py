"""An account whose clock shows the real time: moto takes no older or later events."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.edge.aws.in_memory import StandingClock, account_in_memory
from trainyard.edge.aws.account import Account


@pytest.fixture
def account() -> Iterator[Account]:
    clock = StandingClock()
    clock.time = float(int(time.time()))
    with account_in_memory() as made:
        yield replace(made, clock=clock)
