"""What a cluster of Amazon EKS is for, tried in a rehearsal: that its nodes have their devices, and that jobs get them.

No container runs. What is proved is that the scheduler would find a node for every pod: that labels, taints, device
plugins, requests, volumes and service accounts go together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from trainyard.counts import count_text
from trainyard.deploy.step import Probe, StepOutcome
from trainyard.deploy.work import Work
from trainyard.errors import TrainyardError
from trainyard.launch.launch import compute_launches
from trainyard.platforms.eks.rehearsal.emulated_kubectl import EmulatedKubectl, emulated_kubectl_of
from trainyard.platforms.eks.rendering.job_pods import job_pod
from trainyard.platforms.eks.rendering.manifests import EXAMPLES, manifests
from trainyard.platforms.eks.rendering.names import QUEUE
from trainyard.platforms.eks.rendering.node_groups import node_group_name
from trainyard.render.bench.plan import bench_files
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec

_JOB_KINDS = ("MPIJob", "PyTorchJob")
_GROUP = "eks.amazonaws.com/nodegroup"
_MOST_TOLD = 3


class JobsOnNodes:
    """Looks at the nodes, applies jobs, sees that all their pods have a node, and deletes them again."""

    name = "jobs"
    title = "jobs on the nodes of each queue"

    def probe(self, work: Work) -> Probe:
        """Say nothing: nobody asks."""
        del work
        return Probe("missing")

    def apply(self, work: Work) -> StepOutcome:
        """Try them. Raises TrainyardError where a node lacks devices, a pod lacks a node, or a name leads nowhere."""
        spec = work.required_spec()
        with emulated_kubectl_of(work.account, work.name) as kubectl:
            _refuse_dangling(kubectl)
            _refuse_missing_devices(kubectl, spec)
            taken = [_try(work, kubectl, documents) for documents in _jobs(spec, work.outputs)]
        return StepOutcome(
            changed=bool(taken), detail=f"{count_text(len(taken), 'job')} had their nodes: {', '.join(taken)}"
        )

    def undo(self, work: Work) -> StepOutcome:
        """Do nothing: each job was deleted."""
        del work
        return StepOutcome(changed=False)


def _jobs(spec: Spec, outputs: Mapping[str, str]) -> Iterator[list[dict[str, Any]]]:
    """Yield the documents of jobs: the example of each queue, and its bandwidth tests on one and on most nodes."""
    for name, documents in manifests(spec, Ids(outputs)).items():
        if name.startswith(EXAMPLES) and _nodes(documents[-1]) <= _desired(spec, documents[-1]):
            yield documents
    tests = [yaml.load(text, Loader=yaml.CSafeLoader) for text in bench_files(spec).values()]
    for queue in spec.queues:
        fitting = [test for test in tests if _queue(test) == queue.name and _nodes(test) <= _desired(spec, test)]
        by_nodes = {_nodes(job_): job_ for job_ in reversed(fitting)}
        for number in sorted({min(by_nodes), max(by_nodes)} if by_nodes else ()):
            yield [by_nodes[number]]


def _roles(job: Mapping[str, Any]) -> Mapping[str, Any]:
    roles: Mapping[str, Any] = job["spec"].get("mpiReplicaSpecs") or job["spec"].get("pytorchReplicaSpecs")
    return roles


def _queue(job: Mapping[str, Any]) -> str:
    return str(_roles(job)["Worker"]["template"]["spec"]["nodeSelector"][QUEUE])


def _nodes(job: Mapping[str, Any]) -> int:
    """Return how many nodes a job takes: its launcher stands on one of them."""
    return sum(job_.get("replicas", 1) for role, job_ in _roles(job).items() if role != "Launcher")


def _desired(spec: Spec, job: Mapping[str, Any]) -> int:
    """Return how many nodes its queue has at first, of the type that it asks for."""
    selector = _roles(job)["Worker"]["template"]["spec"]["nodeSelector"]
    return sum(launch.first_nodes for launch in compute_launches(spec) if job_pod(launch).node_selector == selector)


def _try(work: Work, kubectl: EmulatedKubectl, documents: list[dict[str, Any]]) -> str:
    (job,) = (document for document in documents if document["kind"] in _JOB_KINDS)
    name = job["metadata"]["name"]
    kubectl.apply(documents, force_conflicts=True)
    try:
        waiting = [pod for pod in kubectl.get("pods", namespace="default") if pod["status"]["phase"] != "Running"]
        pods = kubectl.get("pods", namespace="default", selector=f"training.kubeflow.org/job-name={name}")
        if waiting or len(pods) < _nodes(job):
            raise TrainyardError(f"{job['kind']} {name} does not start: {_why(kubectl, waiting)}", where=name)
    finally:
        kubectl.delete(documents)
    work.tell(f"{job['kind']} {name} has a node for each of its {count_text(len(pods), 'pod')}")
    return str(name)


def _why(kubectl: EmulatedKubectl, waiting: list[dict[str, Any]]) -> str:
    names = {pod["metadata"]["name"] for pod in waiting}
    events = [event for event in kubectl.get("events") if event["involvedObject"]["name"] in names]
    reasons = dict.fromkeys(f"{event['reason']}: {event['message']}" for event in events)
    return "; ".join(list(reasons)[:_MOST_TOLD]) or "no operator has made its pods"


def _refuse_dangling(kubectl: EmulatedKubectl) -> None:
    if missing := kubectl.dangling():
        shown = "; ".join(missing[:_MOST_TOLD])
        raise TrainyardError(f"manifests refer to what is not there: {shown}", where="manifests/")


def _refuse_missing_devices(kubectl: EmulatedKubectl, spec: Spec) -> None:
    nodes = kubectl.get("nodes")
    for launch in compute_launches(spec):
        name = node_group_name(launch.nodes)
        mine = [node for node in nodes if node["metadata"]["labels"].get(_GROUP) == name]
        if len(mine) != launch.first_nodes:
            raise TrainyardError(f"node group {name} has {len(mine)} nodes of {launch.first_nodes}", where=name)
        for node in mine:
            _refuse_lacking(node, name, job_pod(launch).devices)


def _refuse_lacking(node: Mapping[str, Any], group: str, devices: Mapping[str, int]) -> None:
    for resource, count in devices.items():
        has = int(node["status"]["allocatable"].get(resource, 0))
        if has != count:
            raise TrainyardError(
                f"node {node['metadata']['name']} of group {group} gives pods {has} {resource}, and has {count}",
                where=resource,
                hint="see that the device plugin runs there: its selector, its tolerations and its image",
            )
