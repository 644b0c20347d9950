"""The files of an environment beside those of its stacks: what its monitoring instance reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trainyard.render.bench.job import BenchJob
from trainyard.render.cloudformation.stack import Stack
from trainyard.render.collection import instance_documents as collection
from trainyard.render.node_image import NodeImage
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec

__all__ = [
    "bench_file_name",
    "bench_files",
    "cluster_documents",
    "collection",
    "container_images",
    "manifests",
    "node_image_config",
    "node_images",
    "stacks",
]


def cluster_documents(spec: Spec, ids: Ids) -> dict[str, Any]:
    """Return nothing: there is no cluster."""
    del spec, ids
    return {}


def manifests(spec: Spec, ids: Ids) -> dict[str, str]:
    """Return nothing: there is no Kubernetes."""
    del spec, ids
    return {}


def stacks(spec: Spec, ids: Ids) -> Sequence[Stack]:
    """Return nothing beyond what clusters have too."""
    del spec, ids
    return ()


def container_images(spec: Spec) -> dict[str, bytes]:
    """Return nothing: no job runs here."""
    del spec
    return {}


def node_images(spec: Spec) -> tuple[NodeImage, ...]:
    """Return nothing: there are no nodes."""
    del spec
    return ()


def node_image_config(spec: Spec, image: NodeImage, ids: Ids, parent: str) -> dict[str, Any]:
    """Return nothing: there is no image to build."""
    del spec, image, ids, parent
    return {}


def bench_file_name(job: BenchJob) -> str:
    """Return what a test is called of which there is none."""
    return job.id


def bench_files(spec: Spec, jobs: Sequence[BenchJob]) -> dict[str, bytes]:
    """Return nothing: there is no node to measure."""
    del spec, jobs
    return {}
