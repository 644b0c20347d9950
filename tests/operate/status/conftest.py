"""One emulated account for all tests of this folder: starting it takes seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from trainyard.rehearsal.emulated.emulated_account import emulated_account

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainyard.edge.aws.account import Account


@pytest.fixture(scope="session")
def account() -> Iterator[Account]:
    with emulated_account("us-east-2") as started:
        yield started
