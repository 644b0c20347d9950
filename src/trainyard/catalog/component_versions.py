"""Finds the versions of software that the catalog knows, and what comes with which. It never makes up one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from trainyard.catalog import catalog_file
from trainyard.catalog.kubernetes_addons import version_of
from trainyard.catalog.kubernetes_versions import known_versions as kubernetes_versions
from trainyard.catalog.parallelcluster import VersionRange, image_releases, version_in_images
from trainyard.catalog.source import merge_facts
from trainyard.catalog.version_conflict import Component
from trainyard.catalog.version_conflicts import number_of

_PATH = catalog_file.FOLDER / "component_versions.yaml"
_IN_IMAGES: tuple[Component, ...] = ("efa-installer", "nvidia-driver", "slurm")
_IN_MANIFESTS: tuple[Component, ...] = ("efa-device-plugin", "nvidia-device-plugin")


@cache
def known_versions(component: Component) -> tuple[str, ...]:
    """Return every version of a component that any file of the catalog has, the newest first; none where none has."""
    # The Fabric Manager has no versions of its own: it is published with each driver.
    # https://docs.nvidia.com/datacenter/tesla/fabric-manager-user-guide/
    names: set[str] = set(_versions("nvidia-driver" if component == "fabric-manager" else component))
    return tuple(sorted(names, key=number_of, reverse=True))


def brought_versions(component: Component, version: str) -> Mapping[Component, VersionRange]:
    """Return what comes with a version of a component, where a source says so, as exactly as it does."""
    if component == "parallelcluster":
        in_images = {name: version_in_images(name, version) for name in _IN_IMAGES}  # type: ignore[arg-type]  # the three
        return {name: image for name, image in in_images.items() if image is not None}
    releases = _content()["brings"].get(component, {})
    facts = merge_facts(releases.get(version, {}), f"catalog/component_versions.yaml ({component}, {version})")
    return {name: VersionRange(brought, brought) for name, brought in facts.items()}  # type: ignore[misc]  # a component


def _versions(component: Component) -> Iterator[str]:
    for versions in _content()["versions"].get(component, {}).values():
        yield from versions
    if component == "parallelcluster":
        yield from {release for name in _IN_IMAGES for release in image_releases(name)}
    if component in _IN_IMAGES:
        yield from (image.version for image in image_releases(component).values())
    if component == "kubernetes":
        yield from kubernetes_versions()
    if component in _IN_MANIFESTS:
        yield version_of(component)


@cache
def _content() -> dict[str, Any]:
    content: dict[str, Any] = catalog_file.content(_PATH)
    return content
