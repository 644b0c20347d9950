"""The logs of clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.edge.kubernetes.kubectl import kubectl_of
from trainyard.errors import TrainyardError
from trainyard.operate.logs.cluster_log import ClusterLog, Stream, cluster_log
from trainyard.operate.logs.export import LogArchive, refuse_other_endings
from trainyard.operate.logs.log_filter import LogSelection, chosen
from trainyard.operate.logs.logs import Logs, cluster_logs
from trainyard.operate.logs.period import Period, period
from trainyard.platforms.eks.logs.pod_logs import PodLogs
from trainyard.platforms.eks.logs.pod_search import export_pods, is_of_eks, pod_logs
from trainyard.platforms.eks.logs.pods import WantedPods
from trainyard.platforms.parallelcluster.logs.with_pcluster import export_with_pcluster

if TYPE_CHECKING:
    from trainyard.edge.aws.account import Account
    from trainyard.edge.kubernetes.kubectl import KubectlOf

__all__ = [
    "ClusterLog",
    "LogArchive",
    "Logs",
    "Period",
    "PodLogs",
    "Stream",
    "cluster_logs",
    "export_pods",
    "export_with_pcluster",
    "log_period",
    "logs_of",
    "refuse_other_endings",
]


def logs_of(  # noqa: PLR0913  which cluster, and what of it
    name: str,
    where: Account,
    *,
    nodes: tuple[str, ...] = (),
    kinds: tuple[str, ...] = (),
    jobs: tuple[str, ...] = (),
    pods: tuple[str, ...] = (),
    group: str | None = None,
    kubectl: KubectlOf = kubectl_of,
) -> Logs | PodLogs:
    """Return the logs of a cluster as ``cluster_logs`` does, or of EKS those of pods, which kubectl reads.

    Pods are meant by ``pods``, and where no log group is named by ``jobs`` and ``nodes``, or where there is no group.
    Raises TrainyardError where it has none, InputError where nothing is what was asked for.
    """
    of_pods = WantedPods(pods, jobs, nodes, kinds)
    if pods:
        return pod_logs(where, name, of_pods, kubectl)
    try:
        log, selection = cluster_log(where, name, group), LogSelection(nodes, kinds, jobs)
    except TrainyardError:
        # A cluster whose control plane logs nothing has no log group.
        if group is None and is_of_eks(where, name):
            return pod_logs(where, name, of_pods, kubectl)
        raise
    if log.leaves_pods_out and group is None and (jobs or nodes):
        return pod_logs(where, name, of_pods, kubectl)
    return Logs(log, chosen(where, log, selection), selection, where, kubectl)


def log_period(since: str | None, until: str | None, where: Account) -> Period:
    """Return the period that two texts such as 1h or 2026-05-06T13:25 mean. Raises InputError where they mean none."""
    return period(since, until, where.clock.now())
