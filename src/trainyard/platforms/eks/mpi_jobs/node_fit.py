"""Whether the nodes of a cluster of Kubernetes can take an MPIJob: there, ready, and with what its workers ask for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from trainyard.edge.kubernetes.kubectl import Kubectl

_KEEP_AWAY = ("NoSchedule", "NoExecute")
# What pods ask for that a node with the right device plugins and NodeConfig offers.
_DEVICES = ("nvidia.com/gpu", "vpc.amazonaws.com/efa", "hugepages-2Mi")
_MOST_TOLD = 4
_AMOUNT = re.compile(r"([0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?)(m|[kMGTPE]|[KMGTPE]i)?")
_DECIMAL = {"m": 1e-3, "k": 1e3, **{letter: 1e3 ** (power + 2) for power, letter in enumerate("MGTPE")}}
_BINARY = {f"{letter}i": 1024.0 ** (power + 1) for power, letter in enumerate("KMGTPE")}


class Fit(NamedTuple):
    """Nodes of the kind that a job wants."""

    workers: int
    candidates: int
    fit: int
    reasons: tuple[str, ...]
    """Why the others are not, each with how many it holds for."""
    lacks_devices: bool

    @property
    def enough(self) -> bool:
        """Return whether the job can be placed once nobody else has the nodes."""
        return self.fit >= self.workers

    @property
    def words(self) -> str:
        """Return how many there are, and what is the matter with them."""
        return f"of {self.candidates}, {'; '.join(self.reasons)}" if self.reasons else f"there are {self.candidates}"


def fit_in(kubectl: Kubectl, mpi_job: Mapping[str, Any]) -> Fit:
    """Return how many nodes of a cluster can take a worker of the job, whoever has them now."""
    return fit(mpi_job, kubectl.get("nodes", selector=_selector(mpi_job)))


def fit(mpi_job: Mapping[str, Any], nodes: Sequence[Mapping[str, Any]]) -> Fit:
    """Return how many of the nodes can take a worker of the job, whoever has them now."""
    pod = _worker(mpi_job)
    meant = [node for node in nodes if _has_labels(node, pod["nodeSelector"])]
    problems = [list(_problems(node, pod)) for node in meant]
    counted = Counter(problem for of_node in problems for problem in of_node[:1])
    reasons = tuple(f"{count} {problem}" for problem, count in counted.most_common(_MOST_TOLD))
    devices = any(device in problem for problem in counted for device in _DEVICES)
    replicas = mpi_job["spec"]["mpiReplicaSpecs"]["Worker"]["replicas"]
    return Fit(replicas, len(meant), sum(not problem for problem in problems), reasons, devices)


def holders(kubectl: Kubectl, mpi_job: Mapping[str, Any]) -> str:
    """Return in words whose pods have the devices of the nodes that a job wants."""
    names = {node["metadata"]["name"] for node in kubectl.get("nodes", selector=_selector(mpi_job))}
    devices = {name for name in _requests(_worker(mpi_job)) if "/" in name}
    pods = [
        f"{pod['metadata'].get('namespace')}/{pod['metadata']['name']}"
        for pod in kubectl.get("pods")
        if (pod.get("spec") or {}).get("nodeName") in names
        and (pod.get("status") or {}).get("phase") in {"Pending", "Running"}
        and devices & _requests(pod["spec"])
    ]
    more = f" and {len(pods) - _MOST_TOLD} more" if len(pods) > _MOST_TOLD else ""
    return f"their devices are taken by {', '.join(pods[:_MOST_TOLD])}{more}" if pods else "nobody has their devices"


def _worker(mpi_job: Mapping[str, Any]) -> Mapping[str, Any]:
    pod: Mapping[str, Any] = mpi_job["spec"]["mpiReplicaSpecs"]["Worker"]["template"]["spec"]
    return pod


def _selector(mpi_job: Mapping[str, Any]) -> str:
    return ",".join(f"{key}={value}" for key, value in _worker(mpi_job)["nodeSelector"].items())


def _requests(pod: Mapping[str, Any]) -> set[str]:
    containers = pod.get("containers") or ()
    return {name for container in containers for name in (container.get("resources") or {}).get("requests") or ()}


def _has_labels(node: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    has = node.get("metadata", {}).get("labels") or {}
    return all(has.get(key) == value for key, value in labels.items())


def _problems(node: Mapping[str, Any], pod: Mapping[str, Any]) -> Iterator[str]:
    spec, status = node.get("spec") or {}, node.get("status") or {}
    if not any(
        condition.get("type") == "Ready" and condition.get("status") == "True"
        for condition in status.get("conditions") or ()
    ):
        yield "not ready"
    if spec.get("unschedulable"):
        yield "cordoned"
    for taint in spec.get("taints") or ():
        if taint.get("effect") in _KEEP_AWAY and not any(
            _tolerates(toleration, taint) for toleration in pod["tolerations"]
        ):
            yield f"with the taint {taint.get('key')}"
    allocatable = status.get("allocatable") or {}
    for resource, quantity in pod["containers"][0]["resources"]["requests"].items():
        has = allocatable.get(resource, "0")
        if amount(has) < amount(quantity):
            yield f"with {has} of {quantity} {resource}"


def _tolerates(toleration: Mapping[str, str], taint: Mapping[str, str]) -> bool:
    """Return whether a toleration holds. https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/."""
    same_effect = toleration.get("effect") in (None, taint.get("effect"))
    same_value = toleration.get("operator") == "Exists" or toleration.get("value") == taint.get("value")
    return same_effect and same_value and toleration.get("key") in (None, taint.get("key"))


def amount(written: object) -> float:
    """Return an amount in its own unit: processors, bytes or devices. What is none counts as nothing."""
    match = _AMOUNT.fullmatch(str(written))
    if match is None:
        return 0.0
    return float(match[1]) * ({**_DECIMAL, **_BINARY}[match[2]] if match[2] else 1.0)
