"""Stacks that an update of another tool has left UPDATE_ROLLBACK_FAILED: told, not touched, and gone on with later."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.rehearsal.account_copies import deployed_account, told
from tests.rehearsal.test_disturbed_updates import FEWER, problems, running
from tests.rehearsal.whole import SPEC, deployed, destroyed, planned
from tests.rehearsal.whole_account import whole_account
from trainyard.deploy.work import Options
from trainyard.edge.aws import s3
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.stacks import find_stack, stack_template
from trainyard.operate.status.status_query import status

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
ROLE: dict[str, Any] = {
    "Type": "AWS::IAM::Role",
    "Properties": {"AssumeRolePolicyDocument": {"Version": "2012-10-17", "Statement": []}},
}


def update_by_another_tool(account: Account, stack: str) -> None:
    """Begin an update that neither succeeds nor can be taken back."""
    template = {**stack_template(account, stack)}
    template["Resources"] = {**template["Resources"], "ByAnotherTool": ROLE}
    client = account.client("cloudformation")
    (described,) = client.describe_stacks(StackName=stack)["Stacks"]
    kept = [{"ParameterKey": one["ParameterKey"], "UsePreviousValue": True} for one in described.get("Parameters", ())]
    told(account, "faults", {"breakdown": "role-not-allowed", "updates_are_taken_back": False})
    content = json.dumps(template, default=str).encode()
    bucket = s3.own_bucket(account)
    s3.put(account, bucket, "by-another-tool.json", content)  # too long for a call
    client.update_stack(
        StackName=stack, TemplateURL=f"https://{bucket}.s3.{account.region}.amazonaws.com/by-another-tool.json",
        Parameters=kept,
        Capabilities=["CAPABILITY_NAMED_IAM", "CAPABILITY_AUTO_EXPAND"],
    )  # fmt: skip
    told(account, "faults", {})
    find_stack(account, stack)  # nobody is done before somebody has looked
    state = find_stack(account, stack)
    assert state is not None
    assert state.status == "UPDATE_ROLLBACK_FAILED"


@pytest.mark.parametrize("stack", ["llm-network", pytest.param("llm", marks=pytest.mark.exhaustive)])
def test_it_is_told_and_nothing_is_touched_until_it_is_taken_back(stack: str):
    with deployed_account(SPEC) as account:
        update_by_another_tool(account, stack)
        before = whole_account(account)
        assert any(f"{stack} is UPDATE_ROLLBACK_FAILED" in concern.what for concern in status("llm", account).concerns)
        _, refusals = planned(account, FEWER)
        assert f"stack {stack} is UPDATE_ROLLBACK_FAILED" in "; ".join(refusal.problem for refusal in refusals)
        for text in (FEWER, SPEC):
            (problem,) = problems(deployed(account, text, Options(end_jobs=True)))
            assert problem.startswith(f"stack {stack} is UPDATE_ROLLBACK_FAILED: "), problem
        assert f"`aws cloudformation continue-update-rollback --stack-name {stack} --region us-east-2`" in "; ".join(
            str(refusal.hint) for refusal in refusals
        )
        assert whole_account(account) == before
        assert len(running(account, "Compute")) == 2

        account.client("cloudformation").continue_update_rollback(StackName=stack)
        assert problems(deployed(account, FEWER, Options(end_jobs=True))) == []
        assert len(running(account, "Compute")) == 1


@pytest.mark.exhaustive
@pytest.mark.parametrize("stack", ["llm-network", "llm-storage", "llm"])
def test_what_was_left_so_is_destroyed_all_the_same(stack: str):
    with deployed_account(SPEC) as account:
        update_by_another_tool(account, stack)
        done = destroyed(account)
        assert (problems(done), done.refused) == ([], ())
        assert find_stack(account, stack) is None
