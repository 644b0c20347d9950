"""Where a node finds the release that it runs: also one whose bootstrap failed, for whoever looks at it."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from trainyard_node.atomic_write import write_whole
from trainyard_node.places import Places

_PROGRAM = """\
#!/bin/sh
exec python3 /opt/trainyard/current/trainyard-node.pyz "$@"
"""


def make_current(release: Path, places: Places) -> None:
    """Lead /opt/trainyard/current to a release, and have trainyard-node on the PATH.

    Raises OSError where that cannot be written, and where the release is that link: it would lead to itself.
    """
    current = places.at("/opt/trainyard/current")
    if release.parent.resolve() / release.name == current.parent.resolve() / current.name:
        raise OSError(errno.ELOOP, "it would lead to itself", str(current))
    current.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    if not current.is_symlink() or current.readlink() != release:
        new = current.with_name(".current.new")
        if new.is_symlink():
            new.unlink()
        new.symlink_to(release)
        new.replace(current)
    program = places.at("/usr/local/bin/trainyard-node")
    if not os.access(program, os.X_OK) or program.read_bytes() != _PROGRAM.encode():
        write_whole(program, _PROGRAM, 0o755)
