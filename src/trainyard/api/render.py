"""Rendering specs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from trainyard.api.lock_file import lock_of
from trainyard.bundle.assemble import Bundle
from trainyard.bundle.assemble import assemble as assemble_bundle
from trainyard.checking.spec_file import FileFindings, check_file
from trainyard.edge.bundle_folder import WrittenBundle, write_folder
from trainyard.errors import InputError, SpecError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Bundle", "FileRendering", "assemble_bundle", "render_file"]


class FileRendering(NamedTuple):
    """A spec that was rendered into a folder, or was not because of errors; then ``written`` is None."""

    checked: FileFindings
    bundle: Bundle | None
    written: WrittenBundle | None


def render_file(
    file: str,
    folder: Path | None = None,
    *,
    outputs: Mapping[str, str] | None = None,
    lock: Path | None = None,
    force: bool = False,
) -> FileRendering:
    """Check a spec file and write its bundle, by default into build/NAME. Nothing is written when there are errors.

    ``lock`` is the lock of its assets, by default the one beside it.
    Raises FindingsError where the file is no spec, InputError where an output is not used or the folder must not be
    replaced, or the lock is damaged or not there, and TrainyardError where the platform cannot be rendered or the
    folder cannot be written.
    """
    checked = check_file(file)
    if checked.parsed is None:
        raise SpecError(checked.findings)
    if checked.has_errors:
        return FileRendering(checked, None, None)
    bundle = assemble_bundle(checked.parsed.spec, outputs, lock_of(file, lock))
    if unused := sorted(set(outputs or ()) - bundle.outputs):
        used = ", ".join(sorted(bundle.outputs)) or "none at all"
        raise InputError(f"this spec uses no stack output {unused[0]!r}", where=unused[0], hint=f"it uses {used}")
    folder = folder or Path("build") / checked.parsed.spec.name
    return FileRendering(checked, bundle, write_folder(folder, bundle.files, force=force))
