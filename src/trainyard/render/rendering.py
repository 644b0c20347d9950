"""What rendering gives, and which function renders which platform."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from trainyard.platforms.eks.rendering.cluster import cluster as eks_cluster
from trainyard.platforms.eks.rendering.manifests import documents as documents_of
from trainyard.platforms.eks.rendering.manifests import manifest_texts
from trainyard.platforms.parallelcluster.rendering.cluster import cluster
from trainyard.render.cloudformation.stack import Stack
from trainyard.render.cloudformation.stacks import stacks
from trainyard.render.collection import collection
from trainyard.render.nodes import node_plan
from trainyard.render.stand_ins import Ids, StandIn
from trainyard.spec.cluster import Spec

MANIFESTS = "manifests/"
"""What the names of manifests begin with."""


@dataclass(frozen=True, slots=True)
class Rendering:
    """The documents and stacks of a spec, and the ids in them that a deployment has to fill in."""

    documents: dict[str, Any]
    """By file name: a mapping, or a list of mappings for a file of several documents."""
    manifests: dict[str, str]
    """By file name: those of the documents that are manifests, as text with the comments of their native files."""
    stacks: tuple[Stack, ...]
    """In the order in which they are made, all of them before a cluster that is no stack."""
    stand_ins: tuple[StandIn, ...]
    outputs: frozenset[str]
    """Names of the stack outputs that documents and stacks use, known or not."""


def render(spec: Spec, outputs: Mapping[str, str]) -> Rendering:
    """Return the documents of a spec. ``outputs`` are the outputs of its stacks by name, as far as they are known.

    Raises TrainyardError for a platform that cannot be rendered yet.
    """
    ids = Ids(outputs)
    documents: dict[str, Any] = collection(spec, ids) if spec.is_environment else PLATFORMS[spec.platform](spec, ids)
    manifests = _manifests(spec, ids)
    documents |= {name: documents_of(text) for name, text in manifests.items()}
    made = stacks(spec, ids)
    if spec.installs_anything:
        node_plan(spec, ids)  # lies in the bundle too, so what it asks for counts
    return Rendering(documents, manifests, made, ids.in_order(), frozenset(ids.used))


def _manifests(spec: Spec, ids: Ids) -> dict[str, str]:
    if spec.platform != "eks" or spec.is_environment:
        return {}
    return {f"{MANIFESTS}{name}": text for name, text in manifest_texts(spec, ids).items()}


def _parallelcluster(spec: Spec, ids: Ids) -> dict[str, dict[str, Any]]:
    return {"cluster.yaml": cluster(spec, ids), **collection(spec, ids)}


def _batch(spec: Spec, ids: Ids) -> dict[str, dict[str, Any]]:
    """Return the documents beside the stack of Batch, which is the cluster."""
    return collection(spec, ids)


def _eks(spec: Spec, ids: Ids) -> dict[str, Any]:
    """Return the documents beside the manifests."""
    return {"cluster.yaml": eks_cluster(spec, ids), **collection(spec, ids)}


PLATFORMS: dict[str, Callable[[Spec, Ids], dict[str, dict[str, Any]]]] = {
    "parallelcluster": _parallelcluster,
    "batch": _batch,
    "eks": _eks,
}
