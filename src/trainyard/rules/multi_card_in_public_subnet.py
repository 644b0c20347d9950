"""Nodes with several network interfaces in a subnet that relies on public addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.catalog.instances import find
from trainyard.rules import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield nodes with several interfaces whose queue stands in a public subnet."""
    for group in spec.node_groups():
        if _is_public(spec, group.queue.subnet) and (cards := _cards(group.instance_type)) > 1:
            yield Problem(
                (*group.path[:2], "subnet"),
                f"queue {group.queue.name!r} puts {group.instance_type} ({cards} network cards) into a public subnet",
            )


def _is_public(spec: Spec, subnet: str) -> bool:
    existing = spec.network.existing
    return subnet == "public" or (existing is not None and subnet in existing.public_subnets)


def _cards(instance_type: str) -> int:
    facts = find(instance_type)
    return 0 if facts is None else facts.network_card_count or 0


RULE = Rule(
    severity="error",
    title="Several network cards in a public subnet",
    rationale=(
        "EC2 gives no public address to an instance that is launched with several network interfaces. In a public"
        " subnet such "
        "a node reaches neither the internet nor the AWS services that it needs to come up, and is replaced until"
        " the cluster "
        "enters protected mode."
    ),
    remedy="use subnet: private, which reaches the internet through NAT or services through endpoints",
    source="https://github.com/aws/aws-parallelcluster/issues/7457",
    bad="""\
queues:
  - name: compute-gpu
    instance_type: p5.48xlarge
    subnet: public
""",
    good="""\
queues:
  - name: compute-gpu
    instance_type: p5.48xlarge
    subnet: private
""",
    check=check,
)
