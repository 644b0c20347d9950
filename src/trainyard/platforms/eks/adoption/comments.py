"""What a spec says in comments about how it was made from a file of eksctl."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trainyard.document.plain_data import at, mappings
from trainyard.foreign_text import one_line
from trainyard.platforms.eks.adoption.sections import STAND_IN, UNKNOWN_VPC
from trainyard.platforms.eks.rendering.adopted_cluster import LISTS


def comments_on(
    config: Mapping[str, Any], data: Mapping[str, Any], stand_ins: Mapping[str, str]
) -> dict[str, tuple[str, ...]]:
    """Return the comments by section of the spec; ``stand_ins`` are values with the placeholders they stand for."""
    sections = {
        "name": (f"{value} stands for {one_line(placeholder)}." for value, placeholder in stand_ins.items()),
        "network": _network(data, stand_ins),
        "queues": _queues(config, data),
        "eks": _eks(config, data),
    }
    written = ((key, tuple(lines)) for key, lines in sections.items())
    return {key: lines for key, lines in written if lines}


def _network(data: Mapping[str, Any], stand_ins: Mapping[str, str]) -> Iterator[str]:
    existing = data["network"]["existing"]
    if existing["vpc"] == UNKNOWN_VPC and UNKNOWN_VPC not in stand_ins:
        yield f"eksctl makes the VPC: write its id in place of {UNKNOWN_VPC}, once it is there."
    subnets = (*existing["private_subnets"], *existing.get("public_subnets", ()))
    if any(subnet.startswith(STAND_IN) for subnet in subnets):
        yield f"Likewise those of its subnets in place of {STAND_IN}…: the file does not name them."


def _queues(config: Mapping[str, Any], data: Mapping[str, Any]) -> Iterator[str]:
    yield "Every node group, with training or without."
    if any(queue.get("efa") is False for queue in data["queues"]):
        yield "efa: false is what eksctl does without efaEnabled; a spec has EFA by default."
    if any(queue.get("subnet") == "public" for queue in data["queues"]):
        yield "subnet: public is where eksctl puts nodes without privateNetworking."
    for queue in data["queues"]:
        if queue.get("subnet", "").startswith(STAND_IN):
            yield f"{queue['subnet']} stands for the one subnet in which the nodes of {queue['name']} start."
    names = {queue["name"] for queue in data["queues"]}
    others = [group.get("name") for kind in LISTS for group in mappings(config, kind) if group.get("name") not in names]
    if others:
        listed = ", ".join(one_line(str(name)) for name in others)
        yield f"In the overlay, because a queue has a shorter name and instance types of its own: {listed}."


def _eks(config: Mapping[str, Any], data: Mapping[str, Any]) -> Iterator[str]:
    if at(config, "metadata", "version") is None:
        yield "The file leaves the version of Kubernetes to eksctl."
    yield "adopted: cluster.yaml has what this spec writes, and neither trainyard's defaults nor its node groups."
    if at(data, "eks", "overlay"):
        yield "overlay: what no key says in eksctl's way; null where the file does not write what the spec says."
