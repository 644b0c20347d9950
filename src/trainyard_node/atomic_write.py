"""Files that are there in full or not at all, whenever the node dies."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from trainyard_node.errors import NO_SPACE, NodeError
from trainyard_node.samples import Samples

# 60-node-exporter.sh names it.
FOLDER = "/var/lib/node_exporter/textfile"


def write_whole(path: Path, text: str, mode: int = 0o644) -> None:
    """Write a file at once. Raises OSError, and then leaves what was there."""
    path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    # One name for all times: what a killed run leaves is overwritten, not added to.
    new = path.with_name(f".{path.name}.new")
    try:
        with new.open("w", encoding="utf-8") as file:
            os.fchmod(file.fileno(), mode)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except OSError:
        _remove(new)
        raise


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink()


def write_textfile(file: Path, samples: Samples) -> None:
    """Write the samples, all at once. node_exporter's user, which is another one, reads them."""
    try:
        write_whole(file, samples.text())
    except OSError as error:
        raise NodeError(f"cannot write {file} ({error.strerror}): make room for it", NO_SPACE) from error
