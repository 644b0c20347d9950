"""A cluster that exists whose spec chooses otherwise what becomes of nodes that fail."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest
import yaml

from tests.specs import spec_of
from trainyard.deploy.work import Work
from trainyard.edge.aws.account import Account
from trainyard.edge.pcluster_command import ConfigChange, Pcluster, Verdict
from trainyard.errors import TrainyardError
from trainyard.platforms.parallelcluster.deployment import changes

QUEUE = "queues: [{name: q, instance_type: p5.48xlarge, setup: gpu, capacity: {reservation: cr-0123456789abcdef0}}]\n"
NETWORK = (
    "network: {existing: {vpc: vpc-0123456789abcdef0, private_subnets: [subnet-0123456789abcdef0], "
    "public_subnets: [subnet-0123456789abcdef1]}}\n"
)
LINES = "Scheduling.SlurmSettings.CustomSlurmSettings"
MINIMUM = "Scheduling.SlurmQueues[q].ComputeResources[p5].MinCount"


def plant_stack(account: Account, name: str, template: dict[str, Any]) -> None:
    tags = [{"Key": "trainyard:cluster", "Value": "llm"}]
    account.client("cloudformation").create_stack(StackName=name, TemplateBody=json.dumps(template), Tags=tags)


class Existing:
    """ParallelCluster, with a cluster that has these lines of slurm.conf."""

    def __init__(self, lines: list[dict[str, str]], further: tuple[str, ...] = ()) -> None:
        """Take the lines, and what else differs."""
        self.lines = lines
        self.further = further
        self.asked = 0

    def dry_run(self, _name: str, text: str, *, update: bool) -> Verdict:
        """Say what an update would change, as ParallelCluster does."""
        assert update
        self.asked += 1
        settings: dict[str, Any] = yaml.safe_load(text)["Scheduling"]["SlurmSettings"]
        wanted = settings.get("CustomSlurmSettings", [])
        differing = (*([LINES] if wanted != self.lines else []), *self.further)
        found = tuple(ConfigChange(one, "old", "new") for one in differing)
        return Verdict(
            accepted=bool(found), problem="" if found else "No changes found in your cluster.", changes=found
        )


def looked_at(account: Account, existing: Existing, software: str) -> tuple[Work, list[str]]:
    plant_stack(account, "llm", {"Resources": {"Topic": {"Type": "AWS::SNS::Topic"}}})
    policy = {"NodeAssetsPolicyArn": {"Value": "arn:aws:iam::123456789012:policy/n"}}
    plant_stack(account, "llm-release", {"Resources": {"Topic": {"Type": "AWS::SNS::Topic"}}, "Outputs": policy})
    spec = spec_of(f"{NETWORK}{QUEUE}software: {{{software}}}\n")
    work = Work(account, "llm", spec, "mine", parallelcluster=lambda _: cast("Pcluster", existing))
    changes.Changes().apply(work)
    return work, [finding.id for finding in work.untold]


RESERVED = [{"SuspendExcStates": "RESERVED"}]


@pytest.mark.parametrize(
    ("lines", "on_failure", "words"),
    [
        ([], "hold", "each node that is held is excepted from power saving by its name"),
        (RESERVED, "terminate", "Slurm powers no node down that a reservation keeps"),
    ],
)
def test_where_nothing_else_differs_the_release_goes_out_and_the_rest_is_said(
    account: Account, lines: list[dict[str, str]], on_failure: str, words: str
):
    work, found = looked_at(account, Existing(lines), f"setup: gpu, on_failure: {on_failure}")
    assert found == ["head-node-not-told", "slurm-setting-not-updated"]
    assert words in work.untold[1].message
    assert "pcluster update-cluster --cluster-name llm --region us-east-2" in (work.untold[1].remedy or "")
    assert not work.nodes_to_start


def test_a_cluster_that_has_the_setting_is_nothing_to_speak_of(account: Account):
    existing = Existing(RESERVED)
    assert looked_at(account, existing, "setup: gpu, on_failure: hold")[1] == ["head-node-not-told"]
    assert existing.asked == 1


@pytest.mark.parametrize(
    "existing",
    [
        Existing([{"KillWait": "60"}]),
        Existing([], ("HeadNode.InstanceType",)),
        Existing(RESERVED, ("HeadNode.InstanceType",)),
    ],
    ids=["other-lines", "lines-and-more", "more"],
)
def test_where_anything_else_differs_it_is_refused(account: Account, existing: Existing):
    with pytest.raises(TrainyardError, match="cluster llm exists, and the spec would change it"):
        looked_at(account, existing, "setup: gpu, on_failure: hold")


def test_an_update_that_starts_nodes_takes_the_setting_along(account: Account):
    work, found = looked_at(account, Existing([], (MINIMUM,)), "setup: gpu, on_failure: hold")
    assert (found, work.nodes_to_start) == (["head-node-not-told"], True)


def test_policies_of_the_head_node_are_left_to_the_step_of_the_cluster(account: Account):
    policies = Existing([], ("HeadNode.Iam.AdditionalIamPolicies",))
    work, found = looked_at(account, policies, "setup: gpu")
    assert (found, work.policies_to_update, work.nodes_to_start) == (["head-node-not-told"], True, False)


def test_what_no_stack_has_made_yet_is_named_and_refused(account: Account):
    plant_stack(account, "llm", {"Resources": {"Topic": {"Type": "AWS::SNS::Topic"}}})
    added = "file_systems: [{mount: /fsx, lustre: {size_gib: 1200, throughput_mb_s_per_tib: 125}}]\n"
    work = Work(account, "llm", spec_of(f"{NETWORK}{QUEUE}{added}"), "mine")
    with pytest.raises(TrainyardError, match=r"would add to it what is not made yet: .*file system"):
        changes.Changes().apply(work)
