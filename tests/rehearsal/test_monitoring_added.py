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
