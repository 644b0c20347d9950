"""What an archive of logs may be called: its name says what it is, so that whoever gets it can open it."""

from __future__ import annotations

from pathlib import Path

from trainyard.errors import InputError

_ENDINGS = (".tar.gz", ".tgz")


def refuse_other_endings(file: Path, option: str) -> None:
    """Raise InputError where a name is not that of a gzipped tar, which is all that is written."""
    if file.name.casefold().endswith(_ENDINGS):
        return
    called = file.name.partition(".")[0] or "logs"
    raise InputError(
        f"{file} is no name for an archive: {option} writes a gzipped tar",
        where=option,
        hint=f"call it {file.with_name(called + _ENDINGS[0])}",
    )
