"""The instance of a self-hosted monitoring among the nodes."""

from __future__ import annotations

import pytest

from tests.operate.nodes.planted import (
    BUCKET,
    CURRENT,
    DEPLOYMENT,
    FORMER,
    POINTER,
    SPEC,
    Planted,
    failed,
    node,
    put,
    record,
)
from trainyard.deploy.record import write_record
from trainyard.edge.aws import s3
from trainyard.edge.aws.nodes import MONITORING
from trainyard.errors import TrainyardError
from trainyard.operate.nodes.expected_nodes import expected_of
from trainyard.operate.nodes.node_query import Look

KEEPER = f"i-{7:017x}"
SELF_HOSTING = f"{SPEC}monitoring: {{mode: self-hosting}}\n"
ENVIRONMENT = "kind: environment\nname: llm\nregion: us-east-2\nmonitoring: {mode: self-hosting}\n"


@pytest.fixture
def planted() -> Planted:
    made = Planted()
    made.deployment = replace_text(SELF_HOSTING)
    made.nodes[KEEPER] = node(KEEPER, MONITORING)
    made.come_up()
    return made


def replace_text(text: str):
    return DEPLOYMENT._replace(spec_text=text)


def ids(planted: Planted) -> list[str]:
    return [finding.id for finding in planted.look().findings if finding.severity != "info"]


def test_one_that_runs_the_release_is_as_it_should_be(planted: Planted):
    planted.write(KEEPER, role="monitoring", queue="", hostname="ip-10-1-0-5")
    assert ids(planted) == []
    (keeper,) = [node_state for node_state in planted.look().present if node_state.role == "monitoring"]
    assert (keeper.place, keeper.ready) == ("monitoring instance", True)


def test_one_that_is_missing_is_told(planted: Planted):
    del planted.nodes[KEEPER]
    (finding,) = [finding for finding in planted.look().findings if finding.id == "nodes-missing"]
    assert "the monitoring instance" in finding.message


def test_one_that_failed_tries_again_by_itself(planted: Planted):
    step = failed("no space left", "grafana")
    planted.write(KEEPER, "failed", role="monitoring", queue="", steps=[step])
    (finding,) = [finding for finding in planted.look().findings if finding.id == "node-failed"]
    assert "tries again every five minutes" in str(finding.remedy)
    assert "replace the node" not in str(finding.remedy)


def test_one_that_runs_a_former_release_need_not_be_told(planted: Planted):
    planted.write(KEEPER, role="monitoring", queue="", release=FORMER)
    (finding,) = [finding for finding in planted.look().findings if finding.id == "release-not-current"]
    assert finding.remedy == "wait for the monitoring instance, which looks for releases every five minutes"


def test_one_that_was_replaced_is_no_failure_of_today(planted: Planted):
    gone = f"i-{8:017x}"
    planted.write(gone, "failed", role="monitoring", queue="", started="2026-11-21T11:00:00Z", steps=[failed()])
    planted.write(KEEPER, role="monitoring", queue="", hostname="ip-10-1-0-5")
    assert [finding.severity for finding in planted.look().findings if finding.id == "failed-node-gone"] == ["warning"]


def test_a_spec_without_one_does_not_expect_it():
    assert "monitoring" not in {group.role for group in expected_of(DEPLOYMENT, POINTER).groups}


def test_an_environment_has_it_and_nothing_else():
    wanted = expected_of(replace_text(ENVIRONMENT), POINTER)
    assert [(group.role, group.least) for group in wanted.groups] == [("monitoring", 1)]
    with pytest.raises(TrainyardError, match="is an environment and has no nodes"):
        expected_of(replace_text(ENVIRONMENT.replace("self-hosting", "amp-only")), POINTER)


@pytest.mark.parametrize(("text", "tag"), [(SELF_HOSTING, "trainyard:cluster"), (ENVIRONMENT, "trainyard:environment")])
def test_it_is_found_in_an_account_by_its_name_and_its_owner(account, text: str, tag: str):
    s3.put(account, BUCKET, "trainyard/llm/release", POINTER)
    write_record(account, BUCKET, replace_text(text))
    keeper, _ = (launched(account, owner) for owner in ({tag: "llm"}, {"trainyard:cluster": "other"}))
    put(account, keeper, record(keeper, role="monitoring", queue="", release=CURRENT, instance_type="t3.medium"))
    nodes = Look(account, BUCKET, "llm").look()
    assert [(one.id, one.role, one.status) for one in nodes.present] == [(keeper, "monitoring", "ready")]


def launched(account, tags: dict[str, str]) -> str:
    ec2 = account.client("ec2")
    named = {"Name": "llm-monitoring", **tags}
    marks = [{"ResourceType": "instance", "Tags": [{"Key": key, "Value": value} for key, value in named.items()]}]
    subnet = ec2.describe_subnets()["Subnets"][0]["SubnetId"]
    made = ec2.run_instances(
        ImageId="ami-03cf127a",
        InstanceType="t3.medium",
        MinCount=1,
        MaxCount=1,
        SubnetId=subnet,
        TagSpecifications=marks,
    )
    return str(made["Instances"][0]["InstanceId"])
