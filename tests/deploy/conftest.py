"""An account in memory with a bucket, and work in it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.edge.aws.in_memory import account_in_memory
from trainyard.deploy.work import Work
from trainyard.edge.aws import s3
from trainyard.edge.aws.account import Account

BUCKET = "ml-bucket"


@pytest.fixture
def account() -> Iterator[Account]:
    """An account in memory with a bucket."""
    with account_in_memory() as made:
        s3.make_bucket(made, BUCKET)
        yield made


@pytest.fixture
def work(account: Account) -> Work:
    """A deployment without a spec."""
    return Work(account, "llm", None, BUCKET)
