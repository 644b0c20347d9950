"""Nodes that are replaced, in one account for a module."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.edge.aws.in_memory import account_in_memory
from tests.operate.nodes.planted import BUCKET, launch, plant, put, record
from tests.operate.slurm.replaced_node import NEW_GPU, OLD_GPU, Case, FakeSlurm, Quick, topology
from trainyard.edge.aws import s3
from trainyard.edge.aws.account import Account


@pytest.fixture(scope="module")
def shared() -> Iterator[Account]:
    with account_in_memory() as made:
        s3.make_bucket(made, BUCKET)
        plant(made)
        yield made


@pytest.fixture
def make(shared: Account) -> Iterator[Callable[..., Case]]:
    account = replace(shared, clock=Quick())
    account.client("ec2").meta.events.register("before-call.ec2.DescribeInstanceTopology", topology)

    def made(name: str = "gpu-st-p5-48xlarge-1", gpus: list[str] | None = None, **slurm: Any) -> Case:
        instance = launch(account, "Compute", queue_name="gpu", compute_resource_name="p5-48xlarge")
        put(account, instance, record(instance, "ready", hostname=name, gpus=[OLD_GPU]))
        return Case(account, FakeSlurm(account, name, instance, gpus or [NEW_GPU], **slurm), instance)

    yield made
    s3.delete_below(account, BUCKET, "trainyard/llm/replacements/")
