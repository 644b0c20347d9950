"""Gives a step the files of an asset: from the cluster's bucket, and only what assets.lock.json names."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from trainyard_node.errors import DAMAGED, LATER, NO_SPACE, SETTING, UNREACHABLE, NodeError
from trainyard_node.node_env import read_node_env
from trainyard_node.places import Places
from trainyard_node.processes import NOT_FOUND, TIMED_OUT, Processes, Ran

# The step's own time limit ends it sooner.
DOWNLOAD_S = 3600.0


class LockedFile(NamedTuple):
    """A file of an asset."""

    name: str
    file: str
    size_bytes: int
    sha256: str


def asset(name: str, places: Places, processes: Processes) -> Iterator[Path]:
    """Yield the verified files of an asset. Those that are there and right are not fetched again."""
    settings = read_node_env(places)
    release, folder, region, system, arch = (
        _setting(settings, f"TRAINYARD_{key}") for key in ("RELEASE", "FOLDER", "REGION", "OS", "ARCH")
    )
    for locked in locked_files(Path(release) / "assets.lock.json", name, system, arch):
        file = places.assets / locked.sha256 / locked.file
        if not _is_right(file, locked):
            _fetch(locked, file, f"{folder}/assets/{locked.sha256}/{locked.file}", region, processes)
        yield file


def locked_files(lock: Path, name: str, system: str, arch: str) -> list[LockedFile]:
    """Return the files of an asset for a system and an architecture, in the lock's order. It may be damaged."""
    entries = [entry for entry in _entries(lock) if entry.get("name") == name and _fits(entry, system, arch)]
    if not entries:
        raise NodeError(
            f"{lock.name} of the release holds no {name} for {system} on {arch}: "
            "run `trainyard assets lock` for the spec and deploy it again",
            SETTING,
        )
    return [_file(entry, lock) for entry in entries]


def _setting(settings: dict[str, str], name: str) -> str:
    if not settings.get(name):
        raise NodeError(f"{name} is not set in node.env: run trainyard-node.pyz bootstrap again", SETTING)
    return settings[name]


def _is_right(file: Path, locked: LockedFile) -> bool:
    try:
        return file.stat().st_size == locked.size_bytes and _sha256(file) == locked.sha256
    except OSError:
        return False


def _sha256(file: Path) -> str:
    digest = hashlib.sha256()
    with file.open("rb") as stream:
        while chunk := stream.read(1024 * 1024):
            digest.update(chunk)
    return digest.hexdigest()


def _fetch(locked: LockedFile, file: Path, url: str, region: str, processes: Processes) -> None:
    """Download a file beside its place, and put it there once it is known to be right."""
    new = file.with_name(f".{locked.file}.new")
    try:
        file.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        _hold_room(locked, file)
        command = ["aws", "s3", "cp", "--only-show-errors", "--region", region, "--cli-connect-timeout", "10", url]
        _hold_downloaded(processes.run([*command, str(new)], DOWNLOAD_S), url)
        _hold_right(new, locked, url)
        new.replace(file)
    except OSError as error:
        raise NodeError(f"cannot write {file} ({error.strerror}): make room for it", NO_SPACE) from error
    finally:
        if new.exists():
            new.unlink()


def _hold_room(locked: LockedFile, file: Path) -> None:
    free = shutil.disk_usage(file.parent).free
    if free < locked.size_bytes:
        raise NodeError(
            f"{locked.file} takes {locked.size_bytes} bytes, and {free} are left for {file.parent}: "
            "make room, or give the node a larger root volume",
            NO_SPACE,
        )


def _hold_downloaded(ran: Ran, url: str) -> None:
    if ran.status == 0:
        return
    message = (ran.output.strip().splitlines() or [f"aws ended with status {ran.status}"])[-1]
    if ran.status == NOT_FOUND:
        raise NodeError("the AWS command line is missing: use an image that ParallelCluster made", UNREACHABLE)
    if "No space left" in message or "Disk quota" in message:
        raise NodeError(f"no space is left to download {url}: make room for it", NO_SPACE)
    if ran.status != TIMED_OUT and ("SlowDown" in message or "RequestLimitExceeded" in message):
        raise NodeError(f"S3 asks to come back later for {url}: {message}", LATER)
    raise NodeError(
        f"cannot download {url}: {message}; see that `trainyard deploy` mirrored it and that the node reaches S3",
        UNREACHABLE,
    )


def _hold_right(new: Path, locked: LockedFile, url: str) -> None:
    size = new.stat().st_size
    if size != locked.size_bytes:
        raise NodeError(f"{url} has {size} bytes instead of {locked.size_bytes}: mirror it again", DAMAGED)
    sha256 = _sha256(new)
    if sha256 != locked.sha256:
        raise NodeError(f"{url} is not what was locked: its SHA-256 is {sha256}; lock and mirror it again", DAMAGED)
    with new.open("rb") as stream:
        os.fsync(stream.fileno())


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
