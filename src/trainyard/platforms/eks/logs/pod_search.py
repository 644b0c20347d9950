"""Finds the pods of an EKS cluster whose logs are asked for."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.eks import find_cluster
from trainyard.edge.aws.errors import NotAllowedError
from trainyard.edge.kubernetes.kubectl import KubectlOf
from trainyard.edge.new_archive import new_archive
from trainyard.operate.logs.export import LogArchive
from trainyard.operate.logs.period import Period
from trainyard.platforms.eks.logs.export import KubernetesPart
from trainyard.platforms.eks.logs.pod_logs import PodLogs
from trainyard.platforms.eks.logs.pods import WantedPods, pod_streams


def pod_logs(account: Account, name: str, selection: WantedPods, kubectl_of: KubectlOf) -> PodLogs:
    """Return the logs of some pods. Raises InputError where there are none, TrainyardError where nobody answers."""
    with kubectl_of(account, name) as kubectl:
        streams = pod_streams(kubectl.get("pods"), selection)
    return PodLogs(name, account, selection, streams, kubectl_of)


def is_of_eks(account: Account, name: str) -> bool:
    """Return whether EKS has a cluster of this name; who may not ask gets to know by trying what comes next."""
    try:
        return find_cluster(account, name) is not None
    except NotAllowedError:
        return False


def export_pods(
    logs: PodLogs, of: Period, file: Path, *, force: bool = False, report: Callable[[str], None] = lambda _: None
) -> LogArchive:
    """Write the logs of some pods into an archive, with what Kubernetes says of the cluster.

    Raises InputError where the file exists and is not to be replaced.
    """
    now = datetime.fromtimestamp(logs.account.clock.now(), UTC)
    folder = f"{logs.name}-logs-{now:%Y%m%d%H%M}"
    part = KubernetesPart(logs.account, logs.name, of, logs.wanted, report, logs.kubectl_of)
    with new_archive(file, force=force) as archive:
        added = part.add(archive, folder)
    left_out = "pods alone were asked for, or nothing of the cluster is in CloudWatch"
    return LogArchive(file, folder, 0, 0, 0, left_out, added.containers, added.lines, added.left_out)
