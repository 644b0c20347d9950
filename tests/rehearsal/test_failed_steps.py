"""A rehearsal of which any one step fails claims nothing that it did not do, and leaves nothing behind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tests.rehearsal.report.test_honest_lists import ENVIRONMENT, step_names
from tests.rehearsal.whole import WITHOUT_STATIC_NODES
from trainyard.deploy.work import Event
from trainyard.errors import TrainyardError
from trainyard.rehearsal.rehearsal import RehearsalSpec, rehearse
from trainyard.rehearsal.report.conditions import applicable_entries
from trainyard.spec.parsing import parse

pytestmark = [pytest.mark.enable_socket, pytest.mark.exhaustive]

PLACE = "network: {availability_zone: us-east-2a, secondary_availability_zone: us-east-2b}"
QUEUES = "queues: [{name: gpu, instance_type: p5.48xlarge, nodes: 2, capacity: {reservation: cr-0123456789abcdef0}}]"
REST = f"region: us-east-2\n{PLACE}\n{QUEUES}\nmonitoring: {{mode: amp+amg}}\n"
SPECS = {
    "parallelcluster": WITHOUT_STATIC_NODES,
    "eks": f"name: llm\nplatform: eks\n{REST}",
    "batch": f"name: llm\nplatform: batch\n{REST}".replace("amp+amg", "amp-only"),
    "environment": ENVIRONMENT,
}
FAILURES = [
    pytest.param(platform, step, id=f"{platform}-{step}")
    for platform, text in SPECS.items()
    for step in step_names(parse(text, "cluster.yaml").spec)
]

Result = Mapping[str, Any]


def made(*types: str) -> Callable[[Result], bool]:
    """Return whether whole stacks made resources of all these types."""
    return lambda result: (
        {*types}
        <= {
            resource["type"]
            for stack in result["stacks"]
            if stack["status"] == "CREATE_COMPLETE"
            for resource in stack["resources"]
        }
    )


def called(*calls: str) -> Callable[[Result], bool]:
    """Return whether the account was called so."""
    return lambda result: {*calls} <= {*result["calls"]}


def wrote(text: str) -> Callable[[Result], bool]:
    """Return whether a step has said so at its end."""
    return lambda result: any(text in step["detail"] for step in result["steps"] if step["status"] != "failed")


# What the account or the steps show of each claim, found without asking after which step it is made.
EVIDENCE: dict[str, Callable[[Result], bool]] = {
    "rules": lambda result: not [finding for finding in result["findings"] if finding["severity"] == "error"],
    "file_systems": lambda result: not [finding for finding in result["findings"] if finding["severity"] == "error"],
    "validators": made("AWS::EC2::LaunchTemplate", "AWS::Lambda::Function"),
    "interfaces": made("AWS::EC2::LaunchTemplate"),
    "network": made("AWS::EC2::VPC", "AWS::EC2::Subnet", "AWS::EC2::Route"),
    "alerts": made("AWS::APS::Workspace", "AWS::APS::RuleGroupsNamespace", "AWS::SNS::TopicPolicy"),
    "assets": wrote("uploaded"),
    "monitoring_instance": wrote("runs the release"),
    "grafana": called("grafana:POST"),
    "batch_interfaces": made("AWS::EC2::LaunchTemplate", "AWS::Batch::ComputeEnvironment"),
    "batch_environments": made("AWS::Batch::ComputeEnvironment", "AWS::Batch::JobQueue"),
    "batch_jobs": called("batch:POST"),
    "eks_cluster": made("AWS::EKS::Cluster", "AWS::EKS::Nodegroup"),
    "eks_nodes": made("AWS::EKS::Nodegroup"),
    "eks_launch_templates": made("AWS::EKS::Nodegroup", "AWS::EC2::LaunchTemplate"),
    "eks_manifests": called("kubernetes:PATCH"),
    "eks_devices": called("kubernetes:PATCH"),
    "eks_jobs": called("kubernetes:PATCH"),
}
# What only a rehearsal shows that came to its end.
WHOLE = {
    "templates", "outputs", "calls", "removal", "nothing_left", "batch_jobs_end", "eks_removal",
    "eks_schema", "eks_dry_run",
}  # fmt: skip


def failed_at(text: str, step: str) -> dict[str, Any]:
    """Rehearse a spec, and let a step fail before it has done anything."""
    parsed = parse(text, "cluster.yaml")
    failures: list[str] = []

    def fail(event: Event) -> None:
        if event.step == step and event.kind == "start" and not failures:
            failures.append(step)
            raise TrainyardError("it fails on purpose")

    return rehearse(RehearsalSpec(parsed.spec, text, (), parsed.document), fail)


def claims(text: str, result: Result) -> set[str]:
    entries = applicable_entries("claims.yaml", parse(text, "cluster.yaml").spec)
    return {entry["id"] for entry in entries if any(claim.startswith(entry["text"]) for claim in result["proved"])}


@pytest.mark.parametrize(("platform", "step"), FAILURES)
def test_what_is_claimed_was_done_before_the_step_that_failed(platform: str, step: str):
    text = SPECS[platform]
    result = failed_at(text, step)
    assert [done["name"] for done in result["steps"] if done["status"] == "failed"] == [step]
    assert not result["ok"]
    assert result["inventory"]["left"] == []
    claimed = claims(text, result)
    assert claimed & WHOLE == set()
    assert [claim for claim in sorted(claimed) if not EVIDENCE[claim](result)] == []


@pytest.mark.parametrize("platform", SPECS)
def test_what_is_claimed_of_a_whole_rehearsal_can_be_seen(platform: str):
    text = SPECS[platform]
    parsed = parse(text, "cluster.yaml")
    result = rehearse(RehearsalSpec(parsed.spec, text, (), parsed.document), lambda _: None)
    assert result["ok"]
    claimed = claims(text, result)
    assert [claim for claim in sorted(claimed - WHOLE) if not EVIDENCE[claim](result)] == []
    every = {entry["id"] for entry in applicable_entries("claims.yaml", parsed.spec)}
    assert every - claimed <= {"eks_schema", "eks_dry_run"}
