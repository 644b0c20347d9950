"""Machine images for processors that the nodes do not have."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.deploy.account_state.images import architecture_of, each_own_image
from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.rules import Problem


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield images beside nodes of another architecture."""
    for launch, image in each_own_image(context):
        for name in launch.instance_types:
            needed, has = architecture_of(context, name), image.get("Architecture")
            if None not in (needed, has) and needed != has:
                message = f"image {image['ImageId']} is for {has}, and {launch.title} is of {name}, which is {needed}"
                yield Problem(launch.paths.image, message)


PREFLIGHT = Preflight(
    severity="error",
    title="Machine image for other processors",
    rationale=(
        "An image for x86_64 does not boot on arm64, nor the other way round: EC2 refuses to launch the instance."
    ),
    remedy="name an image for the architecture of the instance type",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ComponentsAMIs.html",
    permissions=("ec2:DescribeImages", "ec2:DescribeInstanceTypes"),
    check=check,
)
