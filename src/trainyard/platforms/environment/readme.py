"""The README of a bundle for an environment: how to run its monitoring instance, and to remove its stacks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from trainyard.bundle.markdown import Pieces
from trainyard.bundle.readme_contents import ReadmeContents, stacks_removed, upload_commands
from trainyard.spec.cluster import Spec

CREATE_COMMAND = None
BENCH_FILES = ()
_PAGE = Pieces(Path(__file__).with_suffix(".md"))


def version_note(spec: Spec) -> None:
    """Return nothing: clusters of any platform use it."""
    del spec


def steps(spec: Spec, contents: ReadmeContents) -> Iterator[str]:
    """Yield the lines of the steps from the second on."""
    if spec.installs_anything:
        yield from _PAGE.lines("publish")
        yield from upload_commands(spec, contents)
    yield from _PAGE.lines("remove", number="3" if spec.installs_anything else "2")
    yield from stacks_removed(spec, contents.rendering.stacks, "When no cluster uses it any more.")
