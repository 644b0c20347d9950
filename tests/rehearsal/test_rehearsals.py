"""Every architecture, deployed into an emulated account by the real ParallelCluster and destroyed again."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from tests.architectures.by_platform import architectures_on
from tests.rehearsal.account_copies import seeded_account
from trainyard.api.new import new_spec
from trainyard.checking.spec_file import rule_findings
from trainyard.deploy.preflight_runner import NOT_RUN
from trainyard.rehearsal.rehearsal import RehearsalSpec, rehearse
from trainyard.spec.parsing import parse

pytestmark = pytest.mark.enable_socket

MODES = ("none", "self-hosting", "amp-only", "amp+amg")
NAMES = tuple(one.name for one in architectures_on("parallelcluster"))
# The mode with most resources. With managed services, test_wheel.py rehearses an architecture as a whole.
COVERING = (("p5-observability", "self-hosting"),)
OTHERS = tuple(pair for pair in itertools.product(NAMES, MODES) if pair not in COVERING)


def rehearsed(name: str, mode: str, *settings: str) -> dict[str, Any]:
    text = new_spec(name, [f"monitoring.mode={mode}", *_second_zone(name, mode), *settings])
    parsed = parse(text, "cluster.yaml")
    findings = tuple(rule_findings(parsed))
    assert not [finding for finding in findings if finding.severity == "error"]
    return rehearse(RehearsalSpec(parsed.spec, text, findings, parsed.document), lambda _: None)


def _second_zone(name: str, mode: str) -> list[str]:
    zone = parse(new_spec(name, []), "cluster.yaml").spec.network.availability_zone or "us-east-2a"
    other = zone[:-1] + ("c" if zone[-1] != "c" else "a")
    return [f"network.secondary_availability_zone={other}"] if mode == "self-hosting" else []


def is_green(result: dict[str, Any]) -> None:
    assert [step["error"] for step in result["steps"] if step["error"]] == []
    assert [finding for finding in result["findings"] if finding["severity"] == "error"] == []
    assert [finding for finding in result["findings"] if finding["id"] == NOT_RUN.id] == []
    assert result["inventory"]["left"] == []
    assert result["ok"]
    assert {stack["status"] for stack in result["stacks"]} <= {"CREATE_COMPLETE", "UPDATE_COMPLETE"}


@pytest.mark.integration
@pytest.mark.parametrize(("name", "mode"), COVERING)
def test_an_architecture_is_deployed_and_destroyed(name: str, mode: str):
    is_green(rehearsed(name, mode))


ULTRASERVER = """\
name: gb
region: us-east-1
platform: parallelcluster
network: {availability_zone: us-east-1-dfw-2a}
head_node: {instance_type: m7g.4xlarge}
queues:
  - name: train
    instance_type: p6e-gb200.36xlarge
    nodes: 18
    capacity: {capacity_block: cr-0123456789abcdef0}
software: {setup: gpu}
parallelcluster: {version: 3.15.1}
"""


@pytest.mark.integration
def test_a_type_that_moto_does_not_know_can_be_asked_for():
    with seeded_account(ULTRASERVER) as account:
        ec2 = account.client("ec2")
        (described,) = ec2.describe_instance_types(InstanceTypes=["p6e-gb200.36xlarge"])["InstanceTypes"]
    assert described["ProcessorInfo"]["SupportedArchitectures"] == ["arm64"]


@pytest.mark.exhaustive
def test_an_ultraserver_is_deployed_and_destroyed():
    parsed = parse(ULTRASERVER, "cluster.yaml")
    findings = tuple(rule_findings(parsed))
    is_green(rehearse(RehearsalSpec(parsed.spec, ULTRASERVER, findings, parsed.document), lambda _: None))


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "mode"), OTHERS)
def test_every_architecture_with_every_mode_is_deployed_and_destroyed(name: str, mode: str):
    is_green(rehearsed(name, mode))
