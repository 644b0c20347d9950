"""Makes the lock of a spec's assets: downloads what it does not hold yet, and verifies it where that can be done."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from trainyard.bundle.asset_lock import AssetLock, LockedAsset, files_of, lock_of_assets, packages_lacking
from trainyard.bundle.published_checksums import (
    PublishedFile,
    debian_package,
    listed_digest,
    primary_of,
    rpm_package,
)
from trainyard.catalog.assets import FileDownload, PackageDownload, asset, downloads
from trainyard.edge.asset_cache import AssetCache
from trainyard.errors import InputError, TrainyardError
from trainyard.render.needed_assets import NeededAsset

_MOST_INDEX_BYTES = 100_000_000
_MOST_LIST_BYTES = 1_000_000


@dataclass
class AssetLocker:
    """One making of a lock. Every index is read once."""

    cache: AssetCache = field(default_factory=AssetCache)
    _contents: dict[str, bytes] = field(default_factory=dict, repr=False)

    def lock(self, needed: Sequence[NeededAsset], former: AssetLock, update: Collection[str] = ()) -> AssetLock:
        """Return the lock of what is needed. What the former one holds stays, but what ``update`` names.

        Raises TrainyardError where something cannot be downloaded or is not what its publisher says, and InputError
        where nobody publishes it for these nodes, or where something is to be updated that is not needed.
        """
        unknown = sorted(set(update) - {needed_asset.name for needed_asset in needed})
        if unknown:
            names = ", ".join(sorted({needed_asset.name for needed_asset in needed})) or "nothing"
            raise InputError(f"no node needs {unknown[0]!r}", where="--update", hint=f"the spec needs {names}")
        return lock_of_assets(
            [
                entry
                for asset_needed in needed
                for entry in self._entries(asset_needed, former, asset_needed.name in update)
            ]
        )

    def _entries(self, needed: NeededAsset, former: AssetLock, anew: bool) -> Sequence[LockedAsset]:  # noqa: FBT001  private
        held = files_of(needed, former)
        kept_assets = [locked_asset for locked_asset in held if needed.version in (None, locked_asset.version)]
        if kept_assets and not anew and not packages_lacking(needed, kept_assets):
            return kept_assets
        version = needed.version or _default_version(needed)
        sources = downloads(needed.name, version, needed.os, needed.arch)
        if not sources:
            raise InputError(
                f"nothing is known to be published of {needed}",
                where="image.os" if needed.os else None,
                hint="choose another operating system or instance type, or ask for less in `software` and `monitoring`",
            )
        return [
            self._of_file(needed, version, source)
            if isinstance(source, FileDownload)
            else self._of_package(needed, version, source)
            for source in sources
        ]

    def _of_file(self, needed: NeededAsset, version: str, download: FileDownload) -> LockedAsset:
        if download.digest is None and download.checksums is not None:
            content = self._content(download.checksums, _MOST_LIST_BYTES)
            listed = listed_digest(content, download.url.rpartition("/")[2], download.checksums)
            download = download._replace(digest=listed, digest_source=download.checksums)
        return self._fetched(needed, version, download)

    def _of_package(self, needed: NeededAsset, version: str, download: PackageDownload) -> LockedAsset:
        published = self._published(download)
        url, file = f"{download.repository}/{published.path}", published.path.rpartition("/")[2]
        digest, source = published.digest, download.index_url
        return self._fetched(
            needed, version, FileDownload(download.os, download.arch, url, file, digest, source, checksums=None)
        )

    def _published(self, download: PackageDownload) -> PublishedFile:
        index, what = download.index_url, (download.package, download.version, download.arch or "")
        content = self._content(index, _MOST_INDEX_BYTES)
        if not index.endswith("repomd.xml"):
            return debian_package(content, *what, index)
        primary = primary_of(content, index)
        url = f"{download.repository}/{primary.path}"
        # Verified like a file: it is kept, and the checksum is in its name anyway.
        cached_file = self.cache.get(url, primary.path.rpartition("/")[2], primary.digest)
        return rpm_package(cached_file.path.read_bytes(), *what, url)

    def _fetched(self, needed: NeededAsset, version: str, download: FileDownload) -> LockedAsset:
        report = self.cache.downloader.report
        report(f"{needed}: {download.file}")
        cached_file = self.cache.get(download.url, download.file, download.digest)
        if download.digest is None:
            report(f"{download.file}: no checksum is published; the lock pins what was downloaded")
        return LockedAsset(
            needed.name, version, needed.os, needed.arch, download.file, download.url,
            cached_file.size_bytes, cached_file.sha256,
            verified_by=download.digest_source,
        )  # fmt: skip

    def _content(self, url: str, most_bytes: int) -> bytes:
        if url not in self._contents:
            self.cache.downloader.report(f"reads {url}")
            self._contents[url] = self.cache.downloader.content(url, most_bytes)
        return self._contents[url]


def _default_version(needed: NeededAsset) -> str:
    known_asset = asset(needed.name)
    if known_asset is None or known_asset.version is None:
        raise TrainyardError(f"the catalog has no version of {needed.name}", where="catalog/assets.yaml")
    return known_asset.version
