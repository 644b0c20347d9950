"""An instance type on which AWS Batch runs no multi-node jobs."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.instance_type import InstanceType
from trainyard.catalog.instances import find
from trainyard.rules import Problem, Rule
from trainyard.rules.instance_type_unknown import types_of
from trainyard.spec.cluster import Spec

# https://docs.aws.amazon.com/batch/latest/APIReference/API_Ec2Configuration.html
_WITHOUT_IMAGE = ("p3", "p3dn", "g3", "g3s")


def check(spec: Spec) -> Iterator[Problem]:
    """Yield types that Batch has no image for, that have no room for a container's interface, or that nobody knows."""
    for group in spec.node_groups():
        own_image = (group.queue.ami or spec.image.ami) is not None
        for path, name in types_of(group):
            if reason := _why_not(name, find(name), own_image=own_image):
                yield Problem(path, f"queue {group.queue.name!r} runs {name}, {reason[0]}", reason[1])


def _why_not(name: str, facts: InstanceType | None, *, own_image: bool) -> tuple[str, str] | None:
    if facts is None or facts.vcpus is None or facts.memory_mib is None or facts.cards is None:
        return "whose vCPUs, memory and network cards are unknown", "choose a type that `trainyard instances` lists"
    if facts.cards[0].max_interfaces < 2:
        reason = "whose first network card holds one interface and has no room for that of the container"
        return reason, "choose a type whose first card holds two"
    lacks_image = name.partition(".")[0] in _WITHOUT_IMAGE or (facts.architecture == "arm64" and facts.gpu_count)
    if lacks_image and not own_image:
        return (
            "for which ECS has no image with NVIDIA's driver on Amazon Linux 2023",
            "name an image of your own in ami",
        )
    return None


RULE = Rule(
    severity="error",
    applies_to="has_batch",
    title="Instance type without multi-node jobs",
    rationale=(
        "Containers of multi-node jobs bring a network interface of their own, which has to fit on the first network "
        "card beside that of the instance. Batch counts in vCPUs and memory, which have to be known, and picks an "
        "image by the type: its image with NVIDIA's driver is for no Graviton processor and not for P3 and G3."
    ),
    remedy="choose another type",
    source="https://docs.aws.amazon.com/batch/latest/APIReference/API_Ec2Configuration.html",
    bad="""\
platform: batch
queues: [{name: gpu, instance_type: p3dn.24xlarge, nodes: {min: 0, max: 4}}]
""",
    good="""\
platform: batch
queues: [{name: gpu, instance_type: p4d.24xlarge, nodes: {min: 0, max: 4}}]
""",
    check=check,
)
