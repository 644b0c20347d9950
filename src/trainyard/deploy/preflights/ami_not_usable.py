"""Machine images that do not exist, that the account may not use, or that are not ready."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.deploy.account_state.images import architecture_of, official_images, own_images
from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.finding import Path
from trainyard.launch.launch import launches
from trainyard.platform_table import platform_of
from trainyard.rules import Problem


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield images of the user's own that cannot be booted, and an operating system without an official image."""
    reported: set[Path] = set()
    for used in own_images(context):
        if used.launch.paths.image in reported:
            continue
        reported.add(used.launch.paths.image)
        if used.described is None:
            message = f"account {context.account.id} sees no image {used.id} in {context.spec.region}"
            yield Problem(used.launch.paths.image, message)
        elif used.described.get("State", "available") != "available":
            yield Problem(used.launch.paths.image, f"image {used.id} is {used.described['State']}")
    yield from _official(context)


def _official(context: PreflightContext) -> Iterator[Problem]:
    spec = context.spec
    if not platform_of(spec).made_by_parallelcluster:
        return
    types = dict.fromkeys(launch.instance_types[0] for launch in launches(spec) if launch.image is None)
    for architecture in dict.fromkeys(architecture_of(context, name) for name in types):
        if architecture is not None and official_images(context, architecture) == ():
            message = (
                f"ParallelCluster {spec.parallelcluster.version} has no official image for {spec.image.os} on "
                f"{architecture} in {spec.region}"
            )
            remedy = "build one with `pcluster build-image` and name it in image.ami, or choose another system"
            yield Problem(("image", "os"), message, remedy)


PREFLIGHT = Preflight(
    severity="error",
    title="Machine image that cannot be used",
    rationale=(
        "An image exists in one region, is private unless it is shared, and is ready only when its snapshots are. "
        "Rocky Linux has no official image at all. Without an image no node boots."
    ),
    remedy="copy the image into this region, share it with this account, or name another one",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/sharing-amis.html",
    permissions=("ec2:DescribeImages", "ec2:DescribeInstanceTypes"),
    check=check,
)
