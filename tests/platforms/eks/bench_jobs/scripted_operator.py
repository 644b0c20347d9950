"""A cluster of EKS whose MPI operator goes through a script: each look at a run is its next step.

Objects are as Kubernetes 1.35 and version 0.7.0 of the operator write them, without what nobody reads:
https://github.com/kubeflow/mpi-operator/blob/v0.7.0/pkg/controller/mpi_job_controller.go
https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.edge.aws.in_memory import account_in_memory
from tests.kubernetes.api_server import FakeApiServer, RefusedError, node
from tests.kubernetes.scripted_kubectl import ScriptedKubectl
from trainyard.edge.aws.account import Account
from trainyard.render.bench.mpi_job import NAMESPACE, RUN, TEST

Document = dict[str, Any]
GPU_NODE = {"trainyard/queue": "training", "node.kubernetes.io/instance-type": "p5.48xlarge"}
ALLOCATABLE = {
    "cpu": "191450m", "memory": "2063937112Ki", "pods": "100", "nvidia.com/gpu": "8", "vpc.amazonaws.com/efa": "32",
    "hugepages-2Mi": "10256Mi",
}  # fmt: skip
TAINT = {"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"}
AWAY = "Unable to connect to the server: dial tcp 10.0.4.7:443: i/o timeout"
IMAGE = "public.ecr.aws/hpc-cloud/nccl-tests:1"
_BEGIN = datetime(2026, 11, 22, 4, 0, tzinfo=UTC)


def running(*, ready: bool = True) -> Document:
    """Return the status of a pod that runs."""
    container = {"name": "main", "image": IMAGE, "ready": ready, "state": {"running": {"startedAt": "…"}}}
    return {"phase": "Running", "containerStatuses": [container]}


def unschedulable(message: str = "0/3 nodes are available: 3 Insufficient nvidia.com/gpu.") -> Document:
    """Return the status of a pod for which there is no node."""
    why = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}
    return {"phase": "Pending", "conditions": [why]}


def waiting(reason: str, message: str = "", image: str = IMAGE) -> Document:
    """Return the status of a pod whose container does not start."""
    state = {"waiting": {"reason": reason, **({"message": message} if message else {})}}
    scheduled = {"type": "PodScheduled", "status": "True"}
    container = {"name": "main", "image": image, "ready": False, "state": state}
    return {"phase": "Pending", "conditions": [scheduled], "containerStatuses": [container]}


def ended(exit_code: int = 0, reason: str = "") -> Document:
    """Return the status of a pod whose container has ended."""
    said = reason or ("Error" if exit_code else "Completed")
    state = {"terminated": {"exitCode": exit_code, "reason": said}}
    container = {"name": "main", "image": IMAGE, "ready": False, "state": state}
    return {"phase": "Failed" if exit_code else "Succeeded", "containerStatuses": [container]}


def evicted(message: str) -> Document:
    """Return the status of a pod that the kubelet has evicted."""
    return {"phase": "Failed", "reason": "Evicted", "message": message}


@dataclass
class Step:
    """How a run is at one look."""

    workers: Document | Sequence[Document] | None = None
    """The status of all workers, or of each; None for no pods."""
    launcher: Document | None = None
    """The status of the launcher; None before there is one, and after it was deleted."""
    condition: tuple[str, str, str] | None = None
    """Type, reason and message of what the operator says."""
    says: Sequence[str] = ()
    """What the launcher has said in the second before, or the first worker where there is no launcher."""
    fails: str | None = None
    """What this look is answered with instead."""


def pending(message: str = "0/3 nodes are available: 3 Insufficient nvidia.com/gpu.") -> Step:
    """Return a step in which nobody has a node."""
    return Step(unschedulable(message))


def starting(reason: str = "ContainerCreating") -> Step:
    """Return a step in which the workers start."""
    return Step(waiting(reason))


def under_way(*says: str) -> Step:
    """Return a step in which the test runs."""
    return Step(running(), running(), ("Running", "MPIJobRunning", "…"), says)


def succeeded(*says: str) -> Step:
    """Return the step of a test that came to its end; its workers are gone."""
    return Step(None, ended(), ("Succeeded", "MPIJobSucceeded", "MPIJob default/x successfully completed."), says)


def failed(launcher: Document, *says: str, workers: Sequence[Document] = (), reason: str = "") -> Step:
    """Return the step of a test that failed."""
    said = reason or "BackoffLimitExceeded/"
    return Step(workers, launcher, ("Failed", said, "Job has reached the specified backoff limit: "), says)


class ScriptedOperator(FakeApiServer):
    """An API server with nodes and an MPI operator."""

    def __init__(self) -> None:
        super().__init__()
        self.kinds.add("mpijobs")
        self.steps: dict[str, list[Step]] = {}
        """Steps by the id of the test; each look takes the first away, and the last stays."""
        self.seconds = 0
        self.rotates = False
        """Whether the node puts away what was said before, whenever more is said."""
        self.add(*(gpu_node(f"ip-10-0-16-{number}") for number in (6, 7)), operator())

    def get(self, resource: str, namespace: str | None = None, selector: str | None = None) -> list[Document]:
        """List objects; what asks for one run moves it on."""
        if resource.startswith("mpijobs") and (selector or "").startswith(RUN):
            self._move_on((selector or "").partition("=")[2])
        return super().get(resource, namespace, selector)

    def apply(self, documents: Sequence[Document], *, force_conflicts: bool = False) -> list[str]:
        """Make objects, with the time at which they were made."""
        made = [self._stamped(document) for document in documents]
        return super().apply(made, force_conflicts=force_conflicts)

    def delete(self, documents: Sequence[Document]) -> list[str]:
        """Delete objects; pods go with their job."""
        said = super().delete(documents)
        names = {document["metadata"]["name"] for document in documents if document["kind"] == "MPIJob"}
        self.objects = [one for one in self.objects if not (one["kind"] == "Pod" and _job(one) in names)]
        return said

    @property
    def runs(self) -> list[Document]:
        """Return the MPIJobs that there are."""
        return [object_ for object_ in self.objects if object_["kind"] == "MPIJob"]

    @property
    def submitted(self) -> list[Document]:
        """Return the MPIJobs that were ever applied."""
        return [one for one in self.applied if one["kind"] == "MPIJob"]

    def _stamped(self, document: Document) -> Document:
        self.seconds += 1
        return {**document, "metadata": {**document["metadata"], "creationTimestamp": self._time()}}

    def _time(self, part: str = "") -> str:
        return f"{(_BEGIN + timedelta(seconds=self.seconds)).strftime('%Y-%m-%dT%H:%M:%S')}{part}Z"

    def _move_on(self, number: str) -> None:
        run = next((run for run in self.runs if run["metadata"]["labels"][RUN] == number), None)
        if run is None:
            return
        steps = self.steps.setdefault(run["metadata"]["annotations"][TEST], [succeeded()])
        step = steps.pop(0) if len(steps) > 1 else steps[0]
        if step.fails is not None:
            raise RefusedError(step.fails)
        self.seconds += 1
        if step.condition is not None:
            type_, reason, message = step.condition
            said = {"type": type_, "status": "True", "reason": reason, "message": message}
            run["status"] = {"conditions": [{"type": "Created", "status": "True"}, said]}
        self._make_pods(run, step)

    def _make_pods(self, run: Document, step: Step) -> None:
        name, count = run["metadata"]["name"], run["spec"]["mpiReplicaSpecs"]["Worker"]["replicas"]
        self.objects = [one for one in self.objects if not (one["kind"] == "Pod" and _job(one) == name)]
        statuses = [step.workers] * count if isinstance(step.workers, dict) else list(step.workers or ())
        for at, status in enumerate(statuses):
            self.add(pod(run, "worker", f"{name}-worker-{at}", status, f"ip-10-0-16-{6 + at}"))
        if step.launcher is not None:
            self.add(pod(run, "launcher", f"{name}-launcher-abcde", step.launcher, "ip-10-0-16-6"))
        speaker = f"{name}-launcher-abcde" if step.launcher is not None else f"{name}-worker-0"
        log = self.logs.setdefault((NAMESPACE, speaker), [])
        if self.rotates and step.says:
            log.clear()
        log += [f"{self._time(f'.{at:09d}')} {line}" for at, line in enumerate(step.says)]
        step.says = ()


def gpu_node(name: str, **changes: Any) -> Document:
    """Return a node of the training nodes, with changes to what it offers."""
    made = node(f"{name}.us-east-2.compute.internal", "training")
    made["metadata"]["labels"] |= GPU_NODE
    made["status"]["allocatable"] = {**ALLOCATABLE, **changes}
    made["spec"]["taints"] = [TAINT]
    return made


def operator(*, ready: bool = True) -> Document:
    """Return the deployment of the MPI operator."""
    metadata = {"name": "mpi-operator", "namespace": "mpi-operator"}
    status = {"replicas": 1, **({"readyReplicas": 1} if ready else {})}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": {}, "status": status}


def pod(run: Mapping[str, Any], role: str, name: str, status: Document, on: str) -> Document:
    """Return a pod of a run."""
    labels = {"training.kubeflow.org/job-name": run["metadata"]["name"], "training.kubeflow.org/job-role": role}
    place = {} if unschedulable_status(status) else {"nodeName": f"{on}.us-east-2.compute.internal"}
    made = {"name": name, "namespace": NAMESPACE, "labels": labels, "creationTimestamp": "2026-11-22T04:00:00Z"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": made, "spec": {**place, "containers": []}, "status": status}


def unschedulable_status(status: Document) -> bool:
    return any(one["status"] == "False" for one in status.get("conditions", ()) if one["type"] == "PodScheduled")


def _job(document: Document) -> str:
    return str(document["metadata"].get("labels", {}).get("training.kubeflow.org/job-name"))


@dataclass
class ScriptedEks:
    """An account with the cluster lab, and what is in that."""

    account: Account
    api: ScriptedOperator = field(default_factory=ScriptedOperator)

    def __post_init__(self) -> None:
        self.kubectl = ScriptedKubectl(self.api, "lab")


@contextmanager
def scripted_eks(tags: Mapping[str, str] | None = None) -> Iterator[ScriptedEks]:
    """Hand out a cluster of the name lab, by default one of trainyard's."""
    with account_in_memory() as account:
        account.client("eks").create_cluster(
            name="lab", roleArn="arn:aws:iam::123456789012:role/lab", resourcesVpcConfig={},
            tags={"trainyard:cluster": "lab"} if tags is None else dict(tags),
        )  # fmt: skip
        yield ScriptedEks(account)
