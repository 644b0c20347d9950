"""The state of an EKS cluster as logs, which signatures are held against as against any other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from trainyard.diagnose.cluster.stack_file import stack_files
from trainyard.diagnose.log_file import LogFile, Unread
from trainyard.edge.aws.stacks import all_stacks
from trainyard.edge.kubernetes.documents import Document, text
from trainyard.edge.kubernetes.kubectl import Kubectl
from trainyard.edge.kubernetes.refusals import NoSuchKindError
from trainyard.edge.remote.answer import UnreachableError
from trainyard.errors import TrainyardError
from trainyard.platforms.eks.diagnosis import aws_events, checks, kubernetes_evidence
from trainyard.platforms.eks.diagnosis.cluster_facts import EksFacts

_LINES = {
    "eks-cluster": aws_events.cluster_lines,
    "eks-node-groups": aws_events.node_group_lines,
    "eks-updates": aws_events.update_lines,
    "eks-launches": aws_events.launch_lines,
}
# https://github.com/eksctl-io/eksctl/blob/main/pkg/apis/eksctl.io/v1alpha5/types.go
_EKSCTL = "alpha.eksctl.io/cluster-name"
_JOBS = ("mpijobs.kubeflow.org", "pytorchjobs.kubeflow.org")


class KubernetesObjects(NamedTuple):
    """The objects of a cluster that tell of failures."""

    nodes: list[Document]
    pods: list[Document]
    jobs: list[Document]
    events: list[Document]


def aws_files(facts: EksFacts) -> Iterator[LogFile]:
    """Yield what AWS says of a cluster, and what does not fit. What nobody may look at is added to ``facts``."""
    yield from _stacks(facts)
    for name, lines in _LINES.items():
        yield from _file(name, lines(facts))
    yield from _file("eks-checks", (f"{checks.BEGINNING}{line}" for line in checks.reservation_lines(facts)))


def _stacks(facts: EksFacts) -> Iterator[LogFile]:
    """Yield the events of the stacks that eksctl made, and of ours beside them that are not whole."""
    for stack in facts.ask("its stacks", all_stacks) or []:
        of_eksctl = stack.tags.get(_EKSCTL) == facts.name or stack.name.startswith(f"eksctl-{facts.name}-")
        if of_eksctl or (stack.tags.get("trainyard:cluster") == facts.name and not stack.usable):
            yield from stack_files(facts.account, stack.name)


def kubernetes_objects(kubectl: Kubectl, unread: list[Unread]) -> KubernetesObjects:
    """Return what is in a cluster. Raises TrainyardError where its API does not answer.

    What it does not tell is added to ``unread``.
    """
    return KubernetesObjects(
        kubectl.get("nodes"),
        _objects(kubectl, "pods", unread),
        [object_ for kind in _JOBS for object_ in _objects(kubectl, kind, unread)],
        _objects(kubectl, "events", unread),
    )


def kubernetes_files(facts: EksFacts, objects: KubernetesObjects) -> Iterator[LogFile]:
    """Yield what the Kubernetes API says, each line with the node that it is of, where it is of one."""
    yield from _file("kubernetes-events", kubernetes_evidence.event_lines(objects.events))
    yield from _file("pods/kubernetes-events", kubernetes_evidence.pod_lines(objects.pods))
    yield from _file("nodes/kubernetes-events", kubernetes_evidence.node_lines(objects.nodes))
    yield from _file("jobs/kubernetes-events", kubernetes_evidence.job_lines(objects.jobs))
    compared = (*checks.not_joined(facts, objects.nodes), *checks.missing_devices(objects.nodes))
    yield from _file("nodes/eks-checks", compared)


def unreachable_files(error: UnreachableError) -> Iterator[LogFile]:
    """Yield that the Kubernetes API does not answer, which nobody else writes down."""
    yield from _file("kubernetes/eks-checks", [f"{checks.BEGINNING}{error.problem}"])


def known_nodes(facts: EksFacts, objects: KubernetesObjects | None) -> set[str]:
    """Return what the nodes of a cluster are called: their names, long and short, and the ids of their instances."""
    names = {text(one, "metadata", "name") for one in ([] if objects is None else objects.nodes)}
    names |= {instance.get("PrivateDnsName", "") for instance in facts.instances}
    ids = {instance["InstanceId"] for instance in facts.instances}
    return {*names, *(name.partition(".")[0] for name in names), *ids} - {""}


def _objects(kubectl: Kubectl, kind: str, unread: list[Unread]) -> list[Document]:
    try:
        return kubectl.get(kind)
    except NoSuchKindError:
        return []
    except TrainyardError as error:
        unread.append(Unread(f"{kind} of Kubernetes", error.problem))
        return []


def _file(name: str, lines: Iterable[str]) -> Iterator[LogFile]:
    content = "".join(f"{' '.join(line.split())}\n" for line in lines)
    if content:
        yield LogFile(name, [content.encode(errors="replace")])
