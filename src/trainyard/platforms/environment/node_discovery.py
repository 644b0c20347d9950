"""An environment has no nodes that Prometheus could discover."""

from __future__ import annotations

from trainyard.edge.aws.account import Account
from trainyard.operate.monitoring.verify.in_account import CheckedTags, InAccount, ScrapedInstance
from trainyard.spec.cluster import Spec


def instances(account: Account, spec: Spec) -> tuple[ScrapedInstance, ...]:  # noqa: ARG001  part of the protocol
    """Return none."""
    return ()


def checked_tags(account: InAccount) -> tuple[CheckedTags, ...]:  # noqa: ARG001  part of the protocol
    """Return none."""
    return ()


def refused_senders(account: InAccount, workspace: str) -> tuple[str, ...]:  # noqa: ARG001  part of the protocol
    """Return none."""
    return ()
