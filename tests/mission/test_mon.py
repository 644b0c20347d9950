"""The monitoring stack. That people may sign in, and that mails arrive, only AWS can tell."""

from __future__ import annotations

import re
from functools import reduce

import yaml
from botocore import xform_name

from tests.edge.aws.in_memory import account_in_memory
from tests.mission.subject import SELF_HOSTING, document, files, findings, options, page, released, resources, spec
from trainyard.bootstrap.steps import STEPS
from trainyard.deploy.plan.deployment_plan import plan
from trainyard.edge.aws.amazon_prometheus import workspace_state
from trainyard.platforms.parallelcluster.deployment.changes import Changes
from trainyard.rehearsal.report.conditions import only_aws_can_tell

EN = "p5en-monitoring"


def test_mon_1_every_mode_has_its_price():
    for mode, more in {"none": (), "amp-only": (), "amp+amg": (), "self-hosting": SELF_HOSTING[1:]}.items():
        settings = (f"monitoring.mode={mode}", *more)
        assert "error" not in findings(EN, *settings).values()
        assert (plan(spec(EN, *settings)).metrics is None) == (mode == "none")


def test_mon_2_each_mode_has_its_parts():
    template = document(EN, "monitoring.yaml")
    for kind in ("APS::Workspace", "Grafana::Workspace", "EC2::Instance", "ElasticLoadBalancingV2::LoadBalancer"):
        assert resources(template, f"AWS::{kind}"), kind
    assert spec(EN, *SELF_HOSTING).monitoring.instance_type == "t3.medium"
    assert "prometheus" in {step.name for step in STEPS}


def test_mon_3_whether_the_workspace_works_is_asked():
    """Of whoever opens the endpoint itself, only AWS can tell what it answers; the page has it."""
    command = re.search(
        r"`aws (amp) (describe-workspace) --workspace-id ws-… --query ([a-z.]+)`", page("monitoring.md")
    )
    assert command is not None
    with account_in_memory() as account:
        client = account.client(command[1])
        id_ = client.create_workspace()["workspaceId"]
        asked = getattr(client, xform_name(command[2]).replace("-", "_"))(workspaceId=id_)
        assert reduce(dict.__getitem__, command[3].split("."), asked)["statusCode"] == "ACTIVE"
        assert str(workspace_state(account, id_)) == "ACTIVE"
        client.delete_workspace(workspaceId=id_)
        assert str(workspace_state(account, id_)) == "MISSING"
    assert "HttpNotFoundException" in page("monitoring.md")


def test_mon_4_the_way_into_grafana_is_an_output_and_its_password_a_secret():
    template = document(EN, "monitoring.yaml", *SELF_HOSTING)
    assert {"GrafanaAccessInstructions", "ALBDNSName", "GrafanaPasswordSecretArn"} <= set(template["Outputs"])
    assert resources(template, "AWS::SecretsManager::Secret")
    assert "Grafana4PC!" not in files(EN, *SELF_HOSTING)["monitoring.yaml"]


def test_mon_5_observability_is_added_to_a_cluster_that_exists():
    """tests/rehearsal/test_monitoring_added.py does it with the real ParallelCluster."""
    before, after = document(EN, "cluster.yaml", "monitoring.mode=none"), document(EN, "cluster.yaml")
    policies = after["HeadNode"]["Iam"].pop("AdditionalIamPolicies")
    former = before["HeadNode"]["Iam"].pop("AdditionalIamPolicies")
    assert before == after
    assert [entry["Policy"].partition("policy/")[2][:16] for entry in policies if entry not in former] == [
        "amp-remote-write"
    ]
    assert Changes().name == "changes"
    assert "## Monitoring for a cluster that exists" in page("monitoring.md")


def test_mon_6_data_source_dashboards_and_remote_write_are_configured():
    written = yaml.safe_load(files(EN)["monitoring/head-node.yml"])
    (remote,) = written["remote_write"]
    assert remote["queue_config"]["max_samples_per_send"]
    assert "sigv4" in remote
    assert len([name for name in files(EN) if name.startswith("monitoring/grafana/")]) == 14
    assert any("IAM Identity Center" in point for point in only_aws_can_tell(spec(EN)))


def test_mon_7_exporters_have_their_ports():
    written = files(EN)["monitoring/head-node.yml"]
    for port in ("9400", "9100", "9341"):
        assert port in written
    assert "steps/65-dcgm-exporter.sh" in released(EN)
    assert "--region" in options("monitor", "verify")
