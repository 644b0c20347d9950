"""What a spec says in comments about how it was made from a configuration of ParallelCluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trainyard.document.plain_data import at, mappings
from trainyard.platform_parts import AdoptableConfig
from trainyard.platforms.parallelcluster.adoption.stand_ins import UNKNOWN_VPC


def comments_on(
    adoptable: AdoptableConfig, config: Mapping[str, Any], data: Mapping[str, Any], stand_ins: Mapping[str, str]
) -> dict[str, tuple[str, ...]]:
    """Return the comments by section of the spec; ``stand_ins`` are ids with the placeholders that they stand for."""
    sections = {
        "network": _network(adoptable, data, stand_ins),
        "access": _access(config),
        "queues": _queues(config, data),
        "file_systems": _file_systems(config, data),
        "monitoring": _monitoring(config),
        "parallelcluster": _parallelcluster(adoptable, data),
    }
    written = ((key, tuple(lines)) for key, lines in sections.items() if key in data)
    return {key: lines for key, lines in written if lines}


def _network(adoptable: AdoptableConfig, data: Mapping[str, Any], stand_ins: Mapping[str, str]) -> Iterator[str]:
    if at(data, "network", "existing", "vpc") == UNKNOWN_VPC:
        yield f"Write the VPC of these subnets in place of {UNKNOWN_VPC}: the configuration does not name it."
    del adoptable
    yield from (f"{id_} stands for {placeholder}." for id_, placeholder in stand_ins.items())


def _access(config: Mapping[str, Any]) -> Iterator[str]:
    if not at(config, "HeadNode", "Ssh", "AllowedIps"):
        yield "Without AllowedIps, ParallelCluster opens SSH to everybody."


def _queues(config: Mapping[str, Any], data: Mapping[str, Any]) -> Iterator[str]:
    groups = [nodes for queue in data["queues"] for nodes in (queue, *queue.get("compute_resources", ()))]
    if any(nodes.get("efa") is False for nodes in groups):
        yield "efa: false is what ParallelCluster does where nothing asks for EFA; a spec has it by default."
    if any(nodes.get("placement_group") is False for nodes in groups):
        yield "placement_group: false likewise."
    resources = [
        (resource, queue)
        for queue in mappings(config, "Scheduling", "SlurmQueues")
        for resource in mappings(queue, "ComputeResources")
    ]
    if any("MaxCount" not in resource for resource, _ in resources):
        yield "max: 10 is what ParallelCluster has without MaxCount."


def _file_systems(config: Mapping[str, Any], data: Mapping[str, Any]) -> Iterator[str]:
    own = {file_system["mount"] for file_system in data.get("file_systems", ())}
    mounts = [str(entry.get("MountDir")) for entry in mappings(config, "SharedStorage")]
    others = [mount for mount in mounts if mount not in own]
    if others:
        yield f"In the overlay, because the cluster makes them itself or no key fits: {', '.join(others)}."


def _monitoring(config: Mapping[str, Any]) -> Iterator[str]:
    if at(config, "Monitoring", "Logs", "CloudWatch", "RetentionInDays") is None:
        yield "Logs are kept for 180 days where nothing is said."


def _parallelcluster(adoptable: AdoptableConfig, data: Mapping[str, Any]) -> Iterator[str]:
    if adoptable.version is None:
        yield "version is that of the cluster; the configuration does not name it, so it is trainyard's default."
    yield "adopted: cluster.yaml has what this spec writes, and neither trainyard's defaults nor its tags and policies."
    if "Region" in (at(data, "parallelcluster", "overlay") or {}):
        yield "Region is null in the overlay, because the configuration leaves it to the command line."
    if at(data, "parallelcluster", "overlay"):
        yield "overlay: what no key of a spec says in the way in which the configuration says it."
