"""Reads a file that trainyard itself has written for the user, bounded."""

from __future__ import annotations

from pathlib import Path

from trainyard.errors import InputError


def read_small_file(file: Path, most_bytes: int) -> bytes | None:
    """Return the content of a file, None where there is none. Raises InputError where it cannot be read."""
    try:
        with file.open("rb") as stream:
            content = stream.read(most_bytes + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        problem = f"{file} cannot be read: {error.strerror}"
        raise InputError(problem, where=str(file), hint="check its permissions and the disk") from error
    if len(content) > most_bytes:
        raise InputError(f"{file} is larger than {most_bytes:,} bytes", where=str(file), hint="is it the right file?")
    return content
