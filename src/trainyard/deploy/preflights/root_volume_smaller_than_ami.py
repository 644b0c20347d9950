"""Root volumes that are smaller than the image that they are made from."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.deploy.account_state.images import architecture_of, each_own_image, official_images
from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.edge.aws.ec2 import Described
from trainyard.launch.launch import Launch, launches
from trainyard.platform_table import platform_of
from trainyard.rules import Problem


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield sizes of root volumes below that of the image."""
    for launch, image in [*each_own_image(context), *_with_official(context)]:
        size = _size_gib(image)
        volume = launch.root_volume
        if volume is not None and size is not None and volume.size_gib < size:
            message = f"{volume.size_gib} GiB for {launch.title}, and image {image['ImageId']} has {size} GiB"
            yield Problem(launch.paths.root_volume, message, f"write {size} GiB or more")


def _with_official(context: PreflightContext) -> Iterator[tuple[Launch, Described]]:
    for launch in launches(context.spec) if platform_of(context.spec).made_by_parallelcluster else ():
        architecture = architecture_of(context, launch.instance_types[0]) if launch.image is None else None
        images = None if architecture is None else official_images(context, architecture)
        if images:
            yield launch, max(images, key=lambda image: str(image.get("CreationDate", "")))


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
