"""Looking for which ParallelCluster the user's own images were built."""

from __future__ import annotations

from collections.abc import Sequence

from trainyard.bundle.by_hand.aws_command import aws
from trainyard.spec.cluster import Spec

# The tag that pcluster build-image gives: pcluster/constants.py in https://github.com/aws/aws-parallelcluster
_TAG = "parallelcluster:version"


def images_of(spec: Spec) -> Sequence[str]:
    """Return the ids of all images that a spec names."""
    pools = (pool.ami for _, pool in spec.login_pools())
    named = (spec.image.ami, spec.head_node.ami, *pools, *(queue.ami for queue in spec.queues))
    return [ami for ami in dict.fromkeys(named) if ami is not None]


def images(spec: Spec) -> Sequence[str]:
    """Return how to ask for the tag of every image."""
    query = f"Images[].[ImageId,Tags[?Key=='{_TAG}']|[0].Value]"
    return [
        aws(
            spec.region, "ec2 describe-images", "--image-ids", *images_of(spec), "--query", query, "--output", "text",
        )
    ]  # fmt: skip
