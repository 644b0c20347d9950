"""Monitoring that is added to a cluster that exists: its stack, a policy of the head node, and a release."""

from __future__ import annotations

import pytest

from tests.rehearsal.account_copies import deployed_account
from tests.rehearsal.whole import WITHOUT_STATIC_NODES, deployed
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.stacks import find_stack

pytestmark = [pytest.mark.enable_socket, pytest.mark.integration]

NONE = WITHOUT_STATIC_NODES.replace("mode: amp-only", "mode: none")
AMP = NONE.replace("mode: none", "mode: amp-only")


def head_node_policies(account: Account) -> set[str]:
    iam = account.client("iam")
    roles = [role["RoleName"] for role in iam.list_roles()["Roles"] if "HeadNode" in role["RoleName"]]
    return {
        policy["PolicyName"]
        for role in roles
        for policy in iam.list_attached_role_policies(RoleName=role)["AttachedPolicies"]
    }


@pytest.mark.exhaustive
def test_a_cluster_without_monitoring_gets_a_workspace_and_may_write_to_it():
    with deployed_account(NONE) as account:
        assert not any("remote-write" in name.lower() for name in head_node_policies(account))
        done = deployed(account, AMP)
        assert done.ok, [result.error for result in done.results if result.error]
        assert find_stack(account, "llm-monitoring") is not None
        assert any("remote" in name.lower() for name in head_node_policies(account)), head_node_policies(account)
        assert {finding.id for finding in done.findings} <= {"head-node-not-told", "login-nodes-not-told"}
        again = deployed(account, AMP)
        assert again.ok
        assert {result.status for result in again.results if result.name == "cluster"} == {"unchanged"}


PLACE = "network: {availability_zone: us-east-2a, secondary_availability_zone: us-east-2b}"
OTHERS = {
    "parallelcluster": NONE.replace("network: {availability_zone: us-east-2a}", PLACE),
    "eks": f"""\
name: llm
region: us-east-2
platform: eks
{PLACE}
queues: [{{name: gpu, instance_type: g4dn.8xlarge, nodes: {{min: 0, max: 2}}}}]
monitoring: {{mode: none}}
""",
}
MADE = {"amp+amg": "grafana", "self-hosting": "monitoring-instance"}


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("platform", "mode"),
    # Amazon EKS has no head node, which sends metrics to a Prometheus of one's own.
    [("parallelcluster", "amp+amg"), ("parallelcluster", "self-hosting"), ("eks", "amp+amg")],
)
def test_every_mode_can_be_added_and_a_second_look_changes_nothing(platform: str, mode: str):
    text = OTHERS[platform]
    wanted = text.replace("mode: none", f"mode: {mode}")
    with deployed_account(text) as account:
        done = deployed(account, wanted)
        assert done.ok, [result.error for result in done.results if result.error]
        statuses = {result.name: result.status for result in done.results}
        assert statuses["monitoring"] == "done"
        assert MADE[mode] in statuses
        again = deployed(account, wanted)
        assert again.ok, [result.error for result in again.results if result.error]
        stacks = {result.status for result in again.results if result.name in ("network", "monitoring", "cluster")}
        assert stacks == {"unchanged"}
