"""What tells of failures of an EKS cluster: AWS, its Kubernetes API, and the logs of pods."""

from __future__ import annotations

from trainyard.diagnose.cluster.cluster_reader import ClusterReader
from trainyard.diagnose.log_file import Unread
from trainyard.edge.aws.account import Account
from trainyard.edge.kubernetes.kubectl import KubectlOf
from trainyard.edge.remote.answer import UnreachableError
from trainyard.errors import InputError, TrainyardError
from trainyard.platforms.eks.diagnosis.cluster_facts import EksFacts, facts_of
from trainyard.platforms.eks.diagnosis.eks_files import (
    KubernetesObjects,
    aws_files,
    known_nodes,
    kubernetes_files,
    kubernetes_objects,
    unreachable_files,
)
from trainyard.platforms.eks.diagnosis.pod_logs import pod_log_files
from trainyard.platforms.eks.logs.cluster_logs import groups

PART = "its state in EKS"
KUBERNETES_PART = "what Kubernetes knows: events, pods, nodes, jobs"


def stack_names(cluster: str) -> tuple[str, ...]:  # noqa: ARG001  as of every platform
    """Return none: the state of a cluster has the events of the stacks that eksctl made."""
    return ()


def read_state(account: Account, cluster: str, reader: ClusterReader, kubectl: KubectlOf) -> bool:
    """Read what AWS and Kubernetes say of a cluster, and return whether it is one of EKS.

    What nobody may look at is listed as left out. Raises InputError for a node that is asked for and that it has not,
    TrainyardError where AWS does not answer.
    """
    facts = facts_of(account, cluster)
    if facts is None:
        return False
    reader.read(aws_files(facts), of_no_node=True)
    unread: list[Unread] = []
    objects = None if facts.cluster is None else _read_kubernetes(facts, reader, kubectl, unread)
    reader.collected.leave_out(*unread, *(Unread(part, why) for part, why in facts.refused.items()))
    _refuse_unknown_nodes(facts, objects, reader.wanted.nodes)
    return True


def missing_logs(account: Account, cluster: str) -> Unread | None:
    """Return that the control plane logs nothing, where its logs are switched off."""
    if groups(account, cluster):
        return None
    why = f"CloudWatch has no log group /aws/eks/{cluster}/cluster: what `eks.control_plane_logs` names is kept there"
    return Unread("the logs of its control plane", why)


def _read_kubernetes(
    facts: EksFacts, reader: ClusterReader, kubectl_of: KubectlOf, unread: list[Unread]
) -> KubernetesObjects | None:
    try:
        with kubectl_of(facts.account, facts.name) as kubectl:
            objects = kubernetes_objects(kubectl, unread)
            reader.read(kubernetes_files(facts, objects), of_no_node=True)
            reader.read(pod_log_files(kubectl, objects, reader.wanted.nodes, unread))
            return objects
    except TrainyardError as error:
        unread.append(Unread(KUBERNETES_PART, error.problem))
        if isinstance(error, UnreachableError):
            reader.read(unreachable_files(error), of_no_node=True)
        return None


def _refuse_unknown_nodes(facts: EksFacts, objects: KubernetesObjects | None, nodes: tuple[str, ...]) -> None:
    """Raise InputError for a node that the cluster has not: that nothing is known of it is no good news."""
    known = known_nodes(facts, objects)
    for node in nodes:
        if known and not {node, node.partition(".")[0]} & known:
            hint = f"`trainyard status {facts.name} --region {facts.account.region}` lists its nodes"
            raise InputError(f"{facts.name} has no node {node}", where="--node", hint=hint)
