"""A version of the EFA installer older than the one that ParallelCluster's images have."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainyard.catalog.instances import uses_efa
from trainyard.catalog.parallelcluster import VersionRange, version_in_images
from trainyard.launch.setup import setup_of
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec
from trainyard.spec.queue import Queue


def check(spec: Spec) -> Iterator[Problem]:
    """Yield a version that nodes with an official image refuse, or may refuse."""
    efa, version = spec.software.efa_version, spec.parallelcluster.version
    if efa is None or not _on_official_images(spec):
        return
    image = version_in_images("efa-installer", version)
    if image is None:
        return
    if _number(efa) < _number(image.least):
        message = f"EFA installer {efa}, and the images of ParallelCluster {version} have {_in_words(image)}"
        yield Problem(("software", "efa_version"), message, _remedy(image))
    elif image.most is not None and _number(efa) < _number(image.most):
        message = f"EFA installer {efa}, and the images of ParallelCluster {version} may have {image.most} already"
        yield Problem(("software", "efa_version"), message, _remedy(image), "warning")


def queues_installing_efa(spec: Spec) -> Iterator[Queue]:
    """Yield the queues whose nodes have EFA and a setup, and so take the step that installs it."""
    for queue in spec.queues:
        types = ((name, group.efa) for group in spec.groups_in(queue) for name in group.instance_types)
        if setup_of(spec, queue) != "none" and any(uses_efa(name, efa) for name, efa in types):
            yield queue


def _on_official_images(spec: Spec) -> bool:
    return spec.image.ami is None and any(queue.ami is None for queue in queues_installing_efa(spec))


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version))


def _in_words(image: VersionRange) -> str:
    return image.least if image.least == image.most else f"{image.least} or a later one"


def _remedy(image: VersionRange) -> str:
    enough = image.most or image.least
    return f"remove the key and keep what the image has, or write {enough} or a later version"


RULE = Rule(
    severity="error",
    applies_to="made_by_parallelcluster",
    title="EFA installer older than the image's",
    rationale=(
        "The installer leaves packages that are newer as they are and yet writes down its own version, so nodes never "
        "go back and refuse an older version with status 64: none of them comes up. What images have is known from "
        "ParallelCluster's release notes, as far as they say it; an image of your own is not judged."
    ),
    remedy="remove the key and keep what the image has, or write a later version",
    source="https://github.com/aws/aws-parallelcluster/releases/tag/v3.16.3",
    bad="""\
software: {setup: gpu, efa_version: 1.38.0}
timeouts: {head_node_s: 3600, compute_node_s: 2400}
""",
    good="""\
software: {setup: gpu, efa_version: 1.51.0}
timeouts: {head_node_s: 3600, compute_node_s: 2400}
""",
    check=check,
)
