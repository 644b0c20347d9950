"""Blocks that are over, and what is left of a spec without them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.specs import spec_of
from trainyard.deploy.expired_capacity import expired_blocks, without_blocks

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


def test_only_what_is_over_for_certain_is_over():
    states = {FIRST: "expired", SECOND: "active"}
    listed: dict[str, Any] = {id_: {"State": state} for id_, state in states.items()}
    assert expired_blocks(spec_of(QUEUE), listed) == {FIRST}
    assert expired_blocks(spec_of(QUEUE), {SECOND: {"State": "scheduled"}}) == frozenset()  # one that nobody knows
