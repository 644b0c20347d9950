"""The pods that workloads want: their controllers and operators make them, where those run."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from trainyard.rehearsal.emulated.kubernetes.objects import Objects

DEFAULT_POLICY = "OnFailure"
"""Of a PyTorchJob's replicas: https://github.com/kubeflow/training-operator/blob/v1.9.0/pkg/apis/kubeflow.org/v1/pytorch_types.go."""


class ControllerPod(NamedTuple):
    """A pod that something wants."""

    name: str
    owner: Mapping[str, Any]
    template: Mapping[str, Any]
    node: str = ""
    """The node that it is for; empty where any will do."""
    labels: Mapping[str, str] = {}

    @property
    def namespace(self) -> str:
        """Return where it stands."""
        return str(self.owner["metadata"]["namespace"])

    @property
    def spec(self) -> Mapping[str, Any]:
        """Return what it is to be."""
        spec: Mapping[str, Any] = self.template["spec"]
        return spec


def of_daemon_set(daemon_set: Mapping[str, Any], node: str) -> ControllerPod:
    """Return the pod of a DaemonSet on a node."""
    name = daemon_set["metadata"]["name"]
    return ControllerPod(f"{name}-{_letters(name, node)}", daemon_set, daemon_set["spec"]["template"], node)


def workload_pods(objects: Objects) -> Iterator[ControllerPod]:
    """Yield the pods of all other workloads, in the order in which these are told of here."""
    for resource, pods in _CONTROLLERS.items():
        for owner in objects.of(resource):
            yield from pods(owner)


def of_operators(objects: Objects, running: set[str]) -> Iterator[ControllerPod]:
    """Yield the pods of jobs whose operator runs; ``running`` has the names of Deployments that do."""
    for resource, (operator, pods) in _OPERATORS.items():
        if operator in running:
            for owner in objects.of(resource):
                end = objects.job_ends.get(owner["metadata"]["uid"])
                yield from (pod for pod in pods(owner) if end is None or pod.name in end.pods)


def _of_deployment(owner: Mapping[str, Any]) -> Iterator[ControllerPod]:
    name = owner["metadata"]["name"]
    for number in range(owner["spec"].get("replicas", 1)):
        end = f"{_letters(name, 'replicas', 10)}-{_letters(name, str(number))}"
        yield ControllerPod(f"{name}-{end}", owner, owner["spec"]["template"])


def _of_stateful_set(owner: Mapping[str, Any]) -> Iterator[ControllerPod]:
    for number in range(owner["spec"].get("replicas", 1)):
        yield ControllerPod(f"{owner['metadata']['name']}-{number}", owner, owner["spec"]["template"])


def _of_job(owner: Mapping[str, Any]) -> Iterator[ControllerPod]:
    name = owner["metadata"]["name"]
    for number in range(owner["spec"].get("parallelism", 1)):
        yield ControllerPod(f"{name}-{_letters(name, str(number))}", owner, owner["spec"]["template"])


def _bare(owner: Mapping[str, Any]) -> Iterator[ControllerPod]:
    yield ControllerPod(owner["metadata"]["name"], owner, owner)


def _of_mpi_job(owner: Mapping[str, Any]) -> Iterator[ControllerPod]:
    """Yield the workers first: the launcher waits for them.

    https://github.com/kubeflow/mpi-operator/blob/v0.7.0/pkg/controller/mpi_job_controller.go
    """
    name, roles = owner["metadata"]["name"], owner["spec"]["mpiReplicaSpecs"]
    for number in range(roles["Worker"].get("replicas", 1)):
        yield ControllerPod(
            f"{name}-worker-{number}", owner, roles["Worker"]["template"], labels=_role(name, "worker", number)
        )
    launcher = f"{name}-launcher-{_letters(name, 'launcher')}"
    yield ControllerPod(launcher, owner, roles["Launcher"]["template"], labels=_role(name, "launcher", 0))


def _of_pytorch_job(owner: Mapping[str, Any]) -> Iterator[ControllerPod]:
    """Yield the pods, with the restart policy of their replicas; what ExitCode asks for, the operator does itself.

    https://github.com/kubeflow/training-operator/blob/v1.9.0/pkg/controller.v1/common/pod.go
    """
    name = owner["metadata"]["name"]
    for role, replicas in owner["spec"]["pytorchReplicaSpecs"].items():
        policy = replicas.get("restartPolicy", DEFAULT_POLICY)
        of_pod = {"restartPolicy": "Never" if policy == "ExitCode" else policy}
        template = {**replicas["template"], "spec": {**replicas["template"]["spec"], **of_pod}}
        for number in range(replicas.get("replicas", 1)):
            kind = role.lower()
            yield ControllerPod(f"{name}-{kind}-{number}", owner, template, labels=_role(name, kind, number))


def _role(job: str, role: str, number: int) -> dict[str, str]:
    prefix = "training.kubeflow.org/"
    return {f"{prefix}job-name": job, f"{prefix}job-role": role, f"{prefix}replica-index": str(number)}


def _letters(name: str, more: str, length: int = 5) -> str:
    return hashlib.sha256(f"{name} {more}".encode()).hexdigest()[:length]


_CONTROLLERS: dict[str, Callable[[Mapping[str, Any]], Iterator[ControllerPod]]] = {
    "deployments.apps": _of_deployment,
    "statefulsets.apps": _of_stateful_set,
    "jobs.batch": _of_job,
    "pods": _bare,
}
_OPERATORS: dict[str, tuple[str, Callable[[Mapping[str, Any]], Iterator[ControllerPod]]]] = {
    "mpijobs.kubeflow.org": ("mpi-operator", _of_mpi_job),
    "pytorchjobs.kubeflow.org": ("training-operator", _of_pytorch_job),
}
