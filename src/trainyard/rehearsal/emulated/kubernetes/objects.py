"""The objects that a cluster holds, by kind, namespace and name; with what a new cluster of EKS has already."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from trainyard.rehearsal.emulated.eks.state import EmulatedEksCluster, now

Key = tuple[str, str, str]
"""Resource, such as daemonsets.apps, namespace and name."""
EKS = "eks"
"""The field manager of what EKS puts there."""
_DEFINITIONS = "customresourcedefinitions.apiextensions.k8s.io"
_SET = re.compile(r"(\S+)\s+(in|notin)\s+\(([^)]*)\)")
_PARTS = re.compile(r",(?![^(]*\))")
_OBJECTS: dict[str, Objects] = {}


class PodEnd(NamedTuple):
    """The end of a container, or of its pod."""

    code: int
    reason: str
    """Why the pod was ended from outside, such as Evicted; empty where its container ended by itself."""
    at: str

    @property
    def has_failed(self) -> bool:
        """Whether it is one that a restart policy is for."""
        return bool(self.code or self.reason)


class JobEnd(NamedTuple):
    """The end of a job of an operator."""

    condition: str
    """Succeeded or Failed; of a JobSet Completed or Failed."""
    message: str
    at: str
    pods: tuple[str, ...]
    """The names of its pods that stay."""
    reason: str = ""
    """In the words of its controller; empty where these are its kind and the condition."""


class Restart(NamedTuple):
    """A restart of a JobSet."""

    at: str
    reason: str
    message: str
    is_counted: bool
    """Whether it is one of those that its failure policy allows it."""


class Objects:
    """What one cluster holds."""

    def __init__(self) -> None:
        """Begin with what a new cluster has."""
        self._held: dict[Key, dict[str, Any]] = {}
        self._managers: dict[Key, str] = {}
        self.node_changes: dict[str, dict[str, Any]] = {}
        """What somebody has applied to nodes, by their uids: nodes themselves are instances."""
        self.placed: dict[str, str] = {}
        """The uids of the nodes that pods stand on, by their own: they stay there when it takes no more."""
        self.container_ends: dict[str, list[PodEnd]] = {}
        """Containers that were started again in place, by the uids of pods."""
        self.pod_ends: dict[str, PodEnd] = {}
        """Pods that have ended, by their uids."""
        self.replaced: dict[str, list[str]] = {}
        """When pods were made anew, by what the first of them was known by."""
        self.job_ends: dict[str, JobEnd] = {}
        """Jobs of operators that are over, by their uids."""
        self.restarting: dict[str, tuple[str, str]] = {}
        """Why and when jobs of operators have started pods anew, by their uids."""
        self.job_set_restarts: dict[str, list[Restart]] = {}
        """How JobSets were started again, by their uids."""
        self.job_failures: dict[str, int] = {}
        """How many pods of the Jobs of JobSets have failed, by the uids of the Jobs."""
        self.failed_jobs: dict[str, tuple[str, str]] = {}
        """Reason and message of the Jobs of JobSets that have failed, by their uids."""
        for document in shipped_objects("cluster"):
            self.put(document, EKS)

    def kinds(self) -> tuple[Kind, ...]:
        """Return the kinds that are known now."""
        return (*built_in(), *custom_kinds(self.of(_DEFINITIONS)))

    def kind_of(self, version: str, name: str) -> Kind | None:
        """Return a kind by its names, None where nobody knows it."""
        return next((kind for kind in self.kinds() if (kind.version, kind.name) == (version, name)), None)

    def of(self, resource: str, namespace: str | None = None) -> list[dict[str, Any]]:
        """Return the objects of a kind, of one namespace or of all."""
        keys = (key for key in self._held if key[0] == resource and namespace in (None, key[1]))
        return [self._held[key] for key in keys]

    def get(self, resource: str, namespace: str, name: str) -> dict[str, Any] | None:
        """Return an object."""
        return self._held.get((resource, namespace, name))

    def manager_of(self, key: Key) -> str | None:
        """Return who applied an object last."""
        return self._managers.get(key)

    def put(self, document: Mapping[str, Any], manager: str) -> tuple[dict[str, Any], bool]:
        """Hold an object, and return it with whether it is new. Its kind has to be known."""
        kind = self.kind_of(document["apiVersion"], document["kind"])
        assert kind is not None  # noqa: S101  # whoever calls has looked
        namespace = document["metadata"].get("namespace", "default") if kind.namespaced else ""
        key = (kind.resource, namespace, document["metadata"]["name"])
        former = self._held.get(key)
        fresh = {"uid": str(uuid.uuid4()), "creationTimestamp": now().strftime("%Y-%m-%dT%H:%M:%SZ"), "generation": 1}
        fixed = {name: former["metadata"][name] for name in fresh} if former else fresh
        metadata = {**document["metadata"], **({"namespace": namespace} if namespace else {}), **fixed}
        self._held[key] = {**document, "metadata": metadata}
        self._managers[key] = manager
        if kind.resource == "namespaces" and former is None:
            self._fill(metadata["name"])
        return self._held[key], former is None

    def remove(self, key: Key) -> bool:
        """Let go of an object and of what stands in it; return whether it was there."""
        existed = self._held.pop(key, None) is not None
        if key[0] == "namespaces":
            self._held = {key_: held for key_, held in self._held.items() if key_[1] != key[2]}
        return existed

    def replace_pod(self, uid: str, at: str) -> None:
        """Let a pod be another one from now on, of the same name; ``uid`` is that of the first."""
        self.replaced.setdefault(uid, []).append(at)

    def _fill(self, namespace: str) -> None:
        """Put what every namespace has from the start."""
        where = {"namespace": namespace}
        self.put({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", **where}}, EKS)
        self.put({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "kube-root-ca.crt", **where}}, EKS)


def objects_of(cluster: EmulatedEksCluster) -> Objects:
    """Return what a cluster holds. Add-ons bring their objects, as long as they are there."""
    held = _OBJECTS.setdefault(cluster.described["endpoint"], Objects())
    for name in cluster.addons:
        for document in shipped_objects(name):
            metadata = document["metadata"]
            kind = held.kind_of(document["apiVersion"], document["kind"])
            if kind is not None and held.get(kind.resource, metadata.get("namespace", ""), metadata["name"]) is None:
                held.put(document, EKS)
    return held


def shipped_objects(name: str) -> Iterator[dict[str, Any]]:
    """Yield the objects of a new cluster, or of an add-on: shipped/NAME.yaml."""
    yield from _documents(name)


def is_chosen(document: Mapping[str, Any], selector: str) -> bool:
    """Return whether an object has the labels of a selector: app=web,tier!=cache,gpu. An empty one takes all.

    https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors
    """
    labels = document["metadata"].get("labels") or {}
    return all(_holds(part.strip(), labels) for part in _PARTS.split(selector) if part.strip())


@cache
def _documents(name: str) -> tuple[dict[str, Any], ...]:
    file = Path(__file__).parent / "shipped" / f"{name}.yaml"
    if not file.is_file():
        return ()
    return tuple(document for document in yaml.load_all(file.read_bytes(), Loader=yaml.CSafeLoader) if document)


def _holds(part: str, labels: Mapping[str, str]) -> bool:
    if match := _SET.fullmatch(part):
        values = [value.strip() for value in match[3].split(",")]
        return (labels.get(match[1]) in values) == (match[2] == "in")
    if "!=" in part:
        key, _, value = part.partition("!=")
        return labels.get(key.strip()) != value.strip()
    if "=" in part:
        key, _, value = part.replace("==", "=").partition("=")
        return labels.get(key.strip()) == value.strip()
    return part[1:].strip() not in labels if part.startswith("!") else part in labels


class Kind(NamedTuple):
    """A kind."""

    version: str
    """Group and version: apps/v1."""
    name: str
    plural: str
    namespaced: bool

    @property
    def group(self) -> str:
        """Return the group, empty for the core."""
        return self.version.rpartition("/")[0]

    @property
    def resource(self) -> str:
        """Return what kubectl calls the objects in full: daemonsets.apps."""
        return f"{self.plural}.{self.group}" if self.group else self.plural


@cache
def built_in() -> tuple[Kind, ...]:
    """Return the kinds of every API server."""
    file = Path(__file__).with_name("kinds.yaml")
    kinds_by_version: Mapping[str, Mapping[str, Any]] = yaml.load(file.read_bytes(), Loader=yaml.CSafeLoader)
    return tuple(
        Kind(version, name, **facts) for version, kinds in kinds_by_version.items() for name, facts in kinds.items()
    )


def custom_kinds(definitions: Iterable[Mapping[str, Any]]) -> tuple[Kind, ...]:
    """Return the kinds of custom resource definitions, one for each version that is served."""
    return tuple(
        Kind(
            f"{spec['group']}/{version['name']}",
            spec["names"]["kind"],
            spec["names"]["plural"],
            spec["scope"] != "Cluster",
        )
        for spec in (definition["spec"] for definition in definitions)
        for version in spec["versions"]
        if version.get("served")
    )
