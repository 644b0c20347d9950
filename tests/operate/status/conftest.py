"""One emulated account for all tests of this folder: starting it takes seconds."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from trainyard.edge.aws.account import Account
from trainyard.rehearsal.emulated.emulated_account import emulated_account


@pytest.fixture(scope="session")
def account() -> Iterator[Account]:
    with emulated_account("us-east-2") as started:
        yield started
