"""What the README of a bundle is about, and the sections that READMEs of several platforms have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from trainyard.bundle.asset_lock import AssetLock
from trainyard.bundle.by_hand.assets import mirrored, repacked, upload
from trainyard.bundle.by_hand.reservations import ungrouped
from trainyard.bundle.by_hand.stacks import removed
from trainyard.bundle.markdown import block
from trainyard.bundle.release import Release
from trainyard.render.cloudformation.stack import Stack
from trainyard.render.collection import collection
from trainyard.render.rendering import Rendering
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec

OUTLIVING_STACKS = (
    "File systems and metrics in Amazon Managed Prometheus outlive their stack and go on costing money until you "
    "delete them yourself; the network cannot be deleted before the file systems."
)
"""What outlives its stack."""


@dataclass(frozen=True, slots=True)
class ReadmeContents:
    """What a README is about."""

    rendering: Rendering
    release: Release | None
    """None where nodes install nothing."""
    monitoring: Mapping[str, bytes]
    """The files below monitoring/, by name."""
    known: Mapping[str, str]
    """The stack outputs that need no stand-in."""
    lock: AssetLock
    """What is locked for its nodes."""


def published(spec: Spec, contents: ReadmeContents) -> Iterator[str]:
    """Yield how to put what nodes fetch into the bucket, nothing where they fetch nothing."""
    if contents.lock.assets:
        yield from block(
            "What nodes install, each file compared with what was locked:", [*mirrored(spec, contents.lock)]
        )
    if contents.release is not None and contents.release.stand_ins:
        yield from block(
            "The release was packed before its ids were known. It is packed anew with the files that they were written "
            "into; nodes would send their metrics nowhere otherwise:",
            [*repacked(collection(spec, Ids({})))],
        )
    if spec.installs_anything:
        yield from block(
            "What nodes fetch when they start. It has to be there before they are, the pointer last:",
            upload(spec),
        )


def removed_after_cluster(spec: Spec, stacks: Sequence[Stack]) -> Iterator[str]:
    """Yield how to delete what was made for a cluster, once that is gone."""
    if groups := list(ungrouped(spec)):
        yield from block("The groups of reservations; the reservations themselves stay:", groups)
    if stacks:
        text = "Once the cluster is gone and nothing else needs them, the stacks, the last one first."
        yield from block(f"{text} {OUTLIVING_STACKS}", list(removed(spec, stacks)))
