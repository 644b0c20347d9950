"""What nodes install: the files of the lock that they need, uploaded to where they fetch them from."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.bundle.asset_lock import LockedAsset, needed_files
from trainyard.counts import count_text
from trainyard.deploy.step import Probe, StepOutcome
from trainyard.deploy.work import Work, folder
from trainyard.edge.asset_cache import AssetCache
from trainyard.edge.aws.s3 import sizes_below, upload
from trainyard.edge.downloads import Downloader
from trainyard.render.needed_assets import needed_assets


class Mirror:
    """Uploads what is not there yet, each file verified before. A call that was killed goes on with the next file."""

    name = "mirror"
    title = "what nodes install"

    def probe(self, work: Work) -> Probe:
        """Say what is not there."""
        missing = sorted({locked_asset.file for locked_asset in self._missing(work)})
        return Probe("missing", ", ".join(missing)) if missing else Probe("there")

    def apply(self, work: Work) -> StepOutcome:
        """Upload what is missing, from the cache or downloaded now. Releases never point to what is not there."""
        missing = {key_of(work, locked_asset): locked_asset for locked_asset in self._missing(work)}
        cache = work.asset_cache or AssetCache(downloader=Downloader(work.tell))
        for key, locked_asset in missing.items():
            cached = cache.get(locked_asset.url, locked_asset.file, locked_asset.sha256, locked_asset.size_bytes)
            work.tell(f"uploads {locked_asset.file}, {locked_asset.size_bytes / 1e6:,.1f} MB")
            upload(work.account, work.bucket, key, cached.path)
        size_mb = sum(locked_asset.size_bytes for locked_asset in missing.values()) / 1e6
        count = count_text(len(missing), "file")
        detail = f"{count} uploaded, {size_mb:,.1f} MB" if missing else "all there"
        return StepOutcome(changed=bool(missing), detail=detail)

    def undo(self, work: Work) -> StepOutcome:
        """Do nothing: the folder goes with the step that made the bucket, when no node needs it any more."""
        del work
        return StepOutcome(changed=False)

    def _missing(self, work: Work) -> Iterator[LockedAsset]:
        sizes = sizes_below(work.account, work.bucket, f"{folder(work.name)}/assets/")
        files = needed_files(needed_assets(work.required_spec()), work.lock)
        yield from (asset for asset in files if sizes.get(key_of(work, asset)) != asset.size_bytes)


def key_of(work: Work, asset: LockedAsset) -> str:
    """Return where a file lies in the bucket: by its content, so that it never changes."""
    return f"{folder(work.name)}/assets/{asset.sha256}/{asset.file}"
