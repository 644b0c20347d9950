"""Finds what is known about versions of Kubernetes on Amazon EKS."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from trainyard.catalog import catalog_file
from trainyard.catalog.by_version import number_of
from trainyard.catalog.kubernetes_version import KubernetesVersion
from trainyard.catalog.source import Source, merged, sources_by_fact

_PATH = catalog_file.FOLDER / "kubernetes_versions.yaml"
_WHERE = "catalog/kubernetes_versions.yaml"


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
    versions = {
        name: {"name": name, **merged(facts, f"{_WHERE} ({name})")} for name, facts in _content()["versions"].items()
    }
    file = catalog_file.validated({"sources": _content()["sources"], "kubernetes_versions": versions})
    return file.kubernetes_versions or {}


@cache
def _content() -> dict[str, Any]:
    found: dict[str, Any] = catalog_file.content(_PATH)
    return found
