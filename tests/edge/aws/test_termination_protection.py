"""A protected stack is let go before it is deleted; one that is not is left as it is."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.deploy.preflights.recorded import RecordedAccount, Refusal
from trainyard.edge.aws.stacks import lift_protection
from trainyard.errors import TrainyardError

MADE = datetime(2026, 11, 22, tzinfo=UTC)
STACK = {"StackName": "eksctl-llm-cluster", "StackStatus": "CREATE_COMPLETE", "CreationTime": MADE}
LIFT = "cloudformation.UpdateTerminationProtection"


def account(*, protected: bool, answer: Any = None) -> RecordedAccount:
    described = {"Stacks": [{**STACK, "EnableTerminationProtection": protected}]}
    return RecordedAccount("us-east-2", answers={"cloudformation.DescribeStacks": described, LIFT: answer or {}})


def test_a_protected_stack_is_let_go():
    asked = account(protected=True)
    assert lift_protection(asked, "eksctl-llm-cluster")
    assert asked.calls[-1] == LIFT


def test_another_one_is_left_as_it_is():
    asked = account(protected=False)
    assert not lift_protection(asked, "eksctl-llm-cluster")
    assert LIFT not in asked.calls


def test_a_refusal_names_the_stack():
    with pytest.raises(TrainyardError, match="could not lift the protection of stack eksctl-llm-cluster"):
        lift_protection(account(protected=True, answer=Refusal("AccessDenied")), "eksctl-llm-cluster")
