"""Where the lock of a spec's assets lies, and what is in it."""

from __future__ import annotations

from pathlib import Path
from shlex import join

from trainyard.bundle.asset_lock import FILE_NAME, MOST_BYTES, parse_lock
from trainyard.deploy.shell_words import STANDARD_INPUT, file_argument, spec_argument
from trainyard.edge.text_file import read_small_file
from trainyard.errors import InputError


def beside(file: str) -> Path:
    """Return where the lock of a spec file is; in the working folder for standard input."""
    return Path(FILE_NAME) if file == STANDARD_INPUT else Path(file).with_name(FILE_NAME)


def lock_of(file: str, named: Path | None = None) -> bytes | None:
    """Return the lock of a spec file as it stands in the file that was named for it, or else beside it.

    None where none lies beside it. Raises InputError where it is damaged, or where one was named and is not there.
    """
    if named is not None and not named.name:
        raise InputError("the name of the lock is empty, or that of a folder", where="--lock", hint="name a file")
    place = named or beside(file)
    content = read_small_file(place, MOST_BYTES)
    if content is None and named is not None:
        hint = f"`{command_to_lock(file, named)}` makes it"
        raise InputError(f"there is no lock {named}", where=str(named), hint=hint)
    parse_lock(content, str(place))
    return content


def command_to_lock(file: str, named: Path | None = None) -> str:
    """Return the command that makes the lock of a spec, as a shell takes it."""
    place = [] if named is None else ["-o", file_argument(str(named))]
    return join(["trainyard", "assets", "lock", spec_argument(file), *place])
