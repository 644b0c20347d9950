"""How many questions the plan of a change asks AWS: the same ones are not asked again and again."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.rehearsal.account_copies import deployed_account
from tests.rehearsal.every_edit import edits
from tests.rehearsal.whole import SPEC
from trainyard.api.plan import plan_in_account
from trainyard.checking.spec_file import check_file
from trainyard.deploy.deployment import work_for
from trainyard.deploy.plan.deployment_plan import DeploymentPlan
from trainyard.deploy.work import Options
from trainyard.edge.aws.account import Account

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
BOUNDS = {"parallelcluster": (138, 6), "eks": (63, 2), "batch": (54, 2)}
"""The most questions in all, and the most listings of stacks.

They were 128, 57 and 48 on 2026-11-28, of which CloudFormation asks some itself, about resources of stacks that change
and that somebody may have changed by hand. How often a change set is looked at before it is there differs.
"""


def change_of(platform: str) -> tuple[str, str]:
    if platform == "parallelcluster":
        return SPEC, SPEC.replace("nodes: 2\n", "nodes: {min: 2, max: 5}\n")
    every = edits(platform)
    ((base, _),) = Counter(edit.before for edit in every).most_common(1)
    return base, next(edit.after for edit in every if edit.before == base and edit.name == "queues[0].nodes")


def planned_change(account: Account, file: Path, options: Options | None = None) -> DeploymentPlan:
    """Return what `trainyard plan SPEC` tells."""
    checked = check_file(str(file))
    assert checked.parsed is not None
    work = work_for(checked.parsed.spec, account, options=options)
    return plan_in_account(work, checked.parsed.document)[1]


def questions(account: Account) -> Counter[str]:
    with urlopen(f"{account.endpoint}/trainyard/calls") as answer:
        return Counter(json.load(answer))


@pytest.mark.parametrize("platform", BOUNDS)
def test_a_plan_of_a_change_asks_few_questions(platform: str, tmp_path):
    former, text = change_of(platform)
    file = tmp_path / "cluster.yaml"
    file.write_text(text)
    with deployed_account(former) as account:
        before = questions(account)
        planned = planned_change(account, file)
        asked = questions(account) - before
    assert not planned.refusals
    assert any(step.probe is not None and step.probe.state == "there" for step in planned.steps)
    assert planned.former_cost is not None
    assert planned.former_cost.lines != planned.cost.lines
    most, most_listings = BOUNDS[platform]
    assert asked["cloudformation:DescribeStacks"] <= most_listings
    assert sum(asked.values()) <= most
