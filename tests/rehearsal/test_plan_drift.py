"""What somebody has changed by hand: a plan shows it, and no deployment takes it back unasked."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.rehearsal.account_copies import deployed_account
from tests.rehearsal.test_plan_questions import change_of, planned_change
from tests.rehearsal.whole import deployed
from trainyard.cli.plan import plan_lines, plan_values
from trainyard.deploy.plan.deployment_plan import DeploymentPlan
from trainyard.deploy.work import Options
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.stacks import all_stacks, find_stack, stack_template

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
FORMER, EDITED = change_of("batch")
BY_HAND = 7777
"""How many vCPUs somebody gives to the nodes, which the spec never does."""


def planned(account: Account, text: str, folder: Path) -> DeploymentPlan:
    file = folder / "cluster.yaml"
    file.write_text(text)
    return planned_change(account, file, Options(all_drift=True))


def told(plan: DeploymentPlan) -> list[str]:
    """Return what the plan says of changes by others."""
    return [line.strip() for line in plan_lines(plan) if "by somebody else" in line]


def fates(plan: DeploymentPlan) -> list[bool]:
    return [difference["taken_back"] for difference in plan_values(plan)["drift"]]


def environments(account: Account) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = account.client("batch").describe_compute_environments()["computeEnvironments"]
    return listed


def most_vcpus(account: Account) -> list[int]:
    return [environment["computeResources"]["maxvCpus"] for environment in environments(account)]


def change_resource(account: Account) -> None:
    """Let the nodes have more vCPUs, past the stack."""
    name = environments(account)[0]["computeEnvironmentName"]
    account.client("batch").update_compute_environment(computeEnvironment=name, computeResources={"maxvCpus": BY_HAND})


def change_stack(account: Account) -> None:
    """Add a resource to the template of the cluster's stack."""
    stack = next(stack for stack in all_stacks(account) if stack.name.endswith("-batch"))
    template = {**stack_template(account, stack.name)}
    template["Resources"] = {**template["Resources"], "Topic": {"Type": "AWS::SNS::Topic"}}
    account.client("cloudformation").update_stack(
        StackName=stack.name,
        TemplateBody=json.dumps(template, separators=(",", ":"), default=str),
        Parameters=[{"ParameterKey": name, "UsePreviousValue": True} for name in template.get("Parameters", {})],
        Tags=[{"Key": key, "Value": value} for key, value in stack.tags.items()],
        Capabilities=["CAPABILITY_NAMED_IAM"],
    )
    all_stacks(account)  # nobody is done before somebody has looked
    changed = find_stack(account, stack.name)
    assert changed is not None
    assert changed.status == "UPDATE_COMPLETE"


def test_a_cluster_that_nobody_has_touched_has_no_drift(tmp_path: Path):
    with deployed_account(FORMER) as account:
        plan = planned(account, EDITED, tmp_path)
        assert plan.review is not None
        assert (told(plan), fates(plan), plan.review.unclear, plan.refusals) == ([], [], (), ())


def test_a_resource_that_somebody_changed_is_told_and_left_as_it_is(tmp_path: Path):
    with deployed_account(FORMER) as account:
        change_resource(account)
        plan = planned(account, FORMER, tmp_path)
        (line,) = told(plan)
        assert line.startswith("changed by somebody else, and left as it is: ")
        assert f".MaxvCpus: {plan_values(plan)['drift'][0]['recorded']} -> {BY_HAND}" in line
        assert (fates(plan), plan.refusals) == ([False], ())
        assert deployed(account, FORMER).ok
        assert BY_HAND in most_vcpus(account)


@pytest.mark.parametrize(
    ("change", "text"), [(change_resource, EDITED), (change_stack, FORMER)], ids=["resource", "stack"]
)
def test_what_a_deployment_would_take_back_is_refused_until_somebody_agrees(
    change: Callable[[Account], None], text: str, tmp_path: Path
):
    with deployed_account(FORMER) as account:
        change(account)
        plan = planned(account, text, tmp_path)
        (line,) = told(plan)
        assert line.startswith("changed by somebody else, and taken back: ")
        assert fates(plan) == [True]
        (refusal,) = plan.refusals
        assert "this one would take that back" in refusal.problem
        assert "--overwrite-changes" in str(refusal.hint)
        refused = deployed(account, text)
        assert [result.error.problem for result in refused.results if result.error] == [refusal.problem]
        assert deployed(account, text, Options(overwrite_changes=True)).ok
        assert told(planned(account, text, tmp_path)) == []
