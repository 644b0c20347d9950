"""Finds until when others support what clusters are made of: Kubernetes, operating systems, drivers, runtimes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from trainyard.catalog import catalog_file, deployment_file, kubernetes_versions
from trainyard.catalog.kubernetes_version import KubernetesVersion
from trainyard.catalog.source import Source, merge_facts, sources_by_fact

_SECTIONS = {
    "operating_systems": "operating system {}",
    "nvidia_driver_branches": "NVIDIA drivers of R{}",
    "lambda_runtimes": "Lambda runtime {}",
}
_KUBERNETES = {"standard_until": "standard support", "extended_until": "extended support"}
_WHERE = "catalog/support_ends.yaml"


class SupportEnd(NamedTuple):
    """The end of some support."""

    of: str
    """What is supported, in words."""
    until: date
    """The last day."""
    source: str
    """URL of who says so."""
    component: tuple[str, str]
    """The kind of what is supported, a section of support_ends.yaml or kubernetes, and which of them it is."""


def support_ends() -> tuple[SupportEnd, ...]:
    """Return every end that the catalog knows, the earliest first."""
    return tuple(sorted((*_of_kubernetes(), *_of_others()), key=lambda end: (end.until, end.of)))


def _of_kubernetes() -> Iterator[SupportEnd]:
    for version in kubernetes_versions.known_versions():
        facts = kubernetes_versions.find_version(version)
        sources = kubernetes_versions.sources_of(version)
        assert isinstance(facts, KubernetesVersion)  # noqa: S101  it is among the known ones
        for fact, words in _KUBERNETES.items():
            until = date.fromisoformat(getattr(facts, fact))
            of, component = f"{words} of Kubernetes {version} on Amazon EKS", ("kubernetes", version)
            yield SupportEnd(of, until, sources[fact].url, component)


def _of_others() -> Iterator[SupportEnd]:
    data = catalog_file.content(catalog_file.FOLDER / "support_ends.yaml")
    for section, words in _SECTIONS.items():
        facts = {name: merge_facts(by_source, _WHERE) for name, by_source in data[section].items()}
        file = deployment_file.validated({"sources": data["sources"], "support_ends": facts})
        for name, end in (file.support_ends or {}).items():
            source: Source = sources_by_fact(data[section][name], file.sources, _WHERE)["until"]
            yield SupportEnd(words.format(name), date.fromisoformat(end.until), source.url, (section, name))
