"""Where downloaded assets lie: FOLDER/SHA256/FILE. What lies there is whole and right; parts lie elsewhere."""

from __future__ import annotations

import errno
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from trainyard.edge.cache_folder import cache_folder, folder_lock
from trainyard.edge.downloads import Downloader
from trainyard.errors import TrainyardError

_NO_SPACE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_ALGORITHMS = {64: "sha256", 128: "sha512"}


class CachedFile(NamedTuple):
    """A file that was verified a moment ago."""

    path: Path
    sha256: str
    size_bytes: int


def assets_folder() -> Path:
    """Return the folder of the cache that assets lie in; it may not exist."""
    return cache_folder() / "assets"


@dataclass(frozen=True)
class AssetCache:
    """Files by their content, downloaded where they are missing."""

    folder: Path = field(default_factory=assets_folder)
    downloader: Downloader = field(default_factory=Downloader)

    def known(self, sha256: str, file: str) -> CachedFile | None:
        """Return a file that is there and right; None where it is missing. One that is damaged is removed."""
        path = self.folder / sha256 / file
        if not path.is_file():
            return None
        if _digest(path, "sha256") != sha256:
            path.unlink(missing_ok=True)
            return None
        return CachedFile(path, sha256, path.stat().st_size)

    def get(self, url: str, file: str, digest: str | None = None, size_bytes: int | None = None) -> CachedFile:
        """Return a file from the cache, or download it. ``digest`` is the SHA-256 or SHA-512 that it has to have.

        Raises TrainyardError where it cannot be downloaded, where it is another file, or where the disk is full.
        """
        with self._writing(url):
            if digest is not None and (cached := self._there(digest, file)) is not None:
                return cached
        with self._writing(url), self._part(url) as part:
            if digest is not None and (cached := self._there(digest, file)) is not None:
                return cached  # whoever had the lock has downloaded it
            resumed = self.downloader.file(url, part, size_bytes)
            if resumed and digest is not None and not _is(part, digest):
                part.unlink()  # the server may have changed it in between
                self.downloader.file(url, part, size_bytes)
            _refuse_another(part, url, digest, size_bytes)
            return self._placed(part, file)

    def _there(self, digest: str, file: str) -> CachedFile | None:
        if _ALGORITHMS[len(digest)] == "sha256":
            return self.known(digest, file)
        paths = (path for path in self.folder.glob(f"*/{file}") if _is(path, digest))
        return next((self.known(path.parent.name, file) for path in paths), None)

    @contextmanager
    def _part(self, url: str) -> Iterator[Path]:
        """Give the place of an unfinished file to one process at a time."""
        parts = self.folder / "unfinished"
        parts.mkdir(parents=True, exist_ok=True)
        name = hashlib.sha256(url.encode()).hexdigest()[:32]
        waiting = f"waits for another process that downloads {url}"
        with folder_lock(parts / f"{name}.lock", lambda: self.downloader.report(waiting)):
            yield parts / f"{name}.part"

    def _placed(self, part: Path, file: str) -> CachedFile:
        sha256 = _digest(part, "sha256")
        path = self.folder / sha256 / file
        path.parent.mkdir(exist_ok=True)
        part.replace(path)
        part.with_suffix(".validator").unlink(missing_ok=True)
        return CachedFile(path, sha256, path.stat().st_size)

    @contextmanager
    def _writing(self, url: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            full = error.errno in _NO_SPACE
            problem = f"no space left below {self.folder}" if full else f"{self.folder}: {error.strerror or error}"
            hint = "free some space" if full else "see that you may write there"
            raise TrainyardError(
                f"could not keep {url}: {problem}",
                where=str(self.folder),
                hint=f"{hint}, or set TRAINYARD_CACHE to another folder; then run the command again",
            ) from error


def _refuse_another(part: Path, url: str, digest: str | None, size_bytes: int | None) -> None:
    size = part.stat().st_size
    if digest is not None and not _is(part, digest):
        algorithm = _ALGORITHMS[len(digest)]
        problem = f"its {algorithm.upper()} is {_digest(part, algorithm)} instead of {digest}"
    elif size_bytes is not None and size != size_bytes:
        problem = f"it has {size:,} bytes instead of {size_bytes:,}"
    else:
        return
    part.unlink()
    raise TrainyardError(
        f"{url} is not the file that it should be: {problem}",
        where=url,
        hint="nothing of it is kept; run the command again, and if it stays so, ask its publisher why it has changed",
    )


def _is(path: Path, digest: str) -> bool:
    return _digest(path, _ALGORITHMS[len(digest)]) == digest


def _digest(path: Path, algorithm: str) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, algorithm).hexdigest()
