"""Waiting for the instance of a self-hosted monitoring, which follows the releases by itself."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.deploy.conftest import BUCKET
from tests.deploy.waits import Waits
from tests.specs import spec_of
from trainyard.deploy.deployment import steps_to_deploy
from trainyard.deploy.node_record_place import record_key
from trainyard.deploy.requirements.permissions import needed_actions
from trainyard.deploy.steps.monitoring_instance import MonitoringInstance
from trainyard.deploy.steps.release import final_release
from trainyard.deploy.work import Work
from trainyard.edge.aws import s3

ARN = "arn:aws:acm:us-east-2:123456789012:certificate/1a2b"
ID = "i-0123456789abcdef0"
OUTPUTS = {
    "MonitoringInstanceId": ID,
    "MonitoringInstancePrivateIp": "10.1.0.5",
    "MonitoringVolumeId": "vol-0123456789abcdef0",
    "AlertTopicArn": "arn:aws:sns:us-east-2:123456789012:llm-monitoring-AlertTopic-1a2b",
    "HeartbeatTopicArn": "arn:aws:sns:us-east-2:123456789012:llm-monitoring-HeartbeatTopic-1a2b",
    "ALBDNSName": "llm-lb.us-east-2.elb.amazonaws.com",
}
STEP = MonitoringInstance()


@pytest.fixture
def waiting(work: Work) -> Work:
    """A deployment that has published its release."""
    spec = spec_of("name: llm\nmonitoring: {mode: self-hosting}\nassets: {bucket: ml-bucket}")
    return replace(work, spec=spec, outputs=dict(OUTPUTS), account=replace(work.account, clock=Waits()))


def reported(work: Work, **values: Any) -> None:
    """Let the instance report, by default that it runs the release."""
    made = final_release(work)
    assert made is not None
    record = {
        "schema": 1,
        "instance_id": ID,
        "release": made.sha256,
        "status": "ready",
        "message": "",
        "steps": [],
        **values,
    }
    s3.put(work.account, BUCKET, record_key(work.account, "llm", ID), json.dumps({**record, **values}).encode())


def test_an_instance_that_runs_the_release_is_not_waited_for(waiting: Work):
    reported(waiting)
    outcome = STEP.apply(waiting)
    assert (outcome.changed, outcome.detail, waiting.findings) == (False, f"{ID} runs the release", [])
    assert STEP.probe(waiting).state == "there"


def test_one_that_comes_up_is_waited_for(waiting: Work):
    clock = Waits(after=7, then=lambda: reported(waiting))
    waiting.account = replace(waiting.account, clock=clock)
    assert STEP.apply(waiting).changed
    assert (len(clock.pauses), waiting.findings) == (7, [])


@pytest.mark.parametrize(
    ("values", "why"),
    [
        (None, "has not reported yet"),
        ({"release": "b" * 64}, "still runs another release"),
        ({"status": "failed", "message": "grafana: no space left"}, "no space left"),
        (
            {"steps": [{"name": "keeper", "status": "failed", "required": True, "message": "promtool objects"}]},
            'in step keeper, and the node says "promtool objects"',
        ),
        ({"status": "running"}, "has not ended"),
        ({"steps": 7}, "cannot be read"),
        ({"release": None}, "still runs another release"),
    ],
)
def test_one_that_does_not_get_there_is_a_finding_and_no_failure(
    waiting: Work, values: dict[str, Any] | None, why: str
):
    if values is not None:
        reported(waiting, **values)
    outcome = STEP.apply(waiting)
    assert outcome.detail.startswith("not ready: ")
    (finding,) = waiting.findings
    assert (finding.id, finding.severity) == ("monitoring-instance-not-ready", "warning")
    assert why in finding.message
    assert f"aws ssm start-session --region us-east-2 --target {ID}" in str(finding.remedy)


def test_it_waits_a_quarter_of_an_hour_and_no_longer(waiting: Work):
    clock = Waits()
    waiting.account = replace(waiting.account, clock=clock)
    STEP.apply(waiting)
    assert sum(clock.pauses) == 900


def test_what_strangers_write_is_bounded(waiting: Work):
    s3.put(waiting.account, BUCKET, record_key(waiting.account, "llm", ID), b"[" * 1_000_000)
    STEP.apply(waiting)
    assert "cannot be read" in waiting.findings[0].message


def of_load_balancer(work: Work, *, registered: bool) -> str:
    """Make a target group, and return its ARN. Moto calls every registered target healthy."""
    ec2, elb = work.account.client("ec2"), work.account.client("elbv2")
    (vpc, *_) = ec2.describe_vpcs()["Vpcs"]
    made = elb.create_target_group(Name="g", Protocol="HTTP", Port=3000, VpcId=vpc["VpcId"], TargetType="ip")
    arn: str = made["TargetGroups"][0]["TargetGroupArn"]
    if registered:
        elb.register_targets(TargetGroupArn=arn, Targets=[{"Id": "172.31.0.9", "Port": 3000}])
    return arn


@pytest.mark.parametrize("registered", [True, False])
def test_behind_a_load_balancer_grafana_has_to_answer_too(waiting: Work, registered: bool):  # noqa: FBT001  parameter
    reported(waiting)
    waiting.outputs["GrafanaTargetGroupArn"] = of_load_balancer(waiting, registered=registered)
    outcome = STEP.apply(waiting)
    assert (waiting.findings == []) == registered
    assert (outcome.detail == "Grafana answers the load balancer") == registered


def test_a_load_balancer_that_nobody_may_ask_is_a_finding(waiting: Work):
    reported(waiting)
    waiting.outputs["GrafanaTargetGroupArn"] = "arn:aws:elasticloadbalancing:us-east-2:123456789012:targetgroup/no/1"
    STEP.apply(waiting)
    assert "nobody knows whether Grafana answers" in waiting.findings[0].message


def names(part: str) -> list[str]:
    return [step.name for step in steps_to_deploy(spec_of(part))]


def test_a_cluster_comes_up_before_its_instance_is_waited_for():
    found = names("monitoring: {mode: self-hosting}")
    assert found.index("release") < found.index("cluster") < found.index("monitoring-instance")


@pytest.mark.parametrize("part", ["{mode: amp-only}", "{mode: self-hosting}\nenvironment: shared"])
def test_without_an_instance_nothing_is_waited_for(part: str):
    assert "monitoring-instance" not in names(f"monitoring: {part}")


def test_only_who_makes_a_load_balancer_needs_rights_to_it():
    plain, secure = (spec_of(f"monitoring: {{mode: self-hosting{more}}}") for more in ("", f", certificate: '{ARN}'"))
    right = "elasticloadbalancing:DescribeTargetHealth"
    assert [right in needed_actions(spec) for spec in (plain, secure)] == [False, True]
