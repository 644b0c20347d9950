"""Container images that are to be imported where nodes reach no registry."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.rules.script_from_internet import reaches_internet
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield images that the head node cannot fetch; in a network of the user's own, a registry may be within reach."""
    images = spec.software.container_images
    if not images or reaches_internet(spec, spec.head_node.subnet):
        return
    more = f" and {len(images) - 1} more" if len(images) > 1 else ""
    what = f"{images[0]}{more}: network.internet is none"
    if spec.network.existing is None:
        yield Problem(("software", "container_images"), f"the head node cannot fetch {what}")
    else:
        remedy = "see that the VPC reaches the registry: an endpoint, such as ECR has, or a connection of your own"
        message = f"the head node may not be able to fetch {what}"
        yield Problem(("software", "container_images"), message, remedy, "warning")


RULE = Rule(
    severity="error",
    applies_to="has_head_node",
    title="Container images without a way to a registry",
    rationale=(
        "The head node imports the images from their registries. Without internet it reaches only the endpoints that "
        "trainyard makes, and no registry is among them: not Amazon ECR either, whose private images need two "
        "endpoints of their own. Every attempt would fail, and jobs would find no image."
    ),
    remedy="write internet: nat, or remove the key and put .sqsh files into containers/ on the shared file system",
    source="https://docs.aws.amazon.com/AmazonECR/latest/userguide/vpc-endpoints.html",
    bad="""\
network: {internet: none}
software: {containers: true, container_images: ["nvcr.io#nvidia/pytorch:25.10-py3"]}
file_systems:
  - {mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 250}}
""",
    good="""\
network: {internet: nat}
software: {containers: true, container_images: ["nvcr.io#nvidia/pytorch:25.10-py3"]}
file_systems:
  - {mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 250}}
""",
    check=check,
)
