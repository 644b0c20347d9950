"""Nodes of Amazon EKS that need a launch template of trainyard's own, which cannot be made for them."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.instances import find, uses_efa
from trainyard.catalog.interfaces import eksctl_interfaces, misfits
from trainyard.finding import Path
from trainyard.rules import Problem, Rule
from trainyard.spec.capacity import Reserved
from trainyard.spec.cluster import Spec
from trainyard.spec.node_group import NodeGroup


def check(spec: Spec) -> Iterator[Problem]:
    """Yield an image of the user's own beside such a template, and types of which nobody knows the network cards."""
    for group in spec.node_groups():
        why = _why(group)
        if why is None:
            continue
        needs = f"queue {group.queue.name!r} needs a launch template of its own, because {why}"
        if (ami := group.queue.ami or spec.image.ami) is not None:
            remedy = "leave the image to EKS, or make the node group by hand once the cluster is there"
            yield Problem(_image(group), f"{needs}, and with one EKS tells {ami} not how to join", remedy)
        facts = find(group.instance_type)
        if facts is None or facts.cards is None:
            message = f"{needs}, and the network cards of {group.instance_type} are unknown"
            yield Problem(group.path, message, "choose a type that `trainyard instances` lists")


def _why(group: NodeGroup) -> str | None:
    """Return why eksctl's own would be wrong. What is rendered decides by the same; a test holds them together."""
    efa = uses_efa(group.instance_type, group.efa)
    by_eksctl = efa and not isinstance(group.capacity, Reserved)
    if group.queue.root_volume.type == "standard":
        return "eksctl knows no volumes of type standard"
    if group.placement_group not in (None, by_eksctl):
        return f"placement_group: {str(group.placement_group).lower()} is not what eksctl does"
    if efa and any(_refused(name) for name in group.instance_types):
        return f"eksctl's interfaces are wrong for {group.instance_type}"
    return None


def _refused(name: str) -> bool:
    facts = find(name)
    has_known_cards = facts is not None and facts.cards is not None and facts.has_efa
    return bool(has_known_cards and facts is not None and misfits(facts, eksctl_interfaces(facts)))


def _image(group: NodeGroup) -> Path:
    return ("image", "ami") if group.queue.ami is None else (*group.path[:2], "ami")


RULE = Rule(
    severity="error",
    applies_to="made_by_eksctl",
    title="Launch template that cannot be made",
    rationale=(
        "Where eksctl's launch template would be wrong, trainyard makes one. With an image in it, EKS no longer tells "
        "nodes how to join the cluster; and it names every network card, which have to be known for that."
    ),
    remedy="choose what eksctl can do by itself",
    source="https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html",
    bad="""\
platform: eks
access: {allow_from: [203.0.113.7/32]}
network: {availability_zone: us-east-2a, secondary_availability_zone: us-east-2b}
queues:
  - name: b300
    instance_type: p6-b300.48xlarge
    ami: ami-0123456789abcdef0
    nodes: 2
""",
    good="""\
platform: eks
access: {allow_from: [203.0.113.7/32]}
network: {availability_zone: us-east-2a, secondary_availability_zone: us-east-2b}
queues:
  - name: b300
    instance_type: p6-b300.48xlarge
    nodes: 2
""",
    check=check,
)
