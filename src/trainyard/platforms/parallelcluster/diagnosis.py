"""What tells of failures of a cluster of AWS ParallelCluster: its stack."""

from __future__ import annotations

from trainyard.diagnose.cluster.cluster_reader import ClusterReader
from trainyard.diagnose.log_file import Unread
from trainyard.edge.aws.account import Account
from trainyard.edge.kubernetes.kubectl import KubectlOf

PART = "its state in AWS ParallelCluster"


def stack_names(cluster: str) -> tuple[str, ...]:
    """Return the stack that ParallelCluster makes of a cluster."""
    return (cluster,)


def read_state(account: Account, cluster: str, reader: ClusterReader, kubectl: KubectlOf) -> bool:  # noqa: ARG001  as of every platform
    """Read nothing: ParallelCluster says nothing that its stack and its logs do not."""
    return False


def missing_logs(account: Account, cluster: str) -> Unread | None:  # noqa: ARG001  as of every platform
    """Return None: where logs are switched off, CloudWatch has no log group, and reading them says so."""
    return None
