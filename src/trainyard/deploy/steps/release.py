"""What nodes fetch when they start: uploaded to the cluster's folder before the cluster is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.bundle.assets import assets
from trainyard.deploy.step import Outcome, Probe
from trainyard.deploy.work import folder
from trainyard.edge.aws import s3

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainyard.deploy.work import Work

_POINTER = "release"


class Release:
    """Uploads the launcher and what it reads. A pointer that somebody has moved since stays where it is."""

    name = "release"
    title = "what nodes fetch when they start"

    def probe(self, work: Work) -> Probe:
        """Say whether all of it is there as it should be."""
        missing = [name for name, content in self._files(work) if self._there(work, name) != content]
        return Probe("missing", ", ".join(missing)) if missing else Probe("there")

    def apply(self, work: Work) -> Outcome:
        """Upload what is missing or different. The pointer goes last, and only where there is none."""
        uploaded = []
        for name, content in self._files(work):
            if self._there(work, name) == content:
                continue
            key = f"{folder(work.name)}/{name}"
            if name == _POINTER:
                s3.put_if_absent(work.account, work.bucket, key, content)
            else:
                s3.put(work.account, work.bucket, key, content)
            work.tell(f"s3://{work.bucket}/{key} uploaded")
            uploaded.append(name)
        return Outcome(changed=bool(uploaded), detail=f"{len(uploaded)} files uploaded")

    def undo(self, work: Work) -> Outcome:
        """Do nothing: the folder goes with the step that made the bucket, when no node needs it any more."""
        del work
        return Outcome(changed=False)

    def _files(self, work: Work) -> Iterator[tuple[str, bytes]]:
        files = {name.removeprefix("assets/"): content for name, content in assets(work.wanted()).items()}
        yield from sorted(files.items(), key=lambda item: item[0] == _POINTER)

    def _there(self, work: Work, name: str) -> bytes | None:
        found = s3.get(work.account, work.bucket, f"{folder(work.name)}/{name}")
        if found is not None and name == _POINTER:
            return next(content for file, content in self._files(work) if file == _POINTER)
        return None if found is None else found.content
