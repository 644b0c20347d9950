"""Finds which EFA installer ParallelCluster's official images have."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from trainyard.catalog import catalog_file
from trainyard.catalog.by_version import line_of, number_of
from trainyard.catalog.image_efa import ImageEfa
from trainyard.catalog.parallelcluster import known_versions
from trainyard.catalog.source import Source, merged, sources_by_fact

_PATH = catalog_file.FOLDER / "image_efa.yaml"
_WHERE = "catalog/image_efa.yaml"


class InstallerRange(NamedTuple):
    """Between which versions of the EFA installer that of an image lies; the same twice where it is known."""

    least: str
    most: str | None
    """None where nothing is known about a later version of ParallelCluster."""


def efa_of_images(version: str) -> InstallerRange | None:
    """Return what the images of a version of ParallelCluster have; None where nothing says so.

    The installer of images never goes back from one release to the next.
    """
    if line_of(version) not in known_versions():
        return None
    wanted = number_of(version)
    before = [image_efa for known, image_efa in _images().items() if number_of(known) <= wanted]
    return InstallerRange(before[-1].installer, _most(version, before[-1])) if before else None


def sources_of(version: str) -> Mapping[str, Source]:
    """Return fact and source of a version that the catalog names; empty for every other one."""
    data = catalog_file.content(_PATH)
    sources = catalog_file.validated({"sources": data["sources"]}).sources
    return sources_by_fact(data["versions"].get(version, {}), sources, f"{_WHERE} ({version})")


def _most(version: str, last: ImageEfa) -> str | None:
    """Return the version itself where the catalog names it, else what the next one that it names found before it."""
    if _images().get(version) is last:
        return last.installer
    wanted = number_of(version)
    later = next((image_efa for known, image_efa in _images().items() if number_of(known) > wanted), None)
    return None if later is None else later.former or later.installer


@cache
def _images() -> Mapping[str, ImageEfa]:
    data = catalog_file.content(_PATH)
    images = {
        version: merged(data["versions"][version], f"{_WHERE} ({version})")
        for version in sorted(data["versions"], key=number_of)
    }
    return catalog_file.validated({"sources": data["sources"], "image_efa": images}).image_efa or {}
