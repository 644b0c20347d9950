"""The AWS commands that make, or find, what a cluster needs. A test holds them against botocore's own models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainyard.bundle.by_hand.endpoints import endpoints
from trainyard.bundle.by_hand.images import images, images_of
from trainyard.bundle.by_hand.key import key_policy
from trainyard.bundle.by_hand.secrets import secrets
from trainyard.render.secrets import secrets_of
from trainyard.spec.cluster import Spec


def to_look_at(spec: Spec) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield what has to exist, or to be allowed, beside all that is made: a text, and its commands."""
    existing = spec.network.existing
    if existing is not None and spec.network.internet == "none":
        text = (
            "Unless your VPC has them, endpoints through which nodes reach AWS. It needs DNS resolution and host names:"
        )
        yield text, endpoints(spec, existing)
    # Elsewhere no node opens what the key encrypts, and images are not for ParallelCluster.
    if spec.platform != "parallelcluster" and not spec.is_environment:
        return
    if spec.iam.kms_key is not None:
        text = (
            "Nodes need this policy to attach volumes and to read objects that the key encrypts. "
            "Name what is printed in `iam.policies` of the spec and render again, unless it is there already:"
        )
        yield text, key_policy(spec)
    if secrets_of(spec):
        yield "These secrets have to exist:", secrets(spec)
    if images_of(spec):
        version, built_for = spec.parallelcluster.version, spec.image.built_for
        said = "say in `image.built_for` what it is" if built_for is None else f"`image.built_for` says {built_for}"
        yield f"Images of your own have to be built for ParallelCluster {version}; {said}:", images(spec)
