"""One emulated account for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.rehearsal.account_copies import empty_account
from trainyard.edge.aws.account import Account


@pytest.fixture(scope="session")
def account() -> Iterator[Account]:
    with empty_account() as started:
        yield started
