"""An account in memory, stand-ins for eksctl and kubectl on PATH, and a deployment whose stacks are there."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.kubernetes.eks_in_memory import eks_in_memory
from tests.kubernetes.programs import FakePrograms
from tests.platforms.eks.deployment.cluster import BUCKET, Deploying
from trainyard.edge.aws import s3
from trainyard.rehearsal.emulated.engine import stacks


@pytest.fixture
def programs(tmp_path, monkeypatch) -> Iterator[FakePrograms]:
    with eks_in_memory() as account, FakePrograms.of(tmp_path / "programs", account) as made:
        s3.make_bucket(account, BUCKET)
        yield made.on_path(monkeypatch)


@pytest.fixture
def fail_stack(programs) -> Callable[[str, str], None]:
    """Give a function that lets a stack have a status, whatever became of it."""

    def fail(name: str, status: str) -> None:
        stack = stacks.find_stack(name, programs.eksctl.account.region)
        assert stack is not None
        stack.status = status

    return fail


@pytest.fixture
def deploying(programs, tmp_path) -> Deploying:
    return Deploying(programs, tmp_path / "kubeconfig")
