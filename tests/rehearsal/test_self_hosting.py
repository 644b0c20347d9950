"""Prometheus and Grafana on an instance of the stack, from the first deployment on, in an emulated account."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.rehearsal.account_copies import seeded_account
from trainyard.bundle.asset_lock import lock_text
from trainyard.checking.spec_file import rule_findings
from trainyard.deploy.deployment import DeploymentResult, deploy, work_for
from trainyard.edge.asset_cache import AssetCache
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.stacks import find_stack
from trainyard.operate.status.status_query import status
from trainyard.rehearsal.rehearsal import RehearsalSpec, rehearse
from trainyard.rehearsal.stand_in_assets import place_stand_ins, stand_in_lock
from trainyard.spec.parsing import parse

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]

PLAIN = """\
kind: environment
name: shared
region: us-east-2
network: {availability_zone: us-east-2a, secondary_availability_zone: us-east-2b}
access: {allow_from: [203.0.113.7/32]}
monitoring: {mode: self-hosting}
"""
ARN = "arn:aws:acm:us-east-2:123456789012:certificate/0a1b2c3d"
SECURE = PLAIN.replace("self-hosting", f"self-hosting, certificate: '{ARN}'")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(PLAIN, "runs the release", id="plain", marks=pytest.mark.exhaustive),
        pytest.param(SECURE, "Grafana answers the load balancer", id="secure"),
    ],
)
def test_an_environment_with_an_instance_is_deployed_and_destroyed_without_a_rest(text: str, said: str):
    parsed = parse(text, "shared.yaml")
    found = rehearse(RehearsalSpec(parsed.spec, text, tuple(rule_findings(parsed)), parsed.document), lambda _: None)
    assert [step["error"] for step in found["steps"] if step["error"]] == []
    (step,) = [step for step in found["steps"] if step["name"] == "monitoring-instance"]
    assert said in step["detail"]
    assert found["inventory"]["left"] == []
    assert found["ok"]


def deployed(account: Account, place: Path, text: str) -> DeploymentResult:
    """Deploy with files that stand in for what the instance installs."""
    work = work_for(parse(text, "shared.yaml").spec, account)
    lock = stand_in_lock(work.required_spec())
    place_stand_ins(lock, place)
    work.assets_lock, work.asset_cache = lock_text(lock).encode(), AssetCache(place)
    return deploy(work, text)


def outputs(account: Account) -> dict[str, str]:
    stack = find_stack(account, "shared-monitoring")
    assert stack is not None
    return dict(stack.outputs)


@pytest.mark.exhaustive
def test_a_certificate_that_comes_later_brings_a_load_balancer_and_leaves_the_instance(tmp_path: Path):
    with seeded_account(SECURE) as account:
        assert deployed(account, tmp_path, PLAIN).ok
        before = outputs(account)
        assert status("shared", account).drift == ()
        assert "AWS-StartPortForwardingSession" in before["GrafanaAccessInstructions"]
        assert before["MonitoringInstanceId"] in before["GrafanaAccessInstructions"]
        assert "ALBDNSName" not in before
        done = deployed(account, tmp_path, SECURE)
        after = outputs(account)
        assert status("shared", account).drift == ()
        (stack,) = account.client("cloudformation").describe_stacks(StackName="shared-monitoring")["Stacks"]
    assert (done.ok, done.findings) == (True, ())
    assert after["ALBDNSName"] in after["GrafanaAccessInstructions"]
    same = ("MonitoringInstanceId", "MonitoringInstanceImage", "GrafanaPasswordSecretArn")
    assert {name: after[name] for name in same} == {name: before[name] for name in same}
    # A newer image of Amazon Linux would replace the instance; it is told to keep the one that it has.
    parameters = {parameter["ParameterKey"]: parameter["ParameterValue"] for parameter in stack["Parameters"]}
    assert parameters["MonitoringImageId"] == before["MonitoringInstanceImage"]


@pytest.mark.exhaustive
def test_an_instance_that_lacks_an_asset_is_a_finding_and_the_rest_is_made(tmp_path: Path):
    with seeded_account(PLAIN) as account:
        work = work_for(parse(PLAIN, "shared.yaml").spec, account)
        done = deploy(replace(work, assets_lock=None), PLAIN)
    assert done.ok
    (finding,) = done.findings
    assert finding.id == "monitoring-instance-not-ready"
