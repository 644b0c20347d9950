"""What an image may be built on, as ParallelCluster takes it: an AMI by its id, an image of Image Builder by its ARN.

https://docs.aws.amazon.com/parallelcluster/latest/ug/Build-v3.html
"""

from __future__ import annotations

import re

from trainyard.catalog.partition import partition_of
from trainyard.errors import InputError

_AMI = re.compile(r"ami-(?:[0-9a-f]{8}|[0-9a-f]{17})")
# https://docs.aws.amazon.com/imagebuilder/latest/APIReference/API_GetImage.html
_IMAGE = re.compile(
    r"arn:(?P<partition>[a-z0-9-]+):imagebuilder:(?P<region>[a-z0-9-]+):(?:[0-9]{12}|aws(?:-[a-z-]+)?)"
    r":image/[a-z0-9_-]+/(?:(?:[0-9]+|x)(?:\.(?:[0-9]+|x)){2}|[0-9]+\.[0-9]+\.[0-9]+/[0-9]+)"
)


def refuse_wrong_parent(parent: str, region: str) -> None:
    """Raise InputError where nothing can be built on that in a region."""
    if _AMI.fullmatch(parent):
        return
    match = _IMAGE.fullmatch(parent)
    if match is None:
        forms = "ami-0a1b2c3d4e5f60718 or arn:aws:imagebuilder:REGION:ACCOUNT:image/NAME/VERSION"
        raise _wrong(f"{parent!r} is neither the id of an image nor an ARN of Image Builder", f"write it like {forms}")
    partition = partition_of(region)
    if match["partition"] != partition:
        raise _wrong(
            f"{parent} is of partition {match['partition']}, and {region} of {partition}",
            f"name an image that {partition} has in {region}",
        )
    if match["region"] != region:
        raise _wrong(
            f"{parent} lies in {match['region']}, and the image is built in {region}",
            f"name an image that {region} has",
        )


def _wrong(problem: str, hint: str) -> InputError:
    return InputError(problem, where="--parent-image", hint=hint)
