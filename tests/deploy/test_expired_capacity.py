"""Blocks that are over, and what is left of a spec without them."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.awsrequest import AWSResponse

from tests.deploy.conftest import BUCKET
from tests.specs import spec_of
from trainyard.deploy.expired_capacity import expired_blocks, leave_out_ended, without_blocks
from trainyard.deploy.work import Work
from trainyard.edge.aws.account import Account
from trainyard.errors import TrainyardError

FIRST, SECOND = "cr-0123456789abcdef0", "cr-0123456789abcdef1"
GROUP = "{{instance_type: p5.48xlarge, nodes: 2, capacity: {{capacity_block: {}}}}}"
QUEUE = f"queues: [{{name: gpu, compute_resources: [{GROUP.format(FIRST)}, {GROUP.format(SECOND)}]}}]"


def names(blocks: frozenset[str], queue: str = QUEUE) -> list[str]:
    spec = without_blocks(spec_of(queue), blocks)
    return [group.name for group in spec.node_groups()]


def test_the_nodes_of_a_block_that_is_over_go_and_those_of_the_next_keep_their_name():
    first, second = names(frozenset())
    assert names(frozenset({FIRST})) == [second]
    assert names(frozenset({SECOND})) == [first]


@pytest.mark.parametrize(
    ("queue", "blocks"),
    [
        (QUEUE, {FIRST, SECOND}),
        (
            f"queues: [{{name: gpu, instance_type: p5.48xlarge, nodes: 2, capacity: {{capacity_block: {FIRST}}}}}]",
            {FIRST},
        ),
        (QUEUE.replace("queues:", "platform: batch\nqueues:"), {FIRST}),
    ],
    ids=["no block is left", "the only nodes", "another platform"],
)
def test_a_queue_without_other_nodes_keeps_them(queue: str, blocks: set[str]):
    assert names(frozenset(blocks), queue) == names(frozenset(), queue)


ONE_BLOCK = f"queues: [{{name: gpu, instance_type: p5.48xlarge, nodes: 2, capacity: {{capacity_block: {FIRST}}}}}]"


def work_with(account: Account, queue: str, told: list[str], **states: str) -> Work:
    """Return a deployment in an account whose reservations have some states."""
    known = {FIRST: states.get("first"), SECOND: states.get("second")}
    listed = [{"CapacityReservationId": id_, "State": state} for id_, state in known.items() if state is not None]
    answer = AWSResponse("", 200, {}, None), {"CapacityReservations": listed}
    account.client("ec2").meta.events.register("before-call.ec2.DescribeCapacityReservations", lambda **_: answer)
    return Work(account, "llm", spec_of(queue), BUCKET, lambda event: told.append(event.text))


@pytest.mark.parametrize("first", ["expired", None], ids=["expired", "forgotten"])
def test_a_block_that_ends_during_a_deployment_is_left_out_once(account: Account, first: str | None):
    told: list[str] = []
    states = {"second": "active"} if first is None else {"first": first, "second": "active"}
    work = work_with(account, QUEUE, told, **states)
    assert leave_out_ended(work)
    assert FIRST not in str(work.required_spec().queues)
    assert SECOND in str(work.required_spec().queues)
    assert told == [f"{FIRST}: ended meanwhile; its nodes are left out of the cluster"]
    assert not leave_out_ended(work)


def test_blocks_that_go_on_are_left_as_they_are(account: Account):
    told: list[str] = []
    work = work_with(account, QUEUE, told, first="active", second="scheduled")
    before = work.required_spec()
    assert not leave_out_ended(work)
    assert (work.spec, told) == (before, [])


@pytest.mark.parametrize(
    ("queue", "states"),
    [(ONE_BLOCK, {"first": "expired"}), (QUEUE, {"first": "expired", "second": "expired"})],
    ids=["one block", "both blocks"],
)
def test_a_deployment_ends_where_a_queue_has_no_nodes_left(account: Account, queue: str, states: dict[str, str]):
    with pytest.raises(TrainyardError, match=rf"{FIRST}.* has ended meanwhile, and queue gpu has no other nodes"):
        leave_out_ended(work_with(account, queue, [], **states))


def test_only_what_is_over_for_certain_is_over():
    states = {FIRST: "expired", SECOND: "active"}
    listed: dict[str, Any] = {id_: {"State": state} for id_, state in states.items()}
    assert expired_blocks(spec_of(QUEUE), listed) == {FIRST}
    assert expired_blocks(spec_of(QUEUE), {SECOND: {"State": "scheduled"}}) == frozenset()  # one that nobody knows
