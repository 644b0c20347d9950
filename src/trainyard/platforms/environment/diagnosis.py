"""What tells of failures of an environment: nothing, as no node or job runs in one."""

from __future__ import annotations

from trainyard.diagnose.cluster.cluster_reader import ClusterReader
from trainyard.diagnose.log_file import Unread
from trainyard.edge.aws.account import Account
from trainyard.edge.kubernetes.kubectl import KubectlOf

PART = "its state in AWS"


def stack_names(cluster: str) -> tuple[str, ...]:  # noqa: ARG001  as of every platform
    """Return none."""
    return ()


def read_state(account: Account, cluster: str, reader: ClusterReader, kubectl: KubectlOf) -> bool:  # noqa: ARG001  as of every platform
    """Read nothing."""
    return False


def missing_logs(account: Account, cluster: str) -> Unread | None:  # noqa: ARG001  as of every platform
    """Return None."""
    return None
