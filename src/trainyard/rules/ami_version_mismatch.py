"""Images of your own that were built for another version of ParallelCluster."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.finding import Path
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield the version that images were built for where it is not the one that makes the cluster."""
    built_for, version = spec.image.built_for, spec.parallelcluster.version
    if built_for in (None, version):
        return
    if images := dict.fromkeys(ami for _, ami in own_images(spec)):
        yield Problem(
            ("image", "built_for"),
            f"{', '.join(images)} built for {built_for}, and ParallelCluster {version} makes the cluster",
            f"build the image again with {version}, or write parallelcluster.version: {built_for}",
        )


def own_images(spec: Spec) -> Iterator[tuple[Path, str]]:
    """Yield every image of the user's own with its place in the spec."""
    places: list[tuple[Path, str | None]] = [
        (("image", "ami"), spec.image.ami),
        (("head_node", "ami"), spec.head_node.ami),
        *(((*path, "ami"), pool.ami) for path, pool in spec.login_pools()),
        *((("queues", index, "ami"), queue.ami) for index, queue in enumerate(spec.queues)),
    ]
    yield from ((path, ami) for path, ami in places if ami is not None)


RULE = Rule(
    severity="error",
    applies_to="made_by_parallelcluster",
    title="Image built for another version of ParallelCluster",
    rationale=(
        "An image holds the software of the version that built it, and no other version accepts it "
        "(CustomAmiTagValidator). Every upgrade therefore takes a new image and a new cluster."
    ),
    remedy="build the image again, or use the version that it was built for",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/building-custom-ami-v3.html",
    bad="""\
image: {ami: ami-0123456789abcdef0, built_for: 3.14.2}
parallelcluster: {version: 3.16.1}
""",
    good="""\
image: {ami: ami-0123456789abcdef0, built_for: 3.16.1}
parallelcluster: {version: 3.16.1}
""",
    check=check,
)
