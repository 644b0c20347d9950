"""What Amazon EKS and eksctl limit, and what a cluster costs by the support of its version."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from trainyard.catalog import catalog_file
from trainyard.catalog.source import Source, merge_facts, sources_by_fact

_PATH = catalog_file.FOLDER / "eks_limits.yaml"


class EksLimits(NamedTuple):
    """The facts of eks_limits.yaml. Quotas are those of a new account, and all but public_ranges can be raised."""

    managed_node_groups: int
    nodes_of_managed_node_group: int
    public_ranges: int
    """Address ranges that may reach a public endpoint."""
    cluster_usd_per_hour: float
    cluster_in_extended_support_usd_per_hour: float
    amazon_linux_2_until: str
    """The day after which there are no new images of Amazon Linux 2."""
    amazon_linux_2_last_version: str
    """The last version of Kubernetes that ever had some."""
    label_characters: int
    stack_name_characters: int
    zones_without_control_plane: tuple[str, ...]
    """Ids of the zones in which a control plane can have no interface."""
    oldest_eksctl: str
    """The first version that makes a cluster of our cluster.yaml, of every version of Kubernetes that EKS has."""
    kubectl_minor_versions: int
    """How many minor versions kubectl may be from the API server, older or newer."""


@cache
def eks_limits() -> EksLimits:
    """Return them."""
    return EksLimits(**merge_facts(catalog_file.content(_PATH)["limits"], "catalog/eks_limits.yaml"))


def source_of(fact: str) -> Source:
    """Return where a fact is from, and when it was read."""
    data = catalog_file.content(_PATH)
    sources = catalog_file.validated({"sources": data["sources"]}).sources
    return sources_by_fact(data["limits"], sources, "catalog/eks_limits.yaml")[fact]
