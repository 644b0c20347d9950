"""What is wrong around the metrics: tags, security groups, subscriptions and dashboards."""

from __future__ import annotations

from typing import Any

import pytest

from tests.edge.aws.in_memory import account_in_memory
from tests.operate.monitoring.verify.situations import (
    FIRST,
    HEAD,
    ONE_SECURITY_GROUP,
    SECOND,
    found,
    in_account,
    instance,
    nodes,
    spec,
)
from trainyard.edge.aws.cloudwatch_dashboards import put_dashboard
from trainyard.monitoring.cloudwatch_body import dashboards_of
from trainyard.monitoring.cloudwatch_dashboard import dashboard_name
from trainyard.operate.monitoring.verify.checks import instance_tags
from trainyard.operate.monitoring.verify.dashboards import cloudwatch
from trainyard.operate.monitoring.verify.in_account import InAccount
from trainyard.operate.monitoring.verify.rules import alert_delivery
from trainyard.operate.monitoring.verify.security_groups import security_groups


def test_a_good_account_has_nothing_wrong():
    for check in (instance_tags, security_groups, alert_delivery):
        assert found(check, account=in_account()) == []


@pytest.mark.parametrize(
    ("tag", "value", "message"),
    [
        ("cluster-name", "lllm", "has 'lllm' in tag parallelcluster:cluster-name; discovery wants 'llm'"),
        (
            "node-type",
            "compute",
            "has 'compute' in tag parallelcluster:node-type; discovery wants HeadNode or LoginNode",
        ),
        ("queue-name", "", "lacks tag parallelcluster:queue-name; discovery wants one of cpu, gpu"),
        ("queue-name", "gpus", "has 'gpus' in tag parallelcluster:queue-name; discovery wants one of cpu, gpu"),
    ],
)
def test_a_tag_that_hides_an_instance_is_found(tag: str, value: str, message: str):
    wrong = instance(SECOND, tags={f"parallelcluster:{tag}": value})
    ((severity, id_, said),) = found(instance_tags, account=in_account([*nodes()[:3], wrong]))
    assert (severity, id_) == ("error", "instance-tag-wrong")
    assert said.startswith(f"{SECOND} {message}")


def test_instances_of_our_own_stacks_are_no_nodes():
    keeper = instance("i-0000000000000000a", "", tags={"aws:cloudformation:stack-name": "llm-monitoring"})
    assert found(instance_tags, account=in_account([*nodes(), keeper])) == []
    plain = instance("i-0000000000000000a", "", tags={"parallelcluster:cluster-name": ""})
    account = in_account([*nodes(), plain], MonitoringInstanceId="i-0000000000000000a")
    assert found(instance_tags, account=account) == []


def closed(direction: str, rules: list[dict[str, Any]]) -> InAccount:
    account = in_account()
    account.groups = {"sg-1": {**ONE_SECURITY_GROUP["sg-1"], direction: rules}}
    return account


def test_a_group_that_lets_only_ssh_in_closes_every_port():
    ssh = [{"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}]
    messages = [message for _, _, message in found(security_groups, account=closed("IpPermissions", ssh))]
    assert "the head node cannot reach dcgm-exporter of queue gpu: no rule of sg-1 lets it in at port 9400" in messages
    assert len(messages) == 4  # three exporters of compute nodes, one of login nodes


@pytest.mark.parametrize(
    "rule",
    [
        {"IpProtocol": "tcp", "FromPort": 9100, "ToPort": 9400, "IpRanges": [{"CidrIp": "10.0.0.0/24"}]},
        {"IpProtocol": "tcp", "FromPort": 0, "ToPort": 65535, "UserIdGroupPairs": [{"GroupId": "sg-1"}]},
        {"IpProtocol": "-1", "PrefixListIds": [{"PrefixListId": "pl-1"}]},
    ],
    ids=["range", "group", "prefix list"],
)
def test_ports_may_be_opened_in_several_ways(rule: dict[str, Any]):
    assert found(security_groups, account=closed("IpPermissions", [rule])) == []


@pytest.mark.parametrize(
    "rule",
    [
        {"IpProtocol": "udp", "FromPort": 0, "ToPort": 65535, "IpRanges": [{"CidrIp": "10.0.0.0/24"}]},
        {"IpProtocol": "tcp", "FromPort": 9100, "ToPort": 9400, "IpRanges": [{"CidrIp": "10.0.7.0/24"}]},
        {"IpProtocol": "tcp", "FromPort": 9100, "ToPort": 9400, "UserIdGroupPairs": [{"GroupId": "sg-2"}]},
    ],
    ids=["other protocol", "other range", "other group"],
)
def test_what_lets_others_in_does_not_help(rule: dict[str, Any]):
    assert len(found(security_groups, account=closed("IpPermissions", [rule]))) == 4


def test_a_head_node_that_may_not_send_anything_out_is_found():
    messages = [message for _, _, message in found(security_groups, account=closed("IpPermissionsEgress", []))]
    message = (
        "the head node cannot reach node-exporter of login nodes: no rule of its own sg-1 lets it out to port 9100"
    )
    assert message in messages


def test_the_instance_of_self_hosting_has_to_let_the_head_node_in():
    outputs = {"MonitoringSecurityGroup": "sg-9", "MonitoringInstancePrivateIp": "10.0.0.9"}
    account = in_account(None, **outputs)
    account.groups = {**ONE_SECURITY_GROUP, "sg-9": {"IpPermissions": []}}
    message = "the head node cannot send to the instance: no rule of sg-9 lets it in at port 9090"
    assert found(security_groups, account=account) == [("error", "port-closed", message)]
    open_rule = {"IpProtocol": "tcp", "FromPort": 9090, "ToPort": 9090, "UserIdGroupPairs": [{"GroupId": "sg-1"}]}
    account = in_account(None, **outputs)
    account.groups = {**ONE_SECURITY_GROUP, "sg-9": {"IpPermissions": [open_rule]}}
    assert found(security_groups, account=account) == []


def test_without_a_head_node_nothing_is_said_of_groups():
    account = in_account([instance(FIRST), instance(HEAD, "HeadNode", state="stopped")])
    account.groups = {}
    assert found(security_groups, account=account) == []


def test_a_topic_needs_somebody_who_has_confirmed():
    with account_in_memory() as account:
        sns = account.client("sns")
        topic = sns.create_topic(Name="alerts")["TopicArn"]
        known = InAccount(account, spec(), {"AlertTopicArn": topic})
        assert found(alert_delivery, account=known) == [
            ("warning", "alerts-reach-nobody", f"nobody has subscribed to {topic}")
        ]
        sns.subscribe(TopicArn=topic, Protocol="email", Endpoint="ml@example.com")
        assert found(alert_delivery, account=known) == []
        sns.delete_topic(TopicArn=topic)
        assert [id_ for _, id_, _ in found(alert_delivery, account=known)] == ["alert-topic-missing"]


def test_dashboards_in_cloudwatch_that_are_missing_are_named():
    names = [dashboard_name("llm", cloud_watch_dashboard) for cloud_watch_dashboard in dashboards_of(spec())]
    assert len(names) > 1
    with account_in_memory() as account:
        known = InAccount(account, spec(), {})
        put_dashboard(account, names[0], {"widgets": []})
        missing = [message for _, _, message in found(cloudwatch, account=known)]
    assert missing == [f"dashboard {name} is not in CloudWatch" for name in names[1:]]
