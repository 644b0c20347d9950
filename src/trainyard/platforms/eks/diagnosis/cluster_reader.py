"""Reads the state of an EKS cluster, as far as AWS and its Kubernetes API tell it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from trainyard.diagnose.cluster.cluster_reader import ReadingCluster
from trainyard.diagnose.log_file import Unread
from trainyard.edge.aws.account import Account
from trainyard.edge.kubernetes.kubectl import Kubectl
from trainyard.edge.remote.answer import UnreachableError
from trainyard.errors import InputError, TrainyardError
from trainyard.platforms.eks.diagnosis.cluster_facts import Situation, situation_of
from trainyard.platforms.eks.diagnosis.eks_files import (
    Inside,
    aws_files,
    known_nodes,
    kubernetes_files,
    look,
    unreachable_files,
)
from trainyard.platforms.eks.diagnosis.pod_logs import pod_log_files

KubectlOf = Callable[[Account, str], AbstractContextManager[Kubectl]]

INSIDE = "what Kubernetes knows: events, pods, nodes, jobs"


def read_eks(name: str, where: Account, reading: ReadingCluster, kubectl_of: KubectlOf) -> bool:
    """Read it, and return whether it is a cluster of EKS.

    What nobody may look at is listed as left out. Raises InputError for a node that is asked for and that it has not,
    TrainyardError where AWS does not answer.
    """
    seen = situation_of(where, name)
    if seen is None:
        return False
    reading.read(aws_files(seen), of_no_node=True)
    unread: list[Unread] = []
    found = None if seen.cluster is None else _read_inside(seen, reading, kubectl_of, unread)
    reading.collected.leave_out(*unread, *(Unread(part, why) for part, why in seen.refused.items()))
    _refuse_unknown_nodes(seen, found, reading.wanted.nodes)
    return True


def _read_inside(
    seen: Situation, reading: ReadingCluster, kubectl_of: KubectlOf, unread: list[Unread]
) -> Inside | None:
    try:
        with kubectl_of(seen.account, seen.name) as kubectl:
            found = look(kubectl, unread)
            reading.read(kubernetes_files(seen, found), of_no_node=True)
            reading.read(pod_log_files(kubectl, found, reading.wanted.nodes, unread))
            return found
    except TrainyardError as error:
        unread.append(Unread(INSIDE, error.problem))
        if isinstance(error, UnreachableError):
            reading.read(unreachable_files(error), of_no_node=True)
        return None


def _refuse_unknown_nodes(seen: Situation, found: Inside | None, nodes: tuple[str, ...]) -> None:
    """Raise InputError for a node that the cluster has not: that nothing is known of it is no good news."""
    known = known_nodes(seen, found)
    for node in nodes:
        if known and not {node, node.partition(".")[0]} & known:
            hint = f"`trainyard status {seen.name} --region {seen.account.region}` lists its nodes"
            raise InputError(f"{seen.name} has no node {node}", where="--node", hint=hint)
