"""What is said of a cluster that trainyard made: what its nodes wrote of a bootstrap that failed, and its bucket."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.edge.aws.in_memory import StandingClock, account_in_memory
from tests.operate.nodes.planted import BUCKET, DEPLOYMENT, failed, plant, put, record
from trainyard.deploy.record import write_record
from trainyard.edge.aws import s3
from trainyard.edge.aws.account import Account
from trainyard.operate.status.status_query import status


@pytest.fixture(scope="module")
def planted() -> Iterator[tuple[Account, str]]:
    """An account with a cluster, seen when its instances start, and the id of its compute node."""
    clock = StandingClock()
    clock.time = time.time()
    with account_in_memory() as made:
        s3.make_bucket(made, BUCKET)
        account = replace(made, clock=clock)
        yield account, plant(account)[2]


@pytest.fixture
def account(planted: tuple[Account, str]) -> Account:
    """The account with the record of the cluster as it was."""
    write_record(planted[0], BUCKET, DEPLOYMENT)
    return planted[0]


def test_a_node_that_failed_is_told_with_the_step_that_did(account, planted):
    compute = planted[1]
    put(account, compute, record(compute, "failed", steps=[failed("no route to S3")]))
    found = status("llm", account, BUCKET)
    assert found.record is not None
    (failure,) = found.failures
    assert failure.place == "nodes"
    assert "no route to S3" in failure.what


def test_the_bucket_of_the_spec_is_found_by_the_tags_of_its_stacks(account):
    account.client("cloudformation").create_stack(
        StackName="llm-storage",
        TemplateBody='{"Resources": {"Topic": {"Type": "AWS::SNS::Topic"}}}',
        Tags=[{"Key": "trainyard:cluster", "Value": "llm"}, {"Key": "trainyard:bucket", "Value": BUCKET}],
    )
    found = status("llm", account)
    assert found.record is not None
    assert [stack.name for stack in found.stacks] == ["llm-storage"]
    assert found.problem == "the cluster itself is not there"


def test_a_record_that_cannot_be_read_is_one_part_that_is_not_known(account):
    s3.put(account, BUCKET, "trainyard/llm/deployment.json", b"{")
    found = status("llm", account, BUCKET)
    assert "what is remembered of llm cannot be read" in found.unknown["record"]
    assert len(found.nodes) == 3
