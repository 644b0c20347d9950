"""eksctl's file of a cluster that is older than its spec: what the spec writes, what its overlay adds, nothing besides.

A cluster that somebody else made has none of trainyard's node groups, tags, add-ons and defaults.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path as FilePath
from typing import Any

import yaml

from trainyard.launch.capacity import capacity_target
from trainyard.platforms.eks.rendering.node_groups import capacity_keys
from trainyard.record import Record
from trainyard.render.overlay import merged, with_lists
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec
from trainyard.spec.queue import Queue

_FACTS = FilePath(__file__).with_name("adopted_cluster.yaml")
LISTS = ("managedNodeGroups", "nodeGroups")


def adopted_cluster(spec: Spec) -> dict[str, Any]:
    """Return the whole document."""
    overlay: dict[str, Any] = with_lists(spec.eks.overlay)
    whole: dict[str, Any] = _without_none(merged(without_nulls(written_cluster(spec), overlay), overlay))
    return whole


def written_cluster(spec: Spec) -> dict[str, Any]:
    """Return what the spec writes, without its overlay."""
    document: dict[str, Any] = {"apiVersion": "eksctl.io/v1alpha5", "kind": "ClusterConfig"}
    for place, key in origins("cluster").items():
        _put(document, place, _written_value(spec, key))
    for queue in spec.queues:
        document.setdefault(list_of(spec, queue.name), []).append(_node_group(spec, queue))
    return document


def list_of(spec: Spec, queue: str) -> str:
    """Return where the node group of a queue stands: the overlay names those that EKS does not manage."""
    groups = spec.eks.overlay.get("nodeGroups")
    names = (group.get("name") for group in (groups if isinstance(groups, list | tuple) else ()) if _is_mapping(group))
    return "nodeGroups" if queue in names else "managedNodeGroups"


def without_nulls(document: Any, overlay: Any) -> Any:
    """Return a document without the keys for which the overlay has null: the adopted file does not write them."""
    if isinstance(document, Mapping) and isinstance(overlay, Mapping):
        kept = {
            key: without_nulls(value, overlay.get(key)) for key, value in document.items() if not _nulls(overlay, key)
        }
        return {key: value for key, value in kept.items() if value != {} or document[key] == {}}
    if isinstance(document, list) and isinstance(overlay, list | tuple):
        by_name = {entry.get("name"): entry for entry in overlay if _is_mapping(entry)}
        return [
            without_nulls(entry, by_name.get(entry.get("name")) if _is_mapping(entry) else None) for entry in document
        ]
    return document


@cache
def origins(part: str) -> Mapping[str, str]:
    """Return the keys of the spec by those of eksctl, of the ``cluster`` or of ``nodes``."""
    facts: Mapping[str, Mapping[str, str]] = yaml.load(_FACTS.read_bytes(), Loader=yaml.CSafeLoader)
    return facts[part]


def _node_group(spec: Spec, queue: Queue) -> dict[str, Any]:
    """Return the node group of a queue. A fixed number of nodes is the one that is desired: eksctl takes it for all."""
    group: dict[str, Any] = {}
    for place, key in origins("nodes").items():
        value = _written_value(queue, key)
        _put(group, place, None if value is False and key == "efa" else value)
    if isinstance(queue.nodes, int) and "nodes" in queue.written:
        group["desiredCapacity"] = queue.nodes
    if queue.subnet == "private" and "subnet" in queue.written:
        group["privateNetworking"] = True
    elif queue.subnet not in ("private", "public") and not _overlay_names_subnets(spec, queue.name):
        group["subnets"] = [queue.subnet]
    return {**group, **capacity_keys(capacity_target(spec, queue.capacity), Ids({}), in_template=False)}


def _overlay_names_subnets(spec: Spec, queue: str) -> bool:
    """Return whether the overlay has subnets by their names in eksctl's file, where a queue has an id."""
    listed = spec.eks.overlay.get(list_of(spec, queue))
    groups = [group for group in (listed if isinstance(listed, list | tuple) else ()) if _is_mapping(group)]
    return any(group.get("name") == queue and group.get("subnets") is not None for group in groups)


def _written_value(value: Any, key: str) -> Any:
    """Return what a spec writes at a path; None where it writes nothing."""
    for step in key.split("."):
        if not isinstance(value, Record) or step not in value.written:
            return None
        value = getattr(value, step)
    return with_lists(value)


def _put(document: dict[str, Any], place: str, value: Any) -> None:
    if value is None or value in ({}, []):
        return
    *above, last = place.split(".")
    for key in above:
        document = document.setdefault(key, {})
    document[last] = value


def _nulls(overlay: Mapping[str, Any], key: str) -> bool:
    return key in overlay and overlay[key] is None


def _without_none(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_none(member) for key, member in value.items() if member is not None}
    return list(map(_without_none, value)) if isinstance(value, list) else value


def _is_mapping(value: Any) -> bool:
    return isinstance(value, Mapping)
