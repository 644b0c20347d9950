"""The API objects of a manifest and the pods they start, wherever their templates lie: one reader for every kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from trainyard.document.node import Document
from trainyard.finding import Path
from trainyard.rules.documents import mapping_in

# Beside a template they say how many pods are made of it; one within the other, they are multiplied.
_COUNTS = ("replicas", "parallelism", "size")
_CONTAINERS = ("containers", "initContainers")
# Whose pods work on one thing together, whatever else stands in them.
# https://www.kubeflow.org/docs/components/trainer/legacy-v1/user-guides/
# https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-eks-operator-usage.html
TOGETHER = frozenset({
    "PyTorchJob", "MPIJob", "TFJob", "JAXJob", "PaddleJob", "XGBoostJob", "HyperPodPyTorchJob", "TrainJob", "JobSet",
    "LeaderWorkerSet",
})  # fmt: skip
"""Kinds whose pods are parts of one job."""


class ApiObject(NamedTuple):
    """One object of the API, which may be an item of a list."""

    path: Path
    written: Mapping[str, Any]

    @property
    def kind(self) -> str:
        """Return its kind."""
        return str(self.written.get("kind"))

    @property
    def name(self) -> str:
        """Return what messages call it."""
        name = mapping_in(self.written, "metadata").get("name")
        return f"{self.kind} {name}" if isinstance(name, str) else f"this {self.kind}"

    @property
    def works_together(self) -> bool:
        """Return whether its pods are parts of one job."""
        spec = mapping_in(self.written, "spec")
        return self.kind in TOGETHER or (self.kind == "Job" and spec.get("completionMode") == "Indexed")


class Pod(NamedTuple):
    """The specification of pods: where it stands, what is written, and how many pods are made of it."""

    owner: ApiObject
    path: Path
    written: Mapping[str, Any]
    replicas: int | None
    """None where only a placeholder says so."""


class Container(NamedTuple):
    """A container with what it asks for; the trainer of a TrainJob is one, too."""

    pod: Pod
    path: Path
    written: Mapping[str, Any]
    resources_key: str = "resources"

    @property
    def resources(self) -> Mapping[str, Any]:
        """Return its requests and limits."""
        return mapping_in(self.written, self.resources_key)

    @property
    def words(self) -> tuple[str, ...]:
        """Return its command with its arguments."""
        lists = (self.written.get(key) for key in ("command", "args"))
        return tuple(str(word) for words in lists if isinstance(words, tuple) for word in words)

    @property
    def devices(self) -> frozenset[str]:
        """Return the names of the devices that it asks for, whatever their amounts."""
        written = (mapping_in(self.resources, key) for key in ("limits", "requests"))
        return frozenset(name for amounts in written for name in amounts if is_device(name))

    def amount(self, resource: str) -> int | None:
        """Return how much of a resource it asks for; 0 without a word of it, None where a placeholder says so."""
        for key in ("limits", "requests"):
            if (written := mapping_in(self.resources, key).get(resource)) is not None:
                return whole_number(written)
        return 0


def api_objects(document: Document) -> Iterator[ApiObject]:
    """Yield the objects of a document, those of lists one by one."""
    yield from _objects_in(document.value, ())


def pods(document: Document) -> Iterator[Pod]:
    """Yield every specification of pods."""
    for owner in api_objects(document):
        if owner.kind == "TrainJob":
            trainer = mapping_in(mapping_in(owner.written, "spec"), "trainer")
            yield Pod(owner, (*owner.path, "spec", "trainer"), trainer, whole_number(trainer.get("numNodes", 1)))
        elif owner.kind != "CustomResourceDefinition":
            yield from _pods_below(owner, owner.written, owner.path, 1)


def containers(document: Document) -> Iterator[Container]:
    """Yield the containers of every pod."""
    return (container for pod in pods(document) for container in containers_of(pod))


def containers_of(pod: Pod) -> Iterator[Container]:
    """Yield the containers of a pod, those that run first among them."""
    if pod.owner.kind == "TrainJob":
        yield Container(pod, pod.path, pod.written, "resourcesPerNode")
        return
    for key in _CONTAINERS:
        written = pod.written.get(key)
        for index, container in enumerate(written if isinstance(written, tuple) else ()):
            if isinstance(container, dict):
                yield Container(pod, (*pod.path, key, index), container)


def pods_with(document: Document, resource: str) -> Iterator[tuple[Pod, int]]:
    """Yield the pods that ask for a resource, and how much of it their containers take together."""
    for pod in pods(document):
        amounts = [
            container.amount(resource) for container in containers_of(pod) if "initContainers" not in container.path
        ]
        total = None if None in amounts else sum(amount or 0 for amount in amounts)
        if total:
            yield pod, total


def nodes_of_job(document: Document, pod: Pod, resource: str) -> int | None:
    """Return how many pods with a resource its job has; 1 where its pods have nothing to do with each other."""
    if not pod.owner.works_together:
        return 1
    counts = [other.replicas for other, _ in pods_with(document, resource) if other.owner.path == pod.owner.path]
    return None if None in counts else sum(count or 0 for count in counts)


def whole_number(value: Any) -> int | None:
    """Return a whole number, which may be written as text; None for a placeholder or anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    is_number = isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10
    return int(value) if is_number else None


def is_device(resource: str) -> bool:
    """Return whether a device plugin offers a resource, and not Kubernetes itself."""
    # https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/#extended-resources
    domain, slash, _ = resource.partition("/")
    return bool(slash) and not domain.endswith("kubernetes.io") and not is_placeholder(resource)


def is_placeholder(text: str) -> bool:
    """Return whether somebody has still to fill a text in."""
    return any(sign in text for sign in ("$", "{{", "<", "PLACEHOLDER"))


def _objects_in(value: Any, path: Path) -> Iterator[ApiObject]:
    if not isinstance(value, dict):
        return
    items = value.get("items")
    if str(value.get("kind")).endswith("List") and isinstance(items, tuple):
        for index, item in enumerate(items):
            yield from _objects_in(item, (*path, "items", index))
    elif isinstance(value.get("apiVersion"), str) and isinstance(value.get("kind"), str):
        yield ApiObject(path, value)


def _pods_below(owner: ApiObject, value: Any, path: Path, count: int | None) -> Iterator[Pod]:
    match value:
        case dict():
            if _is_pod_spec(value):
                yield Pod(owner, path, value, count)
                return
            for key in _COUNTS:
                if key in value and count is not None:
                    number = whole_number(value[key])
                    count = None if number is None else count * number
            for key, member in value.items():
                yield from _pods_below(owner, member, (*path, key), count)
        case tuple():
            for index, member in enumerate(value):
                yield from _pods_below(owner, member, (*path, index), count)


def _is_pod_spec(value: Mapping[str, Any]) -> bool:
    listed = value.get("containers")
    return isinstance(listed, tuple) and any(isinstance(container, dict) for container in listed)
