"""What somebody else has changed of stacks: told, and of that, what an update would write over."""

from __future__ import annotations

from typing import Any

import pytest

from tests.deploy.conftest import BUCKET
from tests.specs import spec_of
from trainyard.deploy.drift import DriftDifference
from trainyard.deploy.drift_review import refuse_overwriting, written_over
from trainyard.deploy.stack_change import StackChange
from trainyard.deploy.update_review import UpdateReview
from trainyard.deploy.work import Options, Work
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.change_sets import Fate, PropertyChange
from trainyard.errors import TrainyardError

STACK = "llm-batch"


def drifted(*path: str, current: Any = 384) -> DriftDifference:
    return DriftDifference(STACK, ("Nodes", *path), 96, current)


def change(fate: Fate, *properties: str, stack: str = STACK, resource: str = "Nodes") -> StackChange:
    changed = tuple(PropertyChange(name) for name in properties)
    kind = "AWS::Batch::ComputeEnvironment"
    return StackChange(
        stack,
        resource,
        kind,
        "id",
        fate,
        is_certain=True,
        leaves="nothing",
        holds="nothing",
        what="",
        properties=changed,
    )


@pytest.mark.parametrize(
    ("difference", "changes", "is_written_over"),
    [
        (drifted("ComputeResources", "MaxvCpus"), [change("changed", "ComputeResources")], True),
        (drifted("ComputeResources", "MaxvCpus"), [change("changed", "State")], False),
        (drifted("ComputeResources", "MaxvCpus"), [change("changed", "ComputeResources", resource="Other")], False),
        (drifted("ComputeResources", "MaxvCpus"), [change("changed", "ComputeResources", stack="llm-network")], False),
        (drifted("State"), [change("replaced")], True),
        (drifted("State"), [change("deleted")], False),
        (drifted("State"), [], False),
        (drifted(current=None), [change("changed", "State")], True),
    ],
    ids=["same property", "another", "resource", "stack", "replaced", "deleted", "nothing changes", "resource is gone"],
)
def test_what_an_update_changes_itself_is_written_over_and_nothing_else(
    difference: DriftDifference, changes: list[StackChange], *, is_written_over: bool
):
    assert list(written_over(changes, [difference])) == [difference] * is_written_over


def test_a_review_tells_what_others_have_changed_and_what_becomes_of_it():
    taken, left = drifted("ComputeResources", "MaxvCpus"), drifted("State", current="DISABLED")
    lines = list(UpdateReview(drift=(taken, left), overwrites=(taken,)).lines())
    assert lines == [
        "changed by somebody else, and taken back: llm-batch: Nodes.ComputeResources.MaxvCpus: 96 -> 384",
        "changed by somebody else, and left as it is: llm-batch: Nodes.State: 96 -> DISABLED",
    ]


def test_it_is_taken_back_only_with_consent(account: Account):
    work = Work(account, "llm", spec_of("name: llm"), BUCKET)
    refuse_overwriting(work, "stacks of llm", [])
    texts = [f"change {number}" for number in range(7)]
    with pytest.raises(TrainyardError, match=r"somebody has changed stacks of llm .*change 4; and 2 more$") as refused:
        refuse_overwriting(work, "stacks of llm", texts)
    assert "--overwrite-changes" in str(refused.value.hint)
    work.options = Options(overwrite_changes=True)
    refuse_overwriting(work, "stacks of llm", texts)
