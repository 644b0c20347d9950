"""What a configuration for eksctl changes of the one before: what eksctl can do to a cluster that exists, and the rest.

https://docs.aws.amazon.com/eks/latest/eksctl/nodegroups.html
https://docs.aws.amazon.com/eks/latest/eksctl/cluster-upgrade.html
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from trainyard.catalog.by_version import number_of
from trainyard.platforms.eks.deployment.config import node_groups_of

SIZES = ("minSize", "desiredCapacity", "maxSize")
# Above node groups, what a later step brings about. Everything else is fixed when the cluster is made.
_CHANGEABLE = {"addons", "cloudWatch", "managedNodeGroups"}
_OF_METADATA = {"version", "tags"}
_OF_VPC = {"clusterEndpoints", "publicAccessCIDRs"}
_OF_IAM = {"podIdentityAssociations"}
_OF_ACCESS = {"accessEntries"}
# Of a node group, beside its sizes: EKS is told of them by eksctl's stack, which eksctl does not change later.
_NEXT = "give the queue another name, deploy, and then take the old one out"


@dataclass
class ClusterComparison:
    """The differences, in words for whoever deploys."""

    changes: list[str] = field(default_factory=list)
    """What will be done."""
    refused: list[tuple[str, str]] = field(default_factory=list)
    """What cannot be done, each with what to do instead."""
    added: list[str] = field(default_factory=list)
    """Names of node groups that are new."""
    removed: list[str] = field(default_factory=list)
    """Names of node groups that go."""
    shrunk: list[str] = field(default_factory=list)
    """Names of node groups of which nodes end."""


def compare(former: Mapping[str, Any], wanted: Mapping[str, Any]) -> ClusterComparison:
    """Return what one configuration changes of another."""
    comparison = ClusterComparison()
    _version(comparison, former["metadata"]["version"], wanted["metadata"]["version"])
    for path, before, after in _of_cluster(former, wanted):
        said = f"{path} {_shown(before)} to {_shown(after)}"
        comparison.refused.append((said, "it is fixed when the cluster is made: destroy it and deploy it anew"))
    _node_groups(comparison, node_groups_of(former), node_groups_of(wanted))
    comparison.changes.extend(_others(former, wanted))
    return comparison


def _version(found: ClusterComparison, before: str, after: str) -> None:
    if before == after:
        return
    (major, minor), (wanted_major, wanted_minor) = number_of(before)[:2], number_of(after)[:2]
    said = f"Kubernetes {before} to {after}"
    if (wanted_major, wanted_minor) == (major, minor + 1):
        found.changes.append(said)
    elif (wanted_major, wanted_minor) > (major, minor):
        found.refused.append((said, f"EKS upgrades one minor version at a time: deploy {major}.{minor + 1} first"))
    else:
        found.refused.append((said, f"no control plane goes back to an older version: keep {before}"))


def _of_cluster(former: Mapping[str, Any], wanted: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Yield what differs outside of node groups and cannot be changed, by its path."""
    inner = {"metadata": _OF_METADATA, "vpc": _OF_VPC, "iam": _OF_IAM, "accessConfig": _OF_ACCESS}
    for key in sorted((former.keys() | wanted.keys()) - _CHANGEABLE):
        before, after = former.get(key), wanted.get(key)
        if key not in inner:
            if before != after:
                yield key, before, after
            continue
        for name in sorted(((before or {}).keys() | (after or {}).keys()) - inner[key]):
            if (before or {}).get(name) != (after or {}).get(name):
                yield f"{key}.{name}", (before or {}).get(name), (after or {}).get(name)


def _node_groups(found: ClusterComparison, former: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    found.added = [name for name in wanted if name not in former]
    found.removed = [name for name in former if name not in wanted]
    found.changes.extend(f"new node group {name}" for name in found.added)
    found.changes.extend(f"node group {name} goes" for name in found.removed)
    for name in wanted.keys() & former.keys():
        before, after = former[name], wanted[name]
        if sizes := _sizes(before, after):
            found.changes.append(f"node group {name}: {sizes}")
        for key in sorted((before.keys() | after.keys()) - {*SIZES, "tags"}):
            if before.get(key) != after.get(key):
                said = f"node group {name}: {key} {_shown(before.get(key))} to {_shown(after.get(key))}"
                found.refused.append((said, _NEXT))


def _sizes(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    changed = [key for key in SIZES if before.get(key) != after.get(key)]
    return ", ".join(f"{key} {before.get(key)} to {after.get(key)}" for key in changed)


def _others(former: Mapping[str, Any], wanted: Mapping[str, Any]) -> Iterator[str]:
    if former.get("addons") != wanted.get("addons"):
        yield "add-ons"
    if former.get("cloudWatch") != wanted.get("cloudWatch"):
        yield "logs of the control plane"
    if any(former["vpc"].get(key) != wanted["vpc"].get(key) for key in _OF_VPC):
        yield "who reaches the Kubernetes API"
    if former["iam"].get("podIdentityAssociations") != wanted["iam"].get("podIdentityAssociations"):
        yield "roles of workloads"
    if former["accessConfig"].get("accessEntries") != wanted["accessConfig"].get("accessEntries"):
        yield "administrators"


def _shown(value: Any) -> str:
    if value is None:
        return "nothing"
    text = str(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
