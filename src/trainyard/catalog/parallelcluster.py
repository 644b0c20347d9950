"""Finds what versions of ParallelCluster support, limit and refuse, and what their images have.

Facts are known by version line, 3.16 for 3.16.1. The settings of Slurm and the limits are those of its own code.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

from trainyard.catalog import catalog_file
from trainyard.catalog.by_version import facts_of, line_of, number_of
from trainyard.catalog.parallelcluster_records import ImageVersion, Limits, ParallelClusterLists, RefusedSlurmSettings
from trainyard.catalog.source import merge_facts

_LOCKS = Path(__file__).parents[1] / "edge/pcluster_locks"  # a file for each version, by its name
Level = Literal["cluster", "queue", "compute_resource"]
"""Where a setting of Slurm stands."""


ImageComponent = Literal["efa-installer", "nvidia-driver", "slurm"]
"""What the catalog knows of the images."""


class VersionRange(NamedTuple):
    """Between which versions that of an image lies; the same twice where it is known."""

    least: str
    most: str | None
    """None where nothing is known about a later version of ParallelCluster."""

    def in_words(self) -> str:
        """Return it as people say it."""
        return self.least if self.least == self.most else f"from {self.least} to {self.most or 'a later one'}"


def supported_oses(version: str) -> tuple[str, ...] | None:
    """Return the operating systems of a version such as 3.16.1, or None where its line, 3.16, is unknown."""
    line = _lists().lines.get(line_of(version))
    return None if line is None else line.supported_oses


def first_line_with(family: str) -> str | None:
    """Return the first line that supports a family of instance types, None where every known line does."""
    return next((line for line, lists in _lists().lines.items() if family in lists.new_families), None)


def is_older(version: str, line: str) -> bool:
    """Return whether a version comes before a line; never where its own line is unknown."""
    own = line_of(version)
    return own in _lists().lines and number_of(own) < number_of(line)


def known_versions() -> tuple[str, ...]:
    """Return the version lines with facts, such as 3.16, oldest first."""
    return tuple(sorted(_lists().lines, key=number_of))


@cache
def locked_versions() -> tuple[str, ...]:
    """Return the versions that trainyard can install and call, with the lock of each, oldest first."""
    return tuple(sorted((file.stem for file in _LOCKS.glob("*.txt")), key=number_of))


def reserved_mounts() -> tuple[str, ...]:
    """Return the directories that ParallelCluster keeps for itself, the same ones in every known version."""
    return _lists().reserved_mounts


def limits(version: str) -> Limits | None:
    """Return the limits of a version, or None where its line is unknown."""
    return _limits(line_of(version))


def refused_settings(version: str, level: Level, *, accounting: bool = False) -> frozenset[str] | None:
    """Return the settings of Slurm refused at a level, in lower case; None where the version's line is unknown.

    Accounting adds settings at the level of the cluster and changes nothing elsewhere.
    """
    refused = _refused_settings(line_of(version))
    if refused is None:
        return None
    settings: tuple[str, ...] = getattr(refused, level)
    return frozenset(settings + refused.accounting if accounting and level == "cluster" else settings)


def version_in_images(component: ImageComponent, version: str) -> VersionRange | None:
    """Return which version of a component the images of a version of ParallelCluster have; None where nothing says so.

    No release has ever gone back.
    """
    if line_of(version) not in known_versions():
        return None
    releases = image_releases(component)
    before = [image for release, image in releases.items() if number_of(release) <= number_of(version)]
    if not before:
        return None
    if releases.get(version) is before[-1]:
        return VersionRange(before[-1].version, before[-1].version)
    later = next((image for release, image in releases.items() if number_of(release) > number_of(version)), None)
    return VersionRange(before[-1].version, None if later is None else later.former or later.version)


@cache
def image_releases(component: ImageComponent) -> Mapping[str, ImageVersion]:
    """Return what the images of each release have that changes a component, oldest first."""
    data = catalog_file.content(catalog_file.FOLDER / "image_versions.yaml")
    releases = data["components"][component]
    images = {
        release: merge_facts(releases[release], f"catalog/image_versions.yaml ({component}, {release})")
        for release in sorted(releases, key=number_of)
    }
    return catalog_file.validated({"sources": data["sources"], "image_versions": images}).image_versions or {}


@cache
def _lists() -> ParallelClusterLists:
    where = "catalog/parallelcluster.yaml"
    data = catalog_file.content(catalog_file.FOLDER / "parallelcluster.yaml")
    lines = {line: merge_facts(facts, f"{where} ({line})") for line, facts in data["lines"].items()}
    lists = {"lines": lines, **merge_facts(data["every_version"], where)}
    file = catalog_file.validated({"sources": data["sources"], "parallelcluster": lists})
    assert file.parallelcluster is not None  # noqa: S101  it was given in the line above
    return file.parallelcluster


@cache
def _limits(line: str) -> Limits | None:
    data = catalog_file.content(catalog_file.FOLDER / "parallelcluster_limits.yaml")
    facts = facts_of(data, line, "catalog/parallelcluster_limits.yaml")
    return catalog_file.validated({"sources": data["sources"], "limits": facts}).limits


@cache
def _refused_settings(line: str) -> RefusedSlurmSettings | None:
    data = catalog_file.content(catalog_file.FOLDER / "slurm_settings.yaml")
    facts = facts_of(data, line, "catalog/slurm_settings.yaml")
    return catalog_file.validated({"sources": data["sources"], "refused_slurm_settings": facts}).refused_slurm_settings
