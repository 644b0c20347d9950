"""What tells of failures of an EKS cluster: AWS, its Kubernetes API, and the logs of pods."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from trainyard.diagnose.cluster.cluster_reader import ClusterReader
from trainyard.diagnose.cluster.stream_files import stack_files
from trainyard.diagnose.log_file import LogFile, Unread
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.stacks import all_stacks
from trainyard.edge.kubernetes.documents import Document, labels, number, part, parts, text
from trainyard.edge.kubernetes.kubectl import Kubectl, KubectlOf
from trainyard.edge.kubernetes.refusals import NoSuchKindError
from trainyard.edge.remote_command import UnreachableError
from trainyard.errors import InputError, TrainyardError
from trainyard.platforms.eks.diagnosis import aws_events, checks, kubernetes_evidence
from trainyard.platforms.eks.diagnosis.cluster_facts import EksFacts, facts_of
from trainyard.platforms.eks.job_sets import JOB_SET_NAME, JOB_SETS
from trainyard.platforms.eks.logs.cluster_logs import groups

PART = "its state in EKS"
KUBERNETES_PART = "what Kubernetes knows: events, pods, nodes, jobs"
_MOST_PODS = 24
_MOST_LINES = 5000
_JOB_LABELS = ("training.kubeflow.org/job-name", JOB_SET_NAME)
_LINES = {
    "eks-cluster": aws_events.cluster_lines,
    "eks-node-groups": aws_events.node_group_lines,
    "eks-updates": aws_events.update_lines,
    "eks-launches": aws_events.launch_lines,
}
# https://github.com/eksctl-io/eksctl/blob/main/pkg/apis/eksctl.io/v1alpha5/types.go
_EKSCTL = "alpha.eksctl.io/cluster-name"
_JOBS = ("mpijobs.kubeflow.org", "pytorchjobs.kubeflow.org", JOB_SETS)


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
    _refuse_unknown_nodes(facts, objects, reader.line_filter.nodes)
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
            reader.read(pod_log_files(kubectl, objects, reader.line_filter.nodes, unread))
            return objects
    except TrainyardError as error:
        unread.append(Unread(KUBERNETES_PART, error.problem))
        if isinstance(error, UnreachableError):
            reader.read(unreachable_files(error), of_no_node=True)
        return None


def _refuse_unknown_nodes(facts: EksFacts, objects: KubernetesObjects | None, nodes: tuple[str, ...]) -> None:
    """Raise InputError for a node that the cluster has not: that nothing is known of it is no good news."""
    names = known_nodes(facts, objects)
    for node in nodes:
        if names and not {node, node.partition(".")[0]} & names:
            hint = f"`trainyard status {facts.name} --region {facts.account.region}` lists its nodes"
            raise InputError(f"{facts.name} has no node {node}", where="--node", hint=hint)


class FailedContainer(NamedTuple):
    """A container that did not end well, and the pod that it is of."""

    namespace: str
    pod: str
    container: str
    node: str
    previous: bool
    """Whether it was started anew since: what it said before is what tells."""


def pod_log_files(
    kubectl: Kubectl, objects: KubernetesObjects, nodes: tuple[str, ...], unread: list[Unread]
) -> Iterator[LogFile]:
    """Yield the logs of containers that ended badly, those of failed training jobs first; some of them.

    Of ``nodes`` alone, where any are named. What could not be read is added to ``unread``.
    """
    failed = {_name(job) for job in objects.jobs if _has_failed(job)}
    instances = {text(node, "metadata", "name"): text(node, "spec", "providerID") for node in objects.nodes}
    pods = objects.pods
    ended = [
        container
        for document in sorted(pods, key=lambda pod: _job(pod) not in failed)
        for container in _ended(document)
    ]
    shown_containers = [container for container in ended if not nodes or any(_is_on(container, node) for node in nodes)]
    for container in shown_containers[:_MOST_PODS]:
        name = f"pods/{container.namespace}/{container.pod}/{_file_name(container, instances)}"
        try:
            lines = list(
                kubectl.logs(
                    container.pod,
                    container.namespace,
                    container=container.container,
                    previous=container.previous,
                    tail=_MOST_LINES,
                    timestamps=True,
                )
            )
        except TrainyardError as error:
            unread.append(Unread(name, error.problem))
            continue
        yield LogFile(name, ["".join(f"{line}\n" for line in lines).encode(errors="replace")])
    if (beyond := len(shown_containers) - _MOST_PODS) > 0:
        unread.append(Unread(f"{beyond} more containers", "not looked at; `trainyard logs --pod` reads them"))


def _file_name(container: FailedContainer, instances: Mapping[str, str]) -> str:
    """Return what the log of a container is called: with host and instance before it, which say where it was."""
    instance = instances.get(container.node, "").rpartition("/")[2]
    where = f"{container.node.partition('.')[0]}.{instance}." if instance.startswith("i-") else ""
    return f"{where}{container.container}{'.previous' if container.previous else ''}"


def _ended(document: Document) -> Iterator[FailedContainer]:
    namespace, pod = _name(document)
    node = text(document, "spec", "nodeName")
    for key in ("initContainerStatuses", "containerStatuses"):
        for status in parts(document, "status", key):
            now, before = (number(part(status, state, "terminated"), "exitCode") for state in ("state", "lastState"))
            if now or before:
                yield FailedContainer(namespace, pod, text(status, "name"), node, not now)


def _name(document: Document) -> tuple[str, str]:
    return text(document, "metadata", "namespace"), text(document, "metadata", "name")


def _job(pod: Document) -> tuple[str, str]:
    name = next((name for key in _JOB_LABELS if (name := text(labels(pod), key))), "")
    return text(pod, "metadata", "namespace"), name


def _has_failed(job: Document) -> bool:
    conditions = parts(job, "status", "conditions")
    return any(text(condition, "type") == "Failed" and text(condition, "status") == "True" for condition in conditions)


def _is_on(ended: FailedContainer, node: str) -> bool:
    return bool(ended.node) and node.partition(".")[0] == ended.node.partition(".")[0]


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
    names = {text(node, "metadata", "name") for node in ([] if objects is None else objects.nodes)}
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
