"""`monitor verify` in an account: a cluster in each mode, scraped by real Prometheus, with faults around it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from tests.monitoring.whole_cluster import Faults, WholeCluster, whole_cluster
from tests.monitoring.whole_cluster.nodes import COMPUTE, HEAD, LOGIN, SPEC
from tests.operate.monitoring.verify.situations import found, instance
from tests.operate.monitoring.verify.situations import spec as llm_spec
from tests.rehearsal.account_copies import empty_account, seeded_account
from tests.rehearsal.warm_parallelcluster import warm_parallelcluster
from tests.waiting import wait_until
from trainyard.api.monitor_verify import Verification, verify_monitoring
from trainyard.bundle.asset_lock import lock_text
from trainyard.deploy.deployment import deploy, work_for
from trainyard.edge.asset_cache import AssetCache
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.nodes import nodes
from trainyard.errors import InputError
from trainyard.finding import Finding
from trainyard.operate.monitoring.verify.in_account import InAccount
from trainyard.operate.monitoring.verify.remote_write import rights
from trainyard.rehearsal.rehearsal import QuickClock
from trainyard.rehearsal.stand_in_assets import place_stand_ins, stand_in_lock
from trainyard.spec.parsing import parse

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
NAME = "p5-cluster"


class LaterClock(QuickClock):
    """An hour later, when all nodes have had their time to come up."""

    def now(self) -> float:
        return time.time() + 3600


def text_of(mode: str) -> str:
    return SPEC.replace("mode: self-hosting", f"mode: {mode}, alert_email: ml@example.com")


@contextmanager
def deployed(mode: str) -> Iterator[Account]:
    """Deploy the cluster into an emulated account, as a rehearsal does. It takes minutes."""
    text = text_of(mode)
    spec = parse(text, "cluster.yaml").spec
    with ExitStack() as running:
        account = replace(running.enter_context(seeded_account(text)), clock=LaterClock())
        folder = Path(running.enter_context(tempfile.TemporaryDirectory()))
        lock = stand_in_lock(spec)
        place_stand_ins(lock, folder)
        work = work_for(spec, account)
        work.parallelcluster = partial(warm_parallelcluster, account)
        work.assets_lock, work.asset_cache = lock_text(lock).encode(), AssetCache(folder)
        done = deploy(work, text)
        assert [result.error for result in done.results if result.error] == []
        yield account


def known_as(account: Account) -> Faults:
    """Let Prometheus know the nodes by the ids that they have in the account, whoever answers for EC2."""
    ids: dict[str, list[str]] = {}
    for one in nodes(account, NAME):
        ids.setdefault(one.role, []).append(one.id)
    pairs = [(HEAD, ids["HeadNode"][0]), (LOGIN, ids["LoginNode"][0]), *zip(COMPUTE, ids["Compute"], strict=True)]

    def configure(config: dict[str, Any]) -> None:
        for job in config["scrape_configs"]:
            for node, id_ in pairs:
                rule = {"source_labels": ["instance_id"], "regex": f"i-{node.number:017x}", "replacement": id_}
                job.setdefault("relabel_configs", []).append({**rule, "target_label": "instance_id"})

    return Faults(configure=(configure,))


class Deployed:
    """A cluster in an account, and whoever keeps its metrics."""

    def __init__(self, account: Account, metrics: WholeCluster) -> None:
        self.account = account
        self.metrics = metrics

    def verified(self, *, grafana: bool = False) -> Verification:
        return verify_monitoring(NAME, self.account, prometheus=self.metrics.keeper.url, grafana=grafana)

    def good(self, *, grafana: bool = False) -> Verification:
        """Verify it until nothing is found: what is recorded takes two evaluations, and a scrape may be late."""
        findings: Sequence[Finding] = ()

        def without_findings() -> Verification | None:
            nonlocal findings
            verified = self.verified(grafana=grafana)
            findings = verified.findings
            return None if findings else verified

        good = wait_until(without_findings, lambda: [(finding.id, finding.message) for finding in findings])
        assert good is not None
        return good

    def found(self, *, grafana: bool = False) -> dict[str, str]:
        return {one.id: one.message for one in self.verified(grafana=grafana).findings if one.severity != "info"}

    def node(self, role: str, number: int = 0) -> str:
        return [node.id for node in nodes(self.account, NAME) if node.role == role][number]


@contextmanager
def measured(mode: str, folder: Path) -> Iterator[Deployed]:
    with deployed(mode) as account, whole_cluster(folder, faults=[known_as(account)]) as metrics:
        cluster = Deployed(account, metrics)
        confirm(account)
        yield cluster


def confirm(account: Account) -> None:
    """Follow the link in the mail to whoever has subscribed: the emulated SNS does not ask for it."""
    subscriptions = account.client("sns").list_subscriptions()["Subscriptions"]
    assert [subscription["Endpoint"] for subscription in subscriptions] == ["ml@example.com"]


@pytest.fixture(scope="module")
def with_grafana(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployed]:
    with measured("amp+amg", tmp_path_factory.mktemp("amg")) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def self_hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployed]:
    with measured("self-hosting", tmp_path_factory.mktemp("own")) as cluster:
        yield cluster


def test_nothing_is_wrong_with_a_good_cluster_with_managed_services(with_grafana: Deployed):
    verified = with_grafana.good(grafana=True)
    assert {"targets", "metrics", "panels", "rules", "instances", "security groups", "workspaces", "dashboards"} <= set(
        verified.looked_at
    )
    assert verified.looked_at["instances"] == 6


def test_the_command_line_says_the_same(with_grafana: Deployed, tmp_path: Path):
    account = with_grafana.account
    with_grafana.good()
    done = subprocess.run(
        [sys.executable, "-m", "trainyard", "monitor", "verify", NAME, "--region", account.region,
         "--prometheus", with_grafana.metrics.keeper.url],
        cwd=tmp_path, env={**os.environ, **account.variables()}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout.count("\n")) == (0, 1), done.stdout + done.stderr
    assert done.stdout.startswith(f"{NAME} in us-east-1, amp+amg: all is good; looked at ")
    assert " targets, " in done.stdout
    assert "panels of dashboards" in done.stderr


@pytest.mark.exhaustive
def test_nothing_is_wrong_with_a_good_cluster_of_self_hosting(self_hosted: Deployed):
    verified = self_hosted.good()
    assert verified.looked_at["security groups"] >= 3


@pytest.mark.exhaustive
def test_self_hosting_names_the_port_forwarding_where_no_address_is_given(self_hosted: Deployed):
    with pytest.raises(InputError) as refused:
        verify_monitoring(NAME, self_hosted.account)
    assert refused.value.where == "--prometheus"
    assert "--document-name AWS-StartPortForwardingSession" in str(refused.value.hint)
    assert "--target i-" in str(refused.value.hint)


TRUST = '{"Version": "2012-10-17", "Statement": []}'


def with_profile(account: Account) -> InAccount:
    """Return a workspace, and a head node with a role that says nothing about it."""
    iam, amp = account.client("iam"), account.client("amp")
    iam.create_role(RoleName="head", AssumeRolePolicyDocument=TRUST)
    arn = iam.create_instance_profile(InstanceProfileName="head")["InstanceProfile"]["Arn"]
    iam.add_role_to_instance_profile(InstanceProfileName="head", RoleName="head")
    id_ = amp.create_workspace(alias="llm")["workspaceId"]
    known = InAccount(account, llm_spec(), {"AMPWorkspaceId": id_})
    known.instances = (instance("i-00000000000000001", "HeadNode", profile_arn=arn),)
    return known


def test_a_head_node_that_may_not_send_is_named_with_what_it_lacks():
    denied = json.dumps({"denied_actions": ["aps:RemoteWrite"]}).encode()
    with empty_account() as account:
        urlopen(Request(f"{account.endpoint}/trainyard/faults", denied, method="PUT")).close()
        known = with_profile(account)
        ((_, id_, message),) = found(rights, account=known)
        known.instances = (known.instances[0]._replace(profile_arn=None),)
        without = found(rights, account=known)
    assert id_ == "remote-write-not-allowed"
    assert message.startswith("the role of the head node (head) may not aps:RemoteWrite on workspace ws-")
    assert [one for _, one, _ in without] == ["remote-write-not-allowed"]


def test_a_head_node_that_may_send_is_fine():
    with empty_account() as account:
        assert found(rights, account=with_profile(account)) == []


def test_a_wrong_tag_is_named_with_the_instance(with_grafana: Deployed):
    ec2, id_ = with_grafana.account.client("ec2"), with_grafana.node("Compute")
    tag = "parallelcluster:queue-name"
    ec2.create_tags(Resources=[id_], Tags=[{"Key": tag, "Value": "gpus"}])
    try:
        message = with_grafana.found()["instance-tag-wrong"]
    finally:
        ec2.create_tags(Resources=[id_], Tags=[{"Key": tag, "Value": "gpu"}])
    assert message == f"{id_} has 'gpus' in tag {tag}; discovery wants one of gpu"


@pytest.mark.exhaustive
def test_a_node_that_is_not_scraped_is_named(with_grafana: Deployed):
    """A fifth node, which Prometheus does not know of."""
    ec2 = with_grafana.account.client("ec2")
    like = ec2.describe_instances(InstanceIds=[with_grafana.node("Compute")])["Reservations"][0]["Instances"][0]
    tags = [tag for tag in like["Tags"] if not tag["Key"].startswith("aws:")]
    (made,) = ec2.run_instances(
        ImageId=like["ImageId"], InstanceType="m5.large", SubnetId=like["SubnetId"], MinCount=1, MaxCount=1,
        SecurityGroupIds=[group_of(with_grafana, "Compute")],
        TagSpecifications=[{"ResourceType": "instance", "Tags": tags}],
    )["Instances"]  # fmt: skip
    try:
        message = with_grafana.found()["target-missing"]
    finally:
        ec2.terminate_instances(InstanceIds=[made["InstanceId"]])
    assert message.endswith(f"of queue gpu are not scraped: {made['InstanceId']}")


def group_of(cluster: Deployed, role: str) -> str:
    """Return the security group of a kind of nodes."""
    described = cluster.account.client("ec2").describe_instances(InstanceIds=[cluster.node(role)])
    (instance_,) = described["Reservations"][0]["Instances"]
    return str(instance_["NetworkInterfaces"][0]["Groups"][0]["GroupId"])


def revoked(cluster: Deployed, group: str) -> dict[str, str]:
    """Take every rule away that lets anybody into a group, and return what is found before they are given back."""
    ec2 = cluster.account.client("ec2")
    rules = ec2.describe_security_groups(GroupIds=[group])["SecurityGroups"][0]["IpPermissions"]
    ec2.revoke_security_group_ingress(GroupId=group, IpPermissions=rules)
    try:
        return cluster.found()
    finally:
        ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=rules)


@pytest.mark.exhaustive
def test_a_closed_security_group_is_named_with_the_port(with_grafana: Deployed):
    group = group_of(with_grafana, "LoginNode")
    message = revoked(with_grafana, group)["port-closed"]
    assert message.startswith("the head node cannot reach")
    assert group in message


@pytest.mark.exhaustive
def test_an_instance_that_lets_nobody_in_is_named(self_hosted: Deployed):
    stacks = self_hosted.account.client("cloudformation").describe_stacks()["Stacks"]
    outputs = {output["OutputKey"]: output["OutputValue"] for stack in stacks for output in stack.get("Outputs", ())}
    message = revoked(self_hosted, outputs["MonitoringSecurityGroup"])["port-closed"]
    assert message.startswith("the head node cannot send to the instance: no rule of")
    assert message.endswith("port 9090")


@pytest.mark.exhaustive
def test_a_dashboard_that_somebody_deleted_is_named(with_grafana: Deployed):
    cloudwatch = with_grafana.account.client("cloudwatch")
    name = f"ParallelCluster-{NAME}"
    body = cloudwatch.get_dashboard(DashboardName=name)["DashboardBody"]
    cloudwatch.delete_dashboards(DashboardNames=[name])
    try:
        message = with_grafana.found()["dashboard-missing"]
    finally:
        cloudwatch.put_dashboard(DashboardName=name, DashboardBody=body)
    assert message == f"dashboard {name} is not in CloudWatch"


def workspace(cluster: Deployed) -> tuple[Any, str]:
    client = cluster.account.client("amp")
    return client, client.list_workspaces()["workspaces"][0]["workspaceId"]


@pytest.mark.exhaustive
def test_rules_that_are_gone_are_named(with_grafana: Deployed):
    client, id_ = workspace(with_grafana)
    there = client.list_rule_groups_namespaces(workspaceId=id_)["ruleGroupsNamespaces"]
    kept = [client.describe_rule_groups_namespace(workspaceId=id_, name=one["name"]) for one in there]
    for one in there:
        client.delete_rule_groups_namespace(workspaceId=id_, name=one["name"])
    try:
        message = with_grafana.found()["rules-not-loaded"]
    finally:
        for one in kept:
            made = one["ruleGroupsNamespace"]
            client.create_rule_groups_namespace(workspaceId=id_, name=made["name"], data=made["data"])
    assert message == f"workspace {id_} has no rules"


@pytest.mark.exhaustive
def test_an_alertmanager_that_is_gone_is_named(with_grafana: Deployed):
    client, id_ = workspace(with_grafana)
    kept = client.describe_alert_manager_definition(workspaceId=id_)["alertManagerDefinition"]["data"]
    client.delete_alert_manager_definition(workspaceId=id_)
    try:
        message = with_grafana.found()["alertmanager-not-active"]
    finally:
        client.create_alert_manager_definition(workspaceId=id_, data=kept)
    assert message == f"workspace {id_} has no Alertmanager"


@pytest.mark.exhaustive
def test_samples_that_the_workspace_discards_are_counted_by_their_reason(with_grafana: Deployed):
    _, id_ = workspace(with_grafana)
    dimensions = [{"Name": "Workspace", "Value": id_}, {"Name": "Reason", "Value": "per_user_series_limit"}]
    metric = {"MetricName": "DiscardedSamples", "Dimensions": dimensions, "Value": 1200.0}
    at = with_grafana.account.clock.now() - 120
    data = [{**metric, "Timestamp": at}]
    with_grafana.account.client("cloudwatch").put_metric_data(Namespace="AWS/Prometheus", MetricData=data)
    message = with_grafana.found()["samples-discarded"]
    assert message == (
        f"workspace {id_} has discarded 1,200 samples within 30 minutes: the quota of active series is reached"
    )


@pytest.mark.exhaustive
def test_alerts_that_reach_nobody_are_named(self_hosted: Deployed):
    sns = self_hosted.account.client("sns")
    (one,) = sns.list_subscriptions()["Subscriptions"]
    sns.unsubscribe(SubscriptionArn=one["SubscriptionArn"])
    try:
        message = self_hosted.found()["alerts-reach-nobody"]
    finally:
        sns.subscribe(TopicArn=one["TopicArn"], Protocol=one["Protocol"], Endpoint=one["Endpoint"])
    assert message == f"nobody has subscribed to {one['TopicArn']}"


@pytest.mark.exhaustive
def test_a_grafana_that_nobody_has_filled_is_named(with_grafana: Deployed):
    grafana = with_grafana.account.client("grafana")
    id_ = grafana.list_workspaces()["workspaces"][0]["id"]
    (one,) = grafana.list_workspace_service_accounts(workspaceId=id_)["serviceAccounts"]
    grafana.delete_workspace_service_account(workspaceId=id_, serviceAccountId=one["id"])
    message = with_grafana.found(grafana=True)["dashboard-missing"]
    assert message == f"nobody has ever put dashboards into Grafana workspace {id_}"
    assert "dashboard-missing" not in with_grafana.found()


@pytest.mark.exhaustive
def test_nothing_is_wrong_with_a_good_cluster_without_grafana(tmp_path: Path):
    with measured("amp-only", tmp_path) as cluster:
        assert [(finding.id, finding.message) for finding in cluster.verified().findings] == []
