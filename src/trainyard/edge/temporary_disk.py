"""Whether there is room for temporary files: a program that finds none often ends without a word."""

from __future__ import annotations

import errno
import tempfile

from trainyard.errors import TrainyardError

# What a deployment writes there: a config, a synthesised template and the log of pcluster.
_NEEDED_BYTES = 4 << 20
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def refuse_full_disk(program: str) -> None:
    """Raise TrainyardError where the disk of temporary files is full. ``program`` is what failed without a reason."""
    try:
        with tempfile.TemporaryFile() as file:
            file.write(bytes(_NEEDED_BYTES))
            file.flush()
    except OSError as error:
        if error.errno not in _FULL:
            raise
        raise TrainyardError(
            f"{program} failed: no space left on the disk of temporary files",
            where=tempfile.gettempdir(),
            hint="free some space, or set TMPDIR to a folder that has some; then run the command again",
        ) from error
