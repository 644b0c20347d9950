"""Which node groups get a launch template of our own, because the one that eksctl makes would be wrong for them."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.efa import uses_efa
from trainyard.catalog.instances import find
from trainyard.catalog.interfaces import eksctl_interfaces, misfits
from trainyard.spec.capacity import Reserved
from trainyard.spec.cluster import Spec
from trainyard.spec.node_group import NodeGroup


def own_templates(spec: Spec) -> list[NodeGroup]:
    """Return the node groups, in the order in which their launch templates are numbered."""
    return [group for group in spec.node_groups() if reasons(group)]


def reasons(group: NodeGroup) -> tuple[str, ...]:
    """Return why eksctl's launch template would be wrong, as sentences; nothing where it is right."""
    return (*_interfaces(group), *_placement(group), *_volume(group))


def placed(group: NodeGroup) -> bool:
    """Return whether nodes get a placement group: as asked for, otherwise as eksctl does it."""
    return _placed_by_eksctl(group) if group.placement_group is None else group.placement_group


def _placed_by_eksctl(group: NodeGroup) -> bool:
    # The branch of EFAEnabled in
    # https://github.com/eksctl-io/eksctl/blob/main/pkg/cfn/builder/managed_launch_template.go, which looks at
    # reservations since https://github.com/eksctl-io/eksctl/pull/8220 of February 2025.
    return uses_efa(group.instance_type, group.efa) and not isinstance(group.capacity, Reserved)


def _interfaces(group: NodeGroup) -> Iterator[str]:
    if not uses_efa(group.instance_type, group.efa):
        return
    for name in group.instance_types:
        facts = find(name)
        if facts is None or facts.cards is None or not facts.has_efa:
            continue  # eksctl asks EC2 itself, and refuses a type without EFA
        if refused := misfits(facts, eksctl_interfaces(facts)):
            yield f"eksctl puts an EFA interface on every network card of {name}, and EC2 refuses that: {refused[0]}."


def _placement(group: NodeGroup) -> Iterator[str]:
    if placed(group) == _placed_by_eksctl(group):
        return
    if placed(group):
        yield "eksctl makes a placement group only for nodes with EFA and without reserved capacity."
    else:
        yield "eksctl makes a placement group for nodes with EFA, which the spec does not want."


def _volume(group: NodeGroup) -> Iterator[str]:
    if group.queue.root_volume.type == "standard":
        yield "eksctl knows no volumes of type standard."
