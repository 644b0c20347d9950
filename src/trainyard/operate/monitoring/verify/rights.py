"""Whether who scrapes may send to the workspace at all: otherwise the answer is 403, and nothing arrives."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.finding import Finding
from trainyard.operate.monitoring.verify.finding_kinds import finding
from trainyard.operate.monitoring.verify.subject import Situation


def rights(situation: Situation) -> Iterator[Finding]:
    """Yield that the head node, or the agent in a cluster, has no role that may."""
    account = situation.account
    workspace = None if account is None else account.outputs.get("AMPWorkspaceId")
    if account is not None and workspace is not None:
        refused = account.discovery.refused_senders(account, workspace)
        yield from (finding("remote-write-not-allowed", message) for message in refused)
