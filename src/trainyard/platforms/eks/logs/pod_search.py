"""Finds the pods of an EKS cluster whose logs are asked for."""

from __future__ import annotations

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.eks import find_cluster
from trainyard.edge.aws.errors import NotAllowedError
from trainyard.edge.kubernetes.kubectl import KubectlOf
from trainyard.operate.logs.log_filter import LogSelection
from trainyard.platforms.eks.logs.pod_logs import PodLogs
from trainyard.platforms.eks.logs.pods import pod_streams


def has_cluster(account: Account, cluster: str) -> bool:
    """Return whether EKS has a cluster of this name; who may not ask gets to know by trying what comes next."""
    try:
        return find_cluster(account, cluster) is not None
    except NotAllowedError:
        return False


def pod_logs(account: Account, cluster: str, selection: LogSelection, kubectl_of: KubectlOf) -> PodLogs:
    """Return the logs of some pods. Raises InputError where there are none, TrainyardError where nobody answers."""
    with kubectl_of(account, cluster) as kubectl:
        streams = pod_streams(kubectl.get("pods"), selection)
    return PodLogs(cluster, account, selection, streams, kubectl_of)
