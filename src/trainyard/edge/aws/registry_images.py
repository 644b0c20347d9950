"""Amazon ECR: whether the image that a container is to run is there. Asks only.

https://docs.aws.amazon.com/AmazonECR/latest/APIReference/API_DescribeImages.html
"""

from __future__ import annotations

import re
from functools import partial

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import answer_or_none

# https://docs.aws.amazon.com/AmazonECR/latest/userguide/Registries.html
_PRIVATE = re.compile(
    r"(?P<account>\d{12})\.dkr[.-]ecr(?:-fips)?\.(?P<region>[a-z0-9-]+)\.(?:amazonaws\.com(?:\.cn)?|on\.aws)/"
    r"(?P<repository>[^:@]+)(?::(?P<tag>[^@]+))?(?:@(?P<digest>sha256:[0-9a-f]{64}))?"
)
_MISSING = {"ImageNotFoundException", "RepositoryNotFoundException"}


def is_private(image: str) -> bool:
    """Return whether an image is named as one in a private registry of ECR."""
    return _PRIVATE.fullmatch(image) is not None


def image_is_there(account: Account, image: str) -> bool | None:
    """Return whether an image is in its registry; None where that is not ECR's private one, which nobody asks here.

    Raises NotAllowedError, or TrainyardError where AWS does not answer.
    """
    named = _PRIVATE.fullmatch(image)
    if named is None:
        return None
    which = {"imageDigest": named["digest"]} if named["digest"] else {"imageTag": named["tag"] or "latest"}
    call = partial(
        account.client("ecr", named["region"]).describe_images,
        registryId=named["account"],
        repositoryName=named["repository"],
        imageIds=[which],
    )
    found = answer_or_none(account, "ecr:DescribeImages", call, _MISSING)
    return bool((found or {}).get("imageDetails"))
