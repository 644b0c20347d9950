"""Machine images that another version of ParallelCluster built, as they say themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainyard.deploy.account_state.images import each_own_image
from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.edge.aws.ec2 import Described, tags_of
from trainyard.rules import Problem

# PCLUSTER_VERSION_TAG in pcluster/constants.py, https://github.com/aws/aws-parallelcluster
_TAG = "parallelcluster:version"
_OFFICIAL = re.compile(r"aws-parallelcluster-(?P<version>[0-9]+\.[0-9]+\.[0-9]+)-")


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield images for another version, and images that do not say."""
    version = context.spec.parallelcluster.version
    reported: set[str] = set()
    for launch, image in each_own_image(context):
        id_, built_for = image["ImageId"], _version(image)
        if id_ in reported or built_for == version:
            continue
        reported.add(id_)
        if built_for is None:
            message = f"image {id_} does not say which version of ParallelCluster it was built for"
            remedy = f"build it with `pcluster build-image` of {version}, unless you know that it was"
            yield Problem(launch.paths.image, message, remedy, "warning")
        else:
            message = f"image {id_} was built for ParallelCluster {built_for}, and {version} makes the cluster"
            yield Problem(launch.paths.image, message, f"build it again, or write parallelcluster.version: {built_for}")


def _version(image: Described) -> str | None:
    official = _OFFICIAL.match(image.get("Name", ""))
    return tags_of(image).get(_TAG) or (None if official is None else official["version"])


PREFLIGHT = Preflight(
    severity="error",
    applies_to="made_by_parallelcluster",
    title="Machine image for another version of ParallelCluster",
    rationale=(
        "An image holds the software of the version that built it and carries its number as a tag. No other version "
        "accepts it (CustomAmiTagValidator). Tags do not follow an image into another account."
    ),
    remedy="build the image again, or use the version that it was built for",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/building-custom-ami-v3.html",
    permissions=("ec2:DescribeImages",),
    check=check,
)
