"""assets.lock.json: which files an asset has on this system, checked as if a stranger had written it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

from trainyard_node.errors import NodeError
from trainyard_node.exit_status import DAMAGED, SETTING


class LockedFile(NamedTuple):
    """A file of an asset."""

    name: str
    file: str
    size_bytes: int
    sha256: str


def locked_files(lock: Path, name: str, system: str, arch: str) -> list[LockedFile]:
    """Return the files of an asset for a system and an architecture, in the order of the lock."""
    wanted = [entry for entry in _entries(lock) if entry.get("name") == name and _fits(entry, system, arch)]
    if not wanted:
        raise NodeError(
            f"{lock.name} of the release holds no {name} for {system} on {arch}: "
            "run `trainyard assets lock` for the spec and deploy it again",
            SETTING,
        )
    return [_file(entry, lock) for entry in wanted]


def _entries(lock: Path) -> list[dict[str, Any]]:
    try:
        values = json.loads(lock.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        raise _damaged(lock) from error
    entries = values.get("assets") if isinstance(values, dict) and values.get("schema") == 1 else None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise _damaged(lock)
    return entries


def _fits(entry: dict[str, Any], system: str, arch: str) -> bool:
    return entry.get("os") in {None, system} and entry.get("arch") in {None, arch}


def _file(entry: dict[str, Any], lock: Path) -> LockedFile:
    file, sha256, size = entry.get("file"), entry.get("sha256"), entry.get("size_bytes")
    # They become a path and a URL.
    if not (isinstance(file, str) and re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._+~-]*", file)):
        raise _damaged(lock)
    if not (isinstance(sha256, str) and re.fullmatch(r"[0-9a-f]{64}", sha256) and isinstance(size, int)):
        raise _damaged(lock)
    return LockedFile(entry["name"], file, size, sha256)


def _damaged(lock: Path) -> NodeError:
    return NodeError(f"{lock} is damaged: run `trainyard assets lock` for the spec and deploy it again", DAMAGED)
