"""What tells of failures of a Batch cluster: AWS Batch itself, and how its environments, queues and jobs fit."""

from __future__ import annotations

from trainyard.diagnose.cluster.cluster_reader import ClusterReader
from trainyard.diagnose.log_file import Unread
from trainyard.edge.aws.account import Account
from trainyard.edge.kubernetes.kubectl import KubectlOf
from trainyard.platforms.batch.diagnosis.batch_files import batch_files

PART = "its state in AWS Batch"


def stack_names(cluster: str) -> tuple[str, ...]:
    """Return the stack with the environments and queues of a cluster."""
    return (f"{cluster}-batch",)


def read_state(account: Account, cluster: str, reader: ClusterReader, kubectl: KubectlOf) -> bool:  # noqa: ARG001  it has no Kubernetes
    """Read what AWS Batch says of a cluster, and return whether it says anything.

    What nobody may look at is listed as left out. Raises TrainyardError where AWS does not answer.
    """
    unread: list[Unread] = []
    before = reader.collected.files
    reader.read(batch_files(account, cluster, unread))
    reader.collected.leave_out(*unread)
    return reader.collected.files > before


def missing_logs(account: Account, cluster: str) -> Unread | None:  # noqa: ARG001  as of every platform
    """Return None: jobs log where no setting switches it off."""
    return None
