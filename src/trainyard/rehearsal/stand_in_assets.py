"""Stands in for what nodes would install: small files that say so, because a rehearsal downloads nothing."""

from __future__ import annotations

import hashlib
from pathlib import Path

from trainyard.bundle.asset_lock import AssetLock, LockedAsset, lock_of_assets
from trainyard.catalog.assets import asset
from trainyard.render.needed_assets import NeededAsset, needed_assets
from trainyard.spec.cluster import Spec


def stand_in_lock(spec: Spec) -> AssetLock:
    """Return a lock of what a spec needs, of made-up files. Their addresses never exist: .invalid, by RFC 2606."""
    return lock_of_assets([_entry(needed_asset) for needed_asset in needed_assets(spec)])


def place_stand_ins(lock: AssetLock, folder: Path) -> None:
    """Write the files of such a lock as a cache of assets in ``folder`` has them, so that nothing is downloaded."""
    for locked_asset in lock.assets:
        path = folder / locked_asset.sha256 / locked_asset.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_content(locked_asset.name, locked_asset.version, locked_asset.os, locked_asset.arch))


def _entry(needed: NeededAsset) -> LockedAsset:
    catalog_asset = asset(needed.name)
    version = needed.version or (catalog_asset.version if catalog_asset is not None else None) or "0"
    content = _content(needed.name, version, needed.os, needed.arch)
    file = f"stand-in-{needed.name}-{version}"
    return LockedAsset(
        needed.name, version, needed.os, needed.arch, file, f"https://stand-in.invalid/{file}",
        len(content), hashlib.sha256(content).hexdigest(), verified_by=None,
    )  # fmt: skip


def _content(name: str, version: str, os: str | None, arch: str | None) -> bytes:
    place = f"{os or 'every operating system'}, {arch or 'every architecture'}"
    return f"A stand-in for {name} {version} ({place}). A rehearsal made it up; nothing was downloaded.\n".encode()
