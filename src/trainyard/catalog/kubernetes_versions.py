"""Finds what is known about versions of Kubernetes on Amazon EKS, and whether EKS supports them.

Rules have no clock, so that a spec is judged the same on every day: support is that of the day on which the catalog was
last compared. `deploy` asks AWS.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from functools import cache
from typing import Any, Literal, NamedTuple

from trainyard.catalog import catalog_file
from trainyard.catalog.by_version import line_of, number_of
from trainyard.catalog.kubernetes_version import KubernetesVersion
from trainyard.catalog.source import Source, merged_by_name, sources_by_fact

_PATH = catalog_file.FOLDER / "kubernetes_versions.yaml"
_WHERE = "catalog/kubernetes_versions.yaml"
HALF_A_YEAR_DAYS = 182
"""How long a version should still be in standard support when a cluster is made of it."""


def find_version(name: str) -> KubernetesVersion | None:
    """Return what is known about a version such as 1.35, None where nothing is."""
    return _versions().get(name)


def known_versions() -> tuple[str, ...]:
    """Return the versions with facts, oldest first, whether they are still supported or not."""
    return tuple(sorted(_versions(), key=number_of))


@cache
def sources_of(name: str) -> Mapping[str, Source]:
    """Return fact and source of a version; empty where the catalog has no facts."""
    sources = catalog_file.validated({"sources": _content()["sources"]}).sources
    return sources_by_fact(_content()["versions"].get(name, {}), sources, f"{_WHERE} ({name})")


@cache
def _versions() -> Mapping[str, KubernetesVersion]:
    versions = merged_by_name(_content()["versions"], _WHERE)
    file = catalog_file.validated({"sources": _content()["sources"], "kubernetes_versions": versions})
    return file.kubernetes_versions or {}


@cache
def _content() -> dict[str, Any]:
    found: dict[str, Any] = catalog_file.content(_PATH)
    return found


class Support(NamedTuple):
    """The support of a version."""

    state: Literal["standard", "extended", "ended", "unknown"]
    until: str | None
    """The day on which this state ends, or for ``ended`` the day on which it began; None where nobody knows."""
    as_of: str
    """The day of the comparison."""


def support_of(version: str) -> Support:
    """Return the support of a version. One older than all of the catalog's has ended, a newer one is unknown."""
    known = known_versions()
    facts = find_version(version)
    as_of = max(source.read for source in sources_of(known[-1]).values())
    if facts is None:
        return Support("ended" if is_older(version, known[0]) else "unknown", None, as_of)
    if as_of < facts.standard_until:
        return Support("standard", facts.standard_until, as_of)
    if as_of < facts.extended_until:
        return Support("extended", facts.extended_until, as_of)
    return Support("ended", facts.extended_until, as_of)


def is_older(version: str, other: str) -> bool:
    """Return whether a minor version of Kubernetes came before another; not so where one of the texts is none."""
    are_versions = all(text and line_of(text) == text for text in (version, other))
    return are_versions and number_of(version) < number_of(other)


def versions_in_standard_support() -> tuple[str, ...]:
    """Return the versions that a cluster costs the least with, oldest first."""
    return tuple(version for version in known_versions() if support_of(version).state == "standard")


def days_left(support: Support) -> int | None:
    """Return how many days of standard support are left; None where a version is not in it."""
    if support.state != "standard" or support.until is None:
        return None
    return (date.fromisoformat(support.until) - date.fromisoformat(support.as_of)).days


def recommended_versions() -> tuple[str, ...]:
    """Return the versions for new clusters, oldest first: those with half a year of standard support, if there are."""
    supported = versions_in_standard_support()
    lasting = tuple(version for version in supported if (days_left(support_of(version)) or 0) >= HALF_A_YEAR_DAYS)
    return lasting or supported
