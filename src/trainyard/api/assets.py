"""Locking what the nodes of a spec install."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trainyard.api.lock_file import beside
from trainyard.bundle.asset_lock import (
    MOST_BYTES,
    AssetLock,
    LockComparison,
    LockedAsset,
    compare_lock,
    lock_text,
    parse_lock,
)
from trainyard.checking.spec_file import FileFindings, check_file
from trainyard.deploy.asset_locking import AssetLocker
from trainyard.edge.new_file import write_new_file
from trainyard.edge.text_file import read_small_file
from trainyard.errors import SpecError
from trainyard.render.needed_assets import needed_assets

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from trainyard.edge.asset_cache import AssetCache
    from trainyard.render.needed_assets import NeededAsset

__all__ = ["AssetLock", "FileLock", "LockComparison", "LockedAsset", "check_assets", "lock_assets"]


class FileLock(NamedTuple):
    """A lock, and how it came about. ``lock`` is None where errors of the spec kept it from being made."""

    checked: FileFindings
    file: Path
    lock: AssetLock | None
    comparison: LockComparison
    """How what was there before differed from what is needed."""


def lock_assets(
    file: str, output: Path | None = None, *, update: Collection[str] = (), cache: AssetCache | None = None
) -> FileLock:
    """Download and verify what the nodes of a spec install, and write its lock, by default beside it.

    What the lock holds already stays as it is, unless ``update`` names it. Nothing is written where anything fails.
    Raises FindingsError where the file is no spec, InputError where the lock is damaged, TrainyardError where something
    cannot be downloaded or is not what its publisher says.
    """
    locked = check_assets(file, output)
    if locked.lock is None:
        return locked
    new_lock = (AssetLocker() if cache is None else AssetLocker(cache)).lock(
        _needed(locked.checked), locked.lock, update
    )
    write_new_file(locked.file, lock_text(new_lock), force=True)
    return locked._replace(lock=new_lock)


def check_assets(file: str, output: Path | None = None) -> FileLock:
    """Compare the lock of a spec with what its nodes install. Downloads nothing, and raises as ``lock_assets`` does."""
    checked = check_file(file)
    if checked.parsed is None:
        raise SpecError(checked.findings)
    place = output or beside(file)
    if checked.has_errors:
        return FileLock(checked, place, None, LockComparison((), (), ()))
    lock = parse_lock(read_small_file(place, MOST_BYTES), str(place))
    return FileLock(checked, place, lock, compare_lock(_needed(checked), lock))


def _needed(checked: FileFindings) -> Sequence[NeededAsset]:
    return () if checked.parsed is None else needed_assets(checked.parsed.spec)
