"""Whether whoever scrapes may send to the workspace at all: without that, it is answered with 403 and nothing arrives.

On AWS Batch the user runs the agent, with a role that nobody else knows of.
"""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.amazon_prometheus import workspace_arn
from trainyard.edge.aws.eks import pod_identities
from trainyard.edge.aws.iam import may
from trainyard.finding import Finding
from trainyard.operate.monitoring.verify.finding_kinds import finding
from trainyard.operate.monitoring.verify.in_account import InAccount
from trainyard.operate.monitoring.verify.instances import Instance
from trainyard.operate.monitoring.verify.subject import Situation
from trainyard.platforms.eks.rendering.names import PROMETHEUS

_ACTION = "aps:RemoteWrite"


def rights(situation: Situation) -> Iterator[Finding]:
    """Yield that the head node, or the agent in a cluster of EKS, has no role that may."""
    account = situation.account
    id_ = None if account is None else account.outputs.get("AMPWorkspaceId")
    if account is None or id_ is None:
        return
    if situation.spec.platform == "eks":
        yield from _of_agent(situation, account.account)
    elif account.head is not None:
        yield from _of_head(account, account.head, id_)


def _of_agent(situation: Situation, account: Account) -> Iterator[Finding]:
    """Yield that its service account has no role: eksctl makes one with the policy of the workspace."""
    if PROMETHEUS not in pod_identities(account, situation.spec.name):
        who = f"{PROMETHEUS.namespace}/{PROMETHEUS.name}"
        message = f"the service account {who} has no role by EKS Pod Identity: the agent is answered with 403"
        yield finding("remote-write-not-allowed", message)


def _of_head(account: InAccount, head: Instance, id_: str) -> Iterator[Finding]:
    if head.profile_arn is None:
        yield finding("remote-write-not-allowed", f"the head node {head.id} has no instance profile")
    elif not may(account.account, head.profile_arn, _ACTION, workspace_arn(account.account, id_)):
        profile = head.profile_arn.rpartition("/")[2]
        message = f"the role of the head node ({profile}) may not {_ACTION} on workspace {id_}: it is answered with 403"
        yield finding("remote-write-not-allowed", message)
