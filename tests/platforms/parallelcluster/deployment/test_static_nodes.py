"""Waiting for nodes that always run: EC2 may have no room for them, and a fleet is RUNNING all the same."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.deploy.waits import Waits
from tests.edge.aws.in_memory import IMAGE
from tests.specs import spec_of
from trainyard.deploy.step import Probe
from trainyard.deploy.work import Work
from trainyard.platforms.parallelcluster.deployment.static_nodes import (
    StaticNodes,
    await_launch,
    missing_nodes,
    not_launched,
)

QUEUES = (
    "name: llm\nqueues:\n"
    "- {name: train, instance_type: p5.48xlarge, nodes: 2, capacity: {reservation: cr-0123456789abcdef0}}\n"
    "- {name: cpu, instance_type: m5.large, nodes: {min: 0, max: 6}}\n"
)


@pytest.fixture
def clock() -> Waits:
    """A clock on which nothing happens by itself."""
    return Waits()


@pytest.fixture
def waiting(work: Work, clock: Waits) -> Work:
    """A deployment whose fleet was started."""
    return replace(work, spec=spec_of(QUEUES), account=replace(work.account, clock=clock))


def launch(work: Work, count: int, **tags: str) -> None:
    """Let EC2 launch instances with the tags that ParallelCluster gives them."""
    given = {
        "cluster-name": "llm", "node-type": "Compute", "queue-name": "train",
        "compute-resource-name": "p5-48xlarge", **tags,
    }  # fmt: skip
    listed = [{"Key": f"parallelcluster:{key.replace('_', '-')}", "Value": value} for key, value in given.items()]
    work.account.client("ec2").run_instances(
        ImageId=IMAGE, MinCount=count, MaxCount=count, InstanceType="p5.48xlarge",
        TagSpecifications=[{"ResourceType": "instance", "Tags": listed}],
    )  # fmt: skip


def test_nodes_that_run_are_not_waited_for(waiting: Work, clock: Waits):
    launch(waiting, 2)
    assert await_launch(waiting) == []
    assert clock.pauses == []


def test_nodes_that_come_late_are_waited_for(waiting: Work, clock: Waits):
    clock.after, clock.then = 3, lambda: launch(waiting, 2)
    assert await_launch(waiting) == []
    assert len(clock.pauses) == 3


@pytest.mark.parametrize(
    "other", [{"queue-name": "cpu"}, {"cluster-name": "another"}, {"node-type": "HeadNode"},
              {"compute-resource-name": "p4d-24xlarge"}],
)  # fmt: skip
def test_instances_of_others_do_not_count(waiting: Work, other: dict[str, str]):
    launch(waiting, 1)
    launch(waiting, 2, **other)
    assert [missing_node.launched for missing_node in missing_nodes(waiting)] == [1]


def test_nodes_that_never_come_are_told_after_five_minutes(waiting: Work, clock: Waits):
    told: list[str] = []
    waiting.listener = lambda event: told.append(event.text)
    (missing,) = await_launch(waiting)
    finding = not_launched(missing, waiting)
    assert told == ["EC2 has launched 0 of the 2 nodes of queue train (p5.48xlarge)"]
    assert sum(clock.pauses) == 300
    assert (finding.id, finding.severity) == ("static-nodes-not-launched", "warning")
    assert finding.message == (
        "EC2 has launched 0 of the 2 nodes of queue train (p5.48xlarge) within 5 minutes of the start of the fleet"
    )
    assert "trainyard diagnose llm" in str(finding.remedy)


def test_a_plan_says_whether_they_run_once_the_cluster_is_there(waiting: Work):
    assert StaticNodes().probe(waiting) == Probe("missing", "2 × p5.48xlarge")
    body = json.dumps({"Resources": {"Topic": {"Type": "AWS::SNS::Topic"}}})
    waiting.account.client("cloudformation").create_stack(StackName="llm", TemplateBody=body)
    assert StaticNodes().probe(waiting).state == "missing"
    launch(waiting, 2)
    assert StaticNodes().probe(waiting) == Probe("there", "2 × p5.48xlarge")
