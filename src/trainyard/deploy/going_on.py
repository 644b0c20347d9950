"""How to go on where a deployment has stopped before the cluster, so that images can be built first."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from trainyard.bundle.image import assemble_images
from trainyard.errors import TrainyardError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from trainyard.deploy.work import Work


def commands_after(work: Work, file: str, lock: Path | None = None) -> tuple[str, ...]:
    """Return the commands in their order: the first writes what builds the images, where there is anything to bake."""
    given = quote(file) if lock is None else f"{quote(file)} --lock {quote(str(lock))}"
    return (*_image(work, given), f"trainyard deploy {given}")


def _image(work: Work, given: str) -> Iterator[str]:
    try:
        used = assemble_images(work.wanted(), work.outputs, work.assets_lock).outputs
    except TrainyardError:
        return  # the nodes install nothing, or nobody knows where their image could be built
    known = [f"--stack-output {quote(f'{name}={work.outputs[name]}')}" for name in sorted(used & work.outputs.keys())]
    yield " ".join(("trainyard image", given, *known))
