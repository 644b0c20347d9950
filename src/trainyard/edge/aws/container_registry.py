"""Amazon ECR: repositories, the images in them, and the password with which Docker pushes into them.

https://docs.aws.amazon.com/AmazonECR/latest/APIReference/Welcome.html
"""

from __future__ import annotations

import base64
import re
from typing import Any, NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import call
from trainyard.errors import TrainyardError

# https://docs.aws.amazon.com/AmazonECR/latest/userguide/Registries.html
_PRIVATE = re.compile(
    r"(?P<account>\d{12})\.dkr[.-]ecr(?:-fips)?\.(?P<region>[a-z0-9-]+)\.(?:amazonaws\.com(?:\.cn)?|on\.aws)/"
    r"(?P<repository>[^:@]+)(?::(?P<tag>[^@]+))?(?:@(?P<digest>sha256:[0-9a-f]{64}))?"
)
_NO_REPOSITORY = ("RepositoryNotFoundException",)
_NO_IMAGE = ("ImageNotFoundException",)


class Login(NamedTuple):
    """What opens a registry for some hours."""

    registry: str
    """Its host."""
    user: str
    password: str

    def __repr__(self) -> str:
        """Leave out the password."""
        return f"Login({self.registry}, {self.user})"


class Repository(NamedTuple):
    """A repository."""

    name: str
    url: str
    fixed_tags: bool
    """Whether a tag names one image for ever."""


def find_repository(account: Account, name: str) -> Repository | None:
    """Return a repository by its name, None where there is none. Raises TrainyardError where AWS does not answer."""
    answer = call(account, "ecr", "describe_repositories", none_if=_NO_REPOSITORY, repositoryNames=[name])
    if not answer:
        return None
    (described,) = answer["repositories"]
    has_fixed_tags = described.get("imageTagMutability", "MUTABLE").startswith("IMMUTABLE")
    return Repository(name, described["repositoryUri"], has_fixed_tags)


def digest_of(account: Account, repository: str, tag: str) -> str | None:
    """Return the digest of the image that a tag names, None where it names none."""
    place: dict[str, Any] = {"repositoryName": repository, "imageIds": [{"imageTag": tag}]}
    answer = call(account, "ecr", "describe_images", none_if=_NO_IMAGE, **place) or {}
    digests = [image.get("imageDigest") for image in answer.get("imageDetails", ())]
    return str(digests[0]) if digests and digests[0] else None


def is_private(image: str) -> bool:
    """Return whether an image is named as one in a private registry of ECR."""
    return _PRIVATE.fullmatch(image) is not None


def image_is_there(account: Account, image: str) -> bool | None:
    """Return whether an image is in its registry; None where that is not ECR's private one, which nobody asks here.

    https://docs.aws.amazon.com/AmazonECR/latest/APIReference/API_DescribeImages.html
    Raises NotAllowedError, or TrainyardError where AWS does not answer.
    """
    named = _PRIVATE.fullmatch(image)
    if named is None:
        return None
    which = {"imageDigest": named["digest"]} if named["digest"] else {"imageTag": named["tag"] or "latest"}
    answer = call(
        account,
        "ecr",
        "describe_images",
        none_if=_NO_IMAGE + _NO_REPOSITORY,
        region=named["region"],
        registryId=named["account"],
        repositoryName=named["repository"],
        imageIds=[which],
    )
    return bool((answer or {}).get("imageDetails"))


def login(account: Account, registry: str) -> Login:
    """Return what opens a registry. Raises TrainyardError where AWS does not give it.

    https://docs.aws.amazon.com/AmazonECR/latest/APIReference/API_GetAuthorizationToken.html
    """
    encoded = call(account, "ecr", "get_authorization_token")["authorizationData"][0]["authorizationToken"]
    user, colon, password = base64.b64decode(encoded).decode().partition(":")
    if not colon:
        raise TrainyardError("ECR has given no user and password", where=registry, hint="run the command again")
    return Login(registry, user, password)
