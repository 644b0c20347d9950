"""What the role of nodes may do: as little as EKS needs, and what the user adds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trainyard.catalog.interfaces import eksctl_interfaces, misfits
from trainyard.catalog.partition import partition_of
from trainyard.launch.launch import Launch, compute_launches
from trainyard.spec.cluster import Spec

# What eksctl attaches by itself as long as no policies are named; with any, it attaches those alone.
# https://docs.aws.amazon.com/eks/latest/eksctl/iam-policies.html
_OWN = ("AmazonEKSWorkerNodePolicy", "AmazonEC2ContainerRegistryPullOnly", "AmazonSSMManagedInstanceCore")


def node_role(spec: Spec) -> dict[str, Any]:
    """Return the section iam of a node group, nothing where eksctl's defaults are right."""
    own = [f"arn:{partition_of(spec.region)}:iam::aws:policy/{name}" for name in _OWN]
    boundary = spec.iam.permissions_boundary
    role = {
        **({"attachPolicyARNs": [*own, *spec.iam.policies]} if spec.iam.policies else {}),
        **({"withAddonPolicies": dict.fromkeys(spec.eks.node_policies, True)} if spec.eks.node_policies else {}),
        **({} if boundary is None else {"instanceRolePermissionsBoundary": boundary}),
    }
    return {"iam": role} if role else {}


def pods_need_node_role(spec: Spec) -> bool:
    """Return whether pods are to use the role of their node, which they get from its metadata service."""
    return bool(spec.eks.node_policies or spec.iam.policies)


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
