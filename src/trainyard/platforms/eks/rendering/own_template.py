"""Which node groups get a launch template of our own, because the one that eksctl makes would be wrong for them."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.interfaces import eksctl_interfaces, misfits
from trainyard.launch.launch import Launch, compute_launches
from trainyard.spec.cluster import Spec


def own_templates(spec: Spec) -> list[Launch]:
    """Return the nodes of these groups, in the order in which their launch templates are numbered."""
    return [launch for launch in compute_launches(spec) if reasons(launch)]


def reasons(launch: Launch) -> tuple[str, ...]:
    """Return why eksctl's launch template would be wrong, as sentences; nothing where it is right."""
    return (*_interfaces(launch), *_placement(launch), *_volume(launch))


def _interfaces(launch: Launch) -> Iterator[str]:
    if not launch.instance.efa:
        return
    for instance in launch.instances:
        facts = instance.facts
        if facts is None or facts.cards is None or not facts.has_efa:
            continue  # eksctl asks EC2 itself, and refuses a type without EFA
        if misfit := misfits(facts, eksctl_interfaces(facts)):
            name = instance.name
            yield f"eksctl puts an EFA interface on every network card of {name}, and EC2 refuses that: {misfit[0]}."


def _placement(launch: Launch) -> Iterator[str]:
    # The branch of EFAEnabled in
    # https://github.com/eksctl-io/eksctl/blob/main/pkg/cfn/builder/managed_launch_template.go, which looks at
    # reservations since https://github.com/eksctl-io/eksctl/pull/8220 of February 2025.
    placed_by_eksctl = launch.instance.efa and not launch.capacity.is_reserved
    if launch.placement_group and not placed_by_eksctl:
        yield "eksctl makes a placement group only for nodes with EFA and without reserved capacity."
    if placed_by_eksctl and not launch.placement_group:
        yield "eksctl makes a placement group for nodes with EFA, which the spec does not want."


def _volume(launch: Launch) -> Iterator[str]:
    if launch.nodes.queue.root_volume.type == "standard":
        yield "eksctl knows no volumes of type standard."
