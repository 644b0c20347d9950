"""Machine images with another operating system than the spec says."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainyard.catalog.parallelcluster_images import official_image
from trainyard.deploy.account_state.images import each_own_image
from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.edge.aws.ec2 import Described, tags_of
from trainyard.rules import Problem

# PCLUSTER_IMAGE_OS_TAG in pcluster/constants.py, https://github.com/aws/aws-parallelcluster
_TAG = "parallelcluster:os"
_OFFICIAL = re.compile(r"aws-parallelcluster-[0-9.]+-(?P<part>.+-hvm)-")


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield the operating system where an image says that it has another one."""
    os_name = context.spec.image.os
    reported: set[str] = set()
    for launch, image in each_own_image(context):
        has = tags_of(image).get(_TAG) or _os_in_name(image, os_name)
        if has not in (None, os_name) and image["ImageId"] not in reported:
            reported.add(image["ImageId"])
            message = f"image {image['ImageId']} has {has}, and image.os says {os_name}"
            yield Problem(launch.paths.image, message, f"write image.os: {has}, or name another image")


def _os_in_name(image: Described, os_name: str) -> str | None:
    """Return what the name of an official image says, in its own spelling where that is not the wanted system's."""
    named = _OFFICIAL.match(image.get("Name", ""))
    official = official_image(os_name)
    if named is None or official is None:
        return None
    return os_name if named["part"] == official.name_part else named["part"].removesuffix("-hvm")


PREFLIGHT = Preflight(
    severity="error",
    applies_to="made_by_parallelcluster",
    title="Machine image with another operating system",
    rationale=(
        "What ParallelCluster and trainyard install follows the operating system that the spec names, and so does the "
        "user that logs in. ParallelCluster refuses an image that says it has another one (AmiOsCompatibleValidator)."
    ),
    remedy="write the operating system of the image, or name another image",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/Image-v3.html#yaml-Image-Os",
    permissions=("ec2:DescribeImages",),
    check=check,
)
