"""The lock of a spec's assets, assets.lock.json: which files nodes get, down to the last byte."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from trainyard.catalog.assets import PackageDownload, downloads
from trainyard.errors import InputError
from trainyard.render.needed_assets import NeededAsset

FILE_NAME = "assets.lock.json"
"""What it is called, beside the spec and in a release."""
MOST_BYTES = 1_000_000
_SCHEMA = 1


class LockedAsset(NamedTuple):
    """One file of an asset. Its fields are the keys of the file."""

    name: str
    version: str
    os: str | None
    """The operating system that it is for; None for all of them."""
    arch: str | None
    """The architecture that it is for; None for all of them."""
    file: str
    url: str
    size_bytes: int
    sha256: str
    verified_by: str | None
    """Where its publisher says what it should be; None where he says nothing, and it is what was downloaded first."""


class AssetLock(NamedTuple):
    """All files, sorted."""

    assets: tuple[LockedAsset, ...] = ()


class Incomplete(NamedTuple):
    """An asset of several packages, of which a lock holds only some."""

    asset: NeededAsset
    lacks: tuple[str, ...]
    """The packages that it does not hold."""

    def __str__(self) -> str:
        """Say it in a few words."""
        return f"{self.asset} lacks {', '.join(self.lacks)}"


class LockComparison(NamedTuple):
    """What a spec needs, compared with a lock."""

    missing: tuple[NeededAsset, ...]
    """What it needs and the lock does not hold, or not all of it."""
    stale: tuple[NeededAsset, ...]
    """What the lock holds in another version than the spec names."""
    surplus: tuple[LockedAsset, ...]
    """What the lock holds and no node needs."""
    incomplete: tuple[Incomplete, ...] = ()
    """Of what is missing, that of which the lock holds a part."""

    @property
    def up_to_date(self) -> bool:
        """Return whether the lock holds what is needed, and nothing else."""
        return not (self.missing or self.stale or self.surplus)


def compare_lock(needed: Sequence[NeededAsset], lock: AssetLock) -> LockComparison:
    """Return how a lock differs from what is needed."""
    held = {needed_asset: files_of(needed_asset, lock) for needed_asset in needed}
    right = {
        asset_needed: [file for file in files if asset_needed.version in (None, file.version)]
        for asset_needed, files in held.items()
    }
    used = {file for needed_asset in needed for file in right[needed_asset] or held[needed_asset]}
    lacking = {
        asset_needed: lacks
        for asset_needed in needed
        if right[asset_needed] and (lacks := packages_lacking(asset_needed, right[asset_needed]))
    }
    return LockComparison(
        missing=tuple(needed_asset for needed_asset in needed if not held[needed_asset] or needed_asset in lacking),
        stale=tuple(needed_asset for needed_asset in needed if held[needed_asset] and not right[needed_asset]),
        surplus=tuple(file for file in lock.assets if file not in used),
        incomplete=tuple(Incomplete(needed_asset, lacks) for needed_asset, lacks in lacking.items()),
    )


def needed_files(needed: Sequence[NeededAsset], lock: AssetLock) -> tuple[LockedAsset, ...]:
    """Return the files of a lock that some node installs: a lock may serve several specs, and outlast what one had."""
    surplus = compare_lock(needed, lock).surplus
    return tuple(asset for asset in lock.assets if asset not in surplus)


def packages_lacking(needed: NeededAsset, held: Sequence[LockedAsset]) -> tuple[str, ...]:
    """Return the packages of an asset that are not among its locked files, where others of its packages are.

    Files that are none of its packages are somebody's own choice, and stand for the whole asset.
    """
    published = downloads(needed.name, held[0].version, needed.os, needed.arch)
    packages = [download.package for download in published if isinstance(download, PackageDownload)]
    lacking = [package for package in packages if not any(_is_of(package, locked_asset.file) for locked_asset in held)]
    return tuple(lacking) if len(lacking) < len(packages) else ()


def _is_of(package: str, file: str) -> bool:
    """Return whether a file is that of a package: Debian's has _ before its version, that of RPM a hyphen.

    https://www.kernel.org/doc/man-pages/online/pages/man1/dpkg-name.1.html
    """
    rest = file.removeprefix(package)
    return rest != file and re.match(r"[_-][0-9]", rest) is not None


def files_of(needed: NeededAsset, lock: AssetLock) -> tuple[LockedAsset, ...]:
    """Return the files that a lock has for an asset, in whatever version."""
    place = (needed.name, needed.os, needed.arch)
    return tuple(asset for asset in lock.assets if (asset.name, asset.os, asset.arch) == place)


def lock_of_assets(assets: Sequence[LockedAsset]) -> AssetLock:
    """Return a lock of these files, each once."""
    return AssetLock(
        tuple(sorted(set(assets), key=lambda asset: (asset.name, asset.os or "", asset.arch or "", asset.file)))
    )


def lock_text(lock: AssetLock) -> str:
    """Return the text of assets.lock.json. The same lock gives the same bytes."""
    assets = [asset._asdict() for asset in lock.assets]
    return json.dumps({"schema": _SCHEMA, "assets": assets}, indent=2) + "\n"


def parse_lock(content: bytes | None, where: str) -> AssetLock:
    """Return the lock in a file; an empty one where there is no file. Raises InputError where it is none."""
    if content is None:
        return AssetLock()
    try:
        written = json.loads(content)
    except (ValueError, RecursionError):
        raise _damaged(where, "it is not JSON") from None
    if not isinstance(written, dict) or written.get("schema") != _SCHEMA or not isinstance(written.get("assets"), list):
        raise _damaged(where, f"it is not a lock of schema {_SCHEMA}")
    return lock_of_assets([_asset(entry, f"assets[{index}]", where) for index, entry in enumerate(written["assets"])])


# A name of a file becomes a path on nodes and a key in S3: it leads nowhere else. Packages have ~ and + in theirs.
_TEXT = {
    "name": r"[a-z0-9][a-z0-9-]*",
    "version": r"[0-9][0-9A-Za-z.+-]*",
    "os": r"[a-z0-9]+",
    "arch": r"x86_64|aarch64",
    "file": r"[A-Za-z0-9][A-Za-z0-9._+~-]{0,199}",
    "url": r"https://[!-~]+",
    "sha256": r"[0-9a-f]{64}",
    "verified_by": r"https://[!-~]+",
}
_MAY_BE_NULL = {"os", "arch", "verified_by"}


def _asset(entry: Any, place: str, where: str) -> LockedAsset:
    if not isinstance(entry, dict) or entry.keys() != set(LockedAsset._fields):
        raise _damaged(where, f"{place} has other keys than {', '.join(LockedAsset._fields)}")
    wrong = [key for key in LockedAsset._fields if not _right(key, entry[key])]
    if wrong:
        raise _damaged(where, f"{place}.{wrong[0]} is {json.dumps(entry[wrong[0]])[:80]}")
    return LockedAsset(**entry)


def _right(key: str, value: Any) -> bool:
    if key == "size_bytes":
        return isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return (value is None and key in _MAY_BE_NULL) or (isinstance(value, str) and bool(re.fullmatch(_TEXT[key], value)))


def _damaged(where: str, problem: str) -> InputError:
    hint = "restore it, or delete it and run `trainyard assets lock`, which downloads everything anew"
    return InputError(f"the lock of the assets cannot be used: {problem}", where=where, hint=hint)
