"""What one configuration of eksctl changes of another: what later steps bring about, and what nobody can."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from trainyard.catalog.by_version import number_of
from trainyard.deploy.cluster_update import ClusterChange, ClusterNeed
from trainyard.platforms.eks.deployment.config import node_groups_of
from trainyard.platforms.eks.rendering.names import SYSTEM

SIZES = ("minSize", "desiredCapacity", "maxSize")
# Above node groups, what a later step brings about. Everything else is fixed when the cluster is made.
_CHANGEABLE = {"addons", "cloudWatch", "managedNodeGroups"}
_OF_METADATA = {"version", "tags"}
_OF_VPC = {"clusterEndpoints", "publicAccessCIDRs"}
_OF_IAM = {"podIdentityAssociations"}
_OF_ACCESS = {"accessEntries"}
# Of a node group, beside its sizes: EKS is told of them by eksctl's stack, which eksctl does not change later.
_NEXT = "give the queue another name, deploy, and then take the old one out"
_FIXED = "it is fixed when the cluster is made: destroy it and deploy it anew"
_SPEC = "spec"
# Where the spec has what the configuration says.
_PATHS = {
    "accessConfig.accessEntries": "eks.administrators",
    "addons": "eks",
    "cloudWatch": "eks.control_plane_logs",
    "iam.podIdentityAssociations": "iam",
    "secretsEncryption": "iam.kms_key",
    "vpc.clusterEndpoints": "access.allow_from",
    "vpc.publicAccessCIDRs": "access.allow_from",
}
# Lists of what later steps bring about, and what identifies their members.
_LISTS = {
    "accessConfig.accessEntries": ("principalARN",),
    "addons": ("name",),
    "iam.podIdentityAssociations": ("namespace", "serviceAccountName"),
}
_VALUES = ("cloudWatch", "vpc.clusterEndpoints", "vpc.publicAccessCIDRs")


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
    updates: list[ClusterChange] = field(default_factory=list)
    """All of them with their values, for plans."""

    def note(self, place: str, path: str, before: Any, after: Any, *, refused_with: str = "") -> None:
        """Keep a difference with its values; ``refused_with`` is what to do where nobody can bring it about."""
        need: ClusterNeed = "refused" if refused_with else "live"
        self.updates.append(ClusterChange(place, path, before, after, need, refused_with))

    def refuse(self, text: str, way: str, change: tuple[str, str, Any, Any]) -> None:
        """Keep a difference that nobody can bring about."""
        self.refused.append((text, way))
        self.note(*change, refused_with=way)


def compare(
    former: Mapping[str, Any], config: Mapping[str, Any], paths: Mapping[str, str] | None = None
) -> ClusterComparison:
    """Return what one configuration changes of another; ``paths`` says where the spec has each node group."""
    comparison = ClusterComparison()
    _version(comparison, former["metadata"]["version"], config["metadata"]["version"])
    for path, before, after in _of_cluster(former, config):
        text = f"{path} {_value_text(before)} to {_value_text(after)}"
        comparison.refuse(text, _FIXED, (path, _PATHS.get(path, _SPEC), before, after))
    _node_groups(
        comparison, node_groups_of(former), node_groups_of(config), {SYSTEM: "eks.system_nodes", **(paths or {})}
    )
    comparison.changes.extend(_other_changes(former, config))
    for place, identity in _LISTS.items():
        _members(comparison, place, _listed(former, place, identity), _listed(config, place, identity))
    for place in _VALUES:
        before, after = _at(former, place), _at(config, place)
        if before != after:
            comparison.note(place, _PATHS[place], before, after)
    return comparison


def _at(config: Mapping[str, Any], place: str) -> Any:
    value: Any = config
    for key in place.split("."):
        value = (value or {}).get(key)
    return value


def _listed(config: Mapping[str, Any], place: str, identity: tuple[str, ...]) -> dict[str, Any]:
    """Return the members of a list by what identifies them."""
    return {".".join(str(_at(member, key)) for key in identity): member for member in _at(config, place) or ()}


def _members(comparison: ClusterComparison, place: str, former: Mapping[str, Any], config: Mapping[str, Any]) -> None:
    for name in dict.fromkeys([*former, *config]):
        before, after = former.get(name), config.get(name)
        if before != after:
            comparison.note(f"{place}[{name}]", _PATHS[place], before, after)


def _version(comparison: ClusterComparison, before: str, after: str) -> None:
    if before == after:
        return
    (major, minor), (wanted_major, wanted_minor) = number_of(before)[:2], number_of(after)[:2]
    text = f"Kubernetes {before} to {after}"
    change = ("metadata.version", "eks.kubernetes_version", before, after)
    if (wanted_major, wanted_minor) == (major, minor + 1):
        comparison.changes.append(text)
        comparison.note(*change)
    elif (wanted_major, wanted_minor) > (major, minor):
        way = f"EKS upgrades one minor version at a time: deploy {major}.{minor + 1} first"
        comparison.refuse(text, way, change)
    else:
        comparison.refuse(text, f"no control plane goes back to an older version: keep {before}", change)


def _of_cluster(former: Mapping[str, Any], config: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Yield what differs outside of node groups and cannot be changed, by its path."""
    inner = {"metadata": _OF_METADATA, "vpc": _OF_VPC, "iam": _OF_IAM, "accessConfig": _OF_ACCESS}
    for key in sorted((former.keys() | config.keys()) - _CHANGEABLE):
        before, after = former.get(key), config.get(key)
        if key not in inner:
            if before != after:
                yield key, before, after
            continue
        for name in sorted(((before or {}).keys() | (after or {}).keys()) - inner[key]):
            if (before or {}).get(name) != (after or {}).get(name):
                yield f"{key}.{name}", (before or {}).get(name), (after or {}).get(name)


def _node_groups(
    comparison: ClusterComparison,
    former: Mapping[str, Any],
    config: Mapping[str, Any],
    paths: Mapping[str, str],
) -> None:
    comparison.added = [name for name in config if name not in former]
    comparison.removed = [name for name in former if name not in config]
    comparison.changes.extend(f"new node group {name}" for name in comparison.added)
    comparison.changes.extend(f"node group {name} goes" for name in comparison.removed)
    for name in [*comparison.added, *comparison.removed]:
        comparison.note(_group(name), paths.get(name, "queues"), former.get(name), config.get(name))
    for name in [name for name in config if name in former]:
        before, after, path = former[name], config[name], paths.get(name, "queues")
        if sizes := _sizes(before, after):
            comparison.changes.append(f"node group {name}: {sizes}")
        sizes_path = f"{path}.{'count' if name == SYSTEM else 'nodes'}"
        for key in SIZES:
            if before.get(key) != after.get(key):
                comparison.note(f"{_group(name)}.{key}", sizes_path, before.get(key), after.get(key))
        for key in sorted((before.keys() | after.keys()) - {*SIZES, "tags"}):
            if before.get(key) != after.get(key):
                text = f"node group {name}: {key} {_value_text(before.get(key))} to {_value_text(after.get(key))}"
                change = (f"{_group(name)}.{key}", path, before.get(key), after.get(key))
                comparison.refuse(text, _NEXT, change)


def _group(name: str) -> str:
    return f"managedNodeGroups[{name}]"


def _sizes(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    changed = [key for key in SIZES if before.get(key) != after.get(key)]
    return ", ".join(f"{key} {before.get(key)} to {after.get(key)}" for key in changed)


def _other_changes(former: Mapping[str, Any], config: Mapping[str, Any]) -> Iterator[str]:
    if former.get("addons") != config.get("addons"):
        yield "add-ons"
    if former.get("cloudWatch") != config.get("cloudWatch"):
        yield "logs of the control plane"
    if any(former["vpc"].get(key) != config["vpc"].get(key) for key in _OF_VPC):
        yield "who reaches the Kubernetes API"
    if former["iam"].get("podIdentityAssociations") != config["iam"].get("podIdentityAssociations"):
        yield "roles of workloads"
    entries, wanted = (document["accessConfig"].get("accessEntries", []) for document in (former, config))
    if entries != wanted:
        gone = [entry["principalARN"] for entry in entries if entry not in wanted]
        yield "administrators" + (f", without {', '.join(gone)}" if gone else "")


def _value_text(value: Any) -> str:
    if value is None:
        return "nothing"
    text = str(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
