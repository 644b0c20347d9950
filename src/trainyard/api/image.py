"""What builds the images of a cluster's nodes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from trainyard.api.assets import lock_beside
from trainyard.bundle.image import ImageBundle, assemble_images
from trainyard.checking.spec_file import Checked, check_file
from trainyard.edge.bundle_folder import Written, write_folder
from trainyard.errors import InputError, SpecError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ImageBundle", "RenderedImages", "render_images"]


@dataclass(frozen=True, slots=True)
class RenderedImages:
    """A spec whose images were rendered into a folder, or were not because of errors; then ``written`` is None."""

    checked: Checked
    bundle: ImageBundle | None
    written: Written | None
    locked: bool
    """Whether a lock lay beside the spec. Without one, steps that install anything fail."""


def render_images(
    file: str,
    folder: Path | None = None,
    *,
    outputs: Mapping[str, str] | None = None,
    parent: str | None = None,
    force: bool = False,
) -> RenderedImages:
    """Check a spec file and write what builds its images, by default into build/NAME-image.

    Raises FindingsError where the file is no spec, InputError where an output is not used or the folder must not be
    replaced, and TrainyardError where there is nothing to bake or the folder cannot be written.
    """
    checked = check_file(file)
    if checked.parsed is None:
        raise SpecError(checked.findings)
    if checked.has_errors:
        return RenderedImages(checked, None, None, locked=False)
    lock = lock_beside(file)
    made = assemble_images(checked.parsed.spec, outputs, lock, parent)
    if unused := sorted(set(outputs or ()) - made.outputs):
        used = ", ".join(sorted(made.outputs)) or "none at all"
        raise InputError(f"the images use no stack output {unused[0]!r}", where=unused[0], hint=f"they use {used}")
    written = write_folder(folder or Path("build") / f"{checked.parsed.spec.name}-image", made.files, force=force)
    return RenderedImages(checked, made, written, locked=lock is not None)
