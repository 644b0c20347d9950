"""Every role that a deployment gives to instances, containers and pods, with all that ParallelCluster and eksctl add.

IAM of the emulated account has the documents as they are attached, those of AWS's own policies included. Conditions
are taken as met, so that a role may at most do what is allowed here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.iam_policy import Statement, allowed
from tests.rehearsal.account_copies import prepared_account
from tests.rehearsal.whole import WITHOUT_STATIC_NODES, deployed
from tests.render.test_node_rights import CONTEXT, DENIED
from trainyard.edge.aws.account import Account

pytestmark = [pytest.mark.exhaustive, pytest.mark.enable_socket]
# Who may take on a role that code of nodes, jobs or pods gets at.
HOLDERS = {"ec2.amazonaws.com", "ecs-tasks.amazonaws.com", "pods.eks.amazonaws.com"}
SELF_HOSTING = WITHOUT_STATIC_NODES.replace("mode: amp-only", "mode: self-hosting")
BATCH = """\
name: llm
region: us-east-2
platform: batch
network: {availability_zone: us-east-2a}
queues: [{name: train, instance_type: p4d.24xlarge, nodes: {min: 0, max: 2}}]
file_systems: [{mount: /fsx, lustre: {size_gib: 1200, throughput_mb_s_per_tib: 125}}]
"""
EKS = """\
name: llm
region: us-east-2
platform: eks
network: {availability_zone: us-east-2a, secondary_availability_zone: us-east-2b}
queues: [{name: train, instance_type: g5.xlarge, nodes: 1}]
monitoring: {mode: amp-only}
"""
# What only one role is for, beside the table: by a part of its name, the calls and why.
EXCEPTIONS = {
    "RoleHeadNode": {
        "iam:PassRole": "it starts compute nodes, with the roles below /parallelcluster/llm/ alone",
        "ec2:TerminateInstances": "it ends compute nodes: those with the tag of its own cluster",
    },
}


def roles(account: Account) -> Iterator[tuple[str, list[Statement]]]:
    """Yield the names of roles that code of users gets at, with all statements."""
    iam = account.client("iam")
    for role in iam.list_roles()["Roles"]:
        name, trust = role["RoleName"], json.dumps(role["AssumeRolePolicyDocument"])
        if not any(f'"{holder}"' in trust for holder in HOLDERS):
            continue
        documents = [
            iam.get_role_policy(RoleName=name, PolicyName=policy)["PolicyDocument"]
            for policy in iam.list_role_policies(RoleName=name)["PolicyNames"]
        ]
        for policy in iam.list_attached_role_policies(RoleName=name)["AttachedPolicies"]:
            version = iam.get_policy(PolicyArn=policy["PolicyArn"])["Policy"]["DefaultVersionId"]
            got = iam.get_policy_version(PolicyArn=policy["PolicyArn"], VersionId=version)
            documents.append(got["PolicyVersion"]["Document"])
        yield name, [unconditional(statement) for document in documents for statement in listed(document["Statement"])]


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def unconditional(statement: dict[str, Any]) -> Statement:
    if statement["Effect"] == "Deny" and "Condition" in statement:
        return {**statement, "Action": [], "Resource": []}
    return {key: value for key, value in statement.items() if key != "Condition"}


def deploy(account: Account, text: str) -> None:
    """Deploy it. That no monitoring instance reports is a finding, and no matter here."""
    deployed(account, text)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (WITHOUT_STATIC_NODES, {"RoleHeadNode", "ComputeFleet", "LoginNodes"}),
        (SELF_HOSTING, {"RoleHeadNode", "ComputeFleet", "LoginNodes", "MonitoringRole"}),
        (BATCH, {"InstanceRole", "ExecutionRole", "JobRole"}),
        (EKS, {"NodeInstanceRole", "podidentityrole"}),
    ],
    ids=["parallelcluster", "self-hosting", "batch", "eks"],
)
def test_no_role_may_do_what_is_not_its_own(text: str, names: set[str]):
    with prepared_account(text, deploy) as account:
        by_name = dict(roles(account))
    assert {part for part in names if any(part in name for name in by_name)} == names, sorted(by_name)
    for name, statements in by_name.items():
        exceptions = next((calls for part, calls in EXCEPTIONS.items() if part in name), {})
        may = {(action, resource) for action, resource in DENIED if allowed(statements, action, resource, CONTEXT)}
        assert {action for action, _ in may} == set(exceptions), (name, may)
        # Roles of other clusters and of people are passed on by nobody.
        assert ("iam:PassRole", "arn:aws:iam::123456789012:role/admin") not in may
