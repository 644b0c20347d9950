"""A cluster that exists whose spec chooses otherwise what becomes of nodes that fail."""

from __future__ import annotations

from typing import Any, cast

import pytest
import yaml

from tests.specs import spec_of
from trainyard.deploy.work import Work
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.stacks import StackState
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


def looked_at(
    account: Account, monkeypatch: pytest.MonkeyPatch, existing: Existing, software: str
) -> tuple[Work, list[str]]:
    state = StackState("llm", "id", "CREATE_COMPLETE", "", {}, {})
    monkeypatch.setattr(changes, "settled", lambda _: state)
    # The ids that stacks of an earlier call gave.
    monkeypatch.setattr(
        changes, "known_outputs", lambda _: {"NodeAssetsPolicyArn": "arn:aws:iam::123456789012:policy/n"}
    )
    monkeypatch.setattr(changes, "_untold", lambda _: ())
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
    account: Account, monkeypatch: pytest.MonkeyPatch, lines: list[dict[str, str]], on_failure: str, words: str
):
    work, found = looked_at(account, monkeypatch, Existing(lines), f"setup: gpu, on_failure: {on_failure}")
    assert found == ["slurm-setting-not-updated"]
    assert words in work.untold[0].message
    assert "pcluster update-cluster --cluster-name llm --region us-east-2" in (work.untold[0].remedy or "")
    assert not work.nodes_to_start


def test_a_cluster_that_has_the_setting_is_nothing_to_speak_of(account: Account, monkeypatch: pytest.MonkeyPatch):
    existing = Existing(RESERVED)
    assert looked_at(account, monkeypatch, existing, "setup: gpu, on_failure: hold")[1] == []
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
def test_where_anything_else_differs_it_is_refused(
    account: Account, monkeypatch: pytest.MonkeyPatch, existing: Existing
):
    with pytest.raises(TrainyardError, match="cluster llm exists, and the spec would change it"):
        looked_at(account, monkeypatch, existing, "setup: gpu, on_failure: hold")


def test_an_update_that_starts_nodes_takes_the_setting_along(account: Account, monkeypatch: pytest.MonkeyPatch):
    work, found = looked_at(account, monkeypatch, Existing([], (MINIMUM,)), "setup: gpu, on_failure: hold")
    assert (found, work.nodes_to_start) == ([], True)
