"""The images of job definitions: which registries of ECR they come from."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainyard.catalog.partition import partition_of
from trainyard.spec.cluster import Spec

# https://docs.aws.amazon.com/AmazonECR/latest/userguide/Registries.html
_PRIVATE = re.compile(r"(?P<account>\d{12})\.dkr\.ecr\.(?P<region>[a-z0-9-]+)\.amazonaws\.com[a-z.]*/(?P<name>[^:@]+)")


def repositories(spec: Spec) -> Iterator[str]:
    """Yield the ARNs of the private repositories of ECR that the spec's images lie in, each once."""
    named = (spec.batch.stress_image, spec.batch.nccl_image, spec.batch.pytorch_image)
    found = (_PRIVATE.match(image) for image in named if image is not None)
    yield from dict.fromkeys(
        f"arn:{partition_of(spec.region)}:ecr:{one['region']}:{one['account']}:repository/{one['name']}"
        for one in found
        if one is not None
    )
