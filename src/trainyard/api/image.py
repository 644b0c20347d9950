"""What builds the images of a cluster's nodes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from trainyard.api.lock_file import lock_of
from trainyard.bundle.image import ImageBundle, assemble_images
from trainyard.bundle.parent_image import refuse_wrong_parent
from trainyard.checking.spec_file import FileFindings, check_file
from trainyard.edge.bundle_folder import WrittenBundle, write_folder
from trainyard.errors import InputError, SpecError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ImageBundle", "RenderedImages", "render_images"]


@dataclass(frozen=True, slots=True)
class RenderedImages:
    """A spec whose images were rendered into a folder, or were not because of errors; then ``written`` is None."""

    checked: FileFindings
    bundle: ImageBundle | None
    written: WrittenBundle | None
    locked: bool
    """Whether there was a lock. Without one, steps that install anything fail."""


def render_images(  # noqa: PLR0913  one for each option
    file: str,
    folder: Path | None = None,
    *,
    outputs: Mapping[str, str] | None = None,
    parent: str | None = None,
    lock: Path | None = None,
    force: bool = False,
) -> RenderedImages:
    """Check a spec file and write what builds its images, by default into build/NAME-image.

    ``parent`` is what they are built on, and ``lock`` the lock of the assets, by default the one beside the spec.
    Raises FindingsError where the file is no spec, InputError where an output is not used, the parent is no image of
    the region, the lock is damaged or not there, or the folder must not be replaced, and TrainyardError where there is
    nothing to bake or the folder cannot be written.
    """
    checked = check_file(file)
    if checked.parsed is None:
        raise SpecError(checked.findings)
    if checked.has_errors:
        return RenderedImages(checked, None, None, locked=False)
    spec = checked.parsed.spec
    if parent is not None:
        refuse_wrong_parent(parent, spec.region)
    content = lock_of(file, lock)
    bundle = assemble_images(spec, outputs, content, parent)
    if unused := sorted(set(outputs or ()) - bundle.outputs):
        used = ", ".join(sorted(bundle.outputs)) or "none at all"
        raise InputError(f"the images use no stack output {unused[0]!r}", where=unused[0], hint=f"they use {used}")
    written = write_folder(folder or Path("build") / f"{spec.name}-image", bundle.files, force=force)
    return RenderedImages(checked, bundle, written, locked=content is not None)
