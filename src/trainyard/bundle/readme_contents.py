"""What the README of a bundle is about, and the sections that READMEs of several platforms have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from trainyard.bundle.asset_lock import AssetLock
from trainyard.bundle.by_hand.assets import mirror_commands, repack_commands, upload
from trainyard.bundle.by_hand.reservations import delete_group_commands
from trainyard.bundle.by_hand.stacks import delete_stack_commands
from trainyard.bundle.markdown import Pieces
from trainyard.bundle.release import Release
from trainyard.render.cloudformation.stack import Stack
from trainyard.render.collection import collection
from trainyard.render.rendering import Rendering
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec

_PAGE = Pieces(Path(__file__).with_suffix(".md"))


class ReadmeContents(NamedTuple):
    """What a README is about."""

    rendering: Rendering
    release: Release | None
    """None where nodes install nothing."""
    monitoring: Mapping[str, bytes]
    """The files below monitoring/, by name."""
    outputs: Mapping[str, str]
    """The stack outputs that need no stand-in."""
    lock: AssetLock
    """What is locked for its nodes."""


def upload_commands(spec: Spec, contents: ReadmeContents) -> Iterator[str]:
    """Yield how to put what nodes fetch into the bucket, nothing where they fetch nothing."""
    if commands := list(mirror_commands(spec, contents.lock)):
        yield from _PAGE.lines("mirrored", commands=commands)
    if contents.release is not None and contents.release.stand_ins:
        yield from _PAGE.lines("repacked", commands=list(repack_commands(collection(spec, Ids({})))))
    if spec.installs_anything:
        yield from _PAGE.lines("upload", commands=upload(spec))


def removal_commands(spec: Spec, stacks: Sequence[Stack]) -> Iterator[str]:
    """Yield how to delete what was made for a cluster, once that is gone."""
    if groups := list(delete_group_commands(spec)):
        yield from _PAGE.lines("reservation-groups", commands=groups)
    if stacks:
        when = "Once the cluster is gone and nothing else needs them, the stacks, the last one first."
        yield from stacks_removed(spec, stacks, when)


def stacks_removed(spec: Spec, stacks: Sequence[Stack], when: str) -> Iterator[str]:
    """Yield how to delete stacks, and what outlives them. ``when`` is a sentence."""
    return _PAGE.lines("stacks", when=when, commands=list(delete_stack_commands(spec, stacks)))
