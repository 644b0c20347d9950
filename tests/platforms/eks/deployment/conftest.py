"""An account in memory, stand-ins for eksctl and kubectl on PATH, and a deployment whose stacks are there."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from moto.cloudformation.models import cloudformation_backends

from tests.edge.aws.in_memory import account_in_memory
from tests.kubernetes.programs import FakePrograms
from tests.platforms.eks.deployment.cluster import BUCKET, Deploying
from trainyard.edge.aws import s3


@pytest.fixture
def programs(tmp_path, monkeypatch) -> Iterator[FakePrograms]:
    with account_in_memory() as account, FakePrograms.of(tmp_path / "programs", account) as made:
        s3.make_bucket(account, BUCKET)
        yield made.on_path(monkeypatch)


@pytest.fixture
def fail_stack(programs) -> Callable[[str, str], None]:
    """Give a function that lets a stack have a status, which the emulated account never gives it."""

    def fail(name: str, status: str) -> None:
        account = programs.eksctl.account
        stacks = cloudformation_backends[account.id][account.region].stacks.values()
        (found,) = [one for one in stacks if one.name == name]
        found.status = status

    return fail


@pytest.fixture
def deploying(programs, tmp_path) -> Deploying:
    return Deploying(programs, tmp_path / "kubeconfig")
