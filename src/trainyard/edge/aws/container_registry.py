"""Amazon ECR: the repository of a cluster, its tags, and the password with which Docker pushes into it.

https://docs.aws.amazon.com/AmazonECR/latest/APIReference/Welcome.html
"""

from __future__ import annotations

import base64
from functools import partial
from typing import NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import answer, answer_or_none, client
from trainyard.errors import TrainyardError


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
    call = partial(client(account, "ecr").describe_repositories, repositoryNames=[name])
    found = answer_or_none(account, "ecr:DescribeRepositories", call, {"RepositoryNotFoundException"})
    if not found:
        return None
    (one,) = found["repositories"]
    return Repository(name, one["repositoryUri"], one.get("imageTagMutability", "MUTABLE").startswith("IMMUTABLE"))


def digest_of(account: Account, repository: str, tag: str) -> str | None:
    """Return the digest of the image that a tag names, None where it names none."""
    call = partial(client(account, "ecr").describe_images, repositoryName=repository, imageIds=[{"imageTag": tag}])
    found = answer_or_none(account, "ecr:DescribeImages", call, {"ImageNotFoundException"})
    digests = [one.get("imageDigest") for one in (found or {}).get("imageDetails", ())]
    return str(digests[0]) if digests and digests[0] else None


def login(account: Account, registry: str) -> Login:
    """Return what opens a registry. Raises TrainyardError where AWS does not give it.

    https://docs.aws.amazon.com/AmazonECR/latest/APIReference/API_GetAuthorizationToken.html
    """
    call = client(account, "ecr").get_authorization_token
    given = answer(account, "ecr:GetAuthorizationToken", call)["authorizationData"][0]["authorizationToken"]
    user, colon, password = base64.b64decode(given).decode().partition(":")
    if not colon:
        raise TrainyardError("ECR has given no user and password", where=registry, hint="run the command again")
    return Login(registry, user, password)
