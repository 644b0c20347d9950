"""Whether the head node may send to the workspace at all: without that, it is answered with 403 and nothing arrives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.edge.aws.node_rights import may, workspace_arn
from trainyard.operate.monitoring.verify.explained import finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainyard.finding import Finding
    from trainyard.operate.monitoring.verify.situation import Situation

_ACTION = "aps:RemoteWrite"


def rights(situation: Situation) -> Iterator[Finding]:
    """Yield that the role of the head node lacks the permission, in the modes that have a workspace."""
    account = situation.account
    id_ = None if account is None else account.outputs.get("AMPWorkspaceId")
    head = None if account is None else account.head
    if account is None or id_ is None or head is None:
        return
    if head.profile_arn is None:
        yield finding("remote-write-not-allowed", f"the head node {head.id} has no instance profile")
    elif not may(account.account, head.profile_arn, _ACTION, workspace_arn(account.account, id_)):
        profile = head.profile_arn.rpartition("/")[2]
        message = f"the role of the head node ({profile}) may not {_ACTION} on workspace {id_}: it is answered with 403"
        yield finding("remote-write-not-allowed", message)
