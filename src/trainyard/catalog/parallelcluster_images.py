"""Finds how ParallelCluster's official images are called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from trainyard.catalog import catalog_file, deployment_file
from trainyard.catalog.deployment_file import ParallelClusterImage
from trainyard.catalog.source import merge_facts

_PATH = catalog_file.FOLDER / "parallelcluster_images.yaml"
_WHERE = "catalog/parallelcluster_images.yaml"


def official_image(os: str) -> ParallelClusterImage | None:
    """Return what is known about an operating system, None where the catalog does not know it."""
    return _images().get(os)


def image_name(os: str, architecture: str, version: str) -> str | None:
    """Return the pattern of the official images' names, None where the operating system is unknown."""
    image = official_image(os)
    return None if image is None else f"aws-parallelcluster-{version}-{image.name_part}-{architecture}*"


def system_of(name: str) -> str | None:
    """Return the operating system of an official image, None where the name is not one of those."""
    return next((os for os, image in _images().items() if f"-{image.name_part}-" in name), None)


def published_name_parts(systems: Iterable[str]) -> tuple[str, ...]:
    """Return the part of the names of official images for each operating system of which there are any."""
    images = filter(None, map(official_image, systems))
    return tuple(image.name_part for image in images if image.published)


@cache
def _images() -> Mapping[str, ParallelClusterImage]:
    data = catalog_file.content(_PATH)
    images = {os: {"os": os, **merge_facts(facts, f"{_WHERE} ({os})")} for os, facts in data["images"].items()}
    return deployment_file.validated({"sources": data["sources"], "official_images": images}).official_images or {}
