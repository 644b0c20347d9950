"""Root volumes that are smaller than the image that they are made from."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.deploy.account_state.images import architecture_of, each_own_image, official_images
from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.deploy.requirements.nodes import Nodes, all_nodes
from trainyard.edge.aws.ec2 import Described
from trainyard.platform_table import platform_of
from trainyard.rules import Problem


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield sizes of root volumes below that of the image."""
    for nodes, image in [*each_own_image(context), *_with_official(context)]:
        size = _size_gib(image)
        if nodes.root_gib is not None and size is not None and nodes.root_gib < size:
            message = f"{nodes.root_gib} GiB for {nodes.who}, and image {image['ImageId']} has {size} GiB"
            yield Problem(nodes.root_path, message, f"write {size} GiB or more")


def _with_official(context: PreflightContext) -> Iterator[tuple[Nodes, Described]]:
    for nodes in all_nodes(context.spec) if platform_of(context.spec).made_by_parallelcluster else ():
        architecture = architecture_of(context, nodes.instance_types[0]) if nodes.ami is None else None
        images = None if architecture is None else official_images(context, architecture)
        if images:
            yield nodes, max(images, key=lambda image: str(image.get("CreationDate", "")))


def _size_gib(image: Described) -> int | None:
    root = image.get("RootDeviceName")
    for mapping in image.get("BlockDeviceMappings", ()):
        if "VolumeSize" in mapping.get("Ebs", {}) and root in (None, mapping.get("DeviceName")):
            return int(mapping["Ebs"]["VolumeSize"])
    return None


PREFLIGHT = Preflight(
    severity="error",
    title="Root volume smaller than its image",
    rationale="A volume cannot be smaller than the snapshot it is made from: EC2 refuses to launch the instance.",
    remedy="write the size of the image or more",
    source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_EbsBlockDevice.html",
    permissions=("ec2:DescribeImages", "ec2:DescribeInstanceTypes"),
    check=check,
)
