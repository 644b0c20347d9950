"""A release: the archive that every node unpacks and runs. The same spec and lock give the same bytes."""

from __future__ import annotations

import hashlib
import io
import tarfile
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from pydantic_core import to_json

from trainyard.bootstrap.pyz import files_below, trainyard_node_pyz
from trainyard.bootstrap.steps import ASSETS
from trainyard.bundle.monitoring_files import release_files
from trainyard.render.nodes import node_plan
from trainyard.render.stand_ins import Ids, StandIn
from trainyard.spec.cluster import Spec

# What ParallelCluster runs itself; it does not lie in a release, but fetches it.
_LAUNCHER = "launch.sh"
_PROGRAMS = (".sh", ".sbatch")


class Release(NamedTuple):
    """A release, and how the pointer names it."""

    file: str
    sha256: str
    content: bytes
    plan: bytes
    """The plan.json in it."""
    stand_ins: tuple[StandIn, ...] = ()
    """The ids in it that only a deployment knows. With one of them, it is not to be published."""
    outputs: frozenset[str] = frozenset()
    """Names of the stack outputs that it uses, known or not."""

    @property
    def pointer(self) -> bytes:
        """The one line that leads nodes to it."""
        return f"{self.sha256}  {self.file}\n".encode()


def release(spec: Spec, lock: bytes | None = None, outputs: Mapping[str, str] | None = None) -> Release:
    """Return the release of a spec. Without a lock no step finds an asset.

    ``outputs`` are the outputs of its stacks by name, as far as they are known.
    """
    ids = Ids(outputs or {})
    plan = to_json(node_plan(spec, ids), indent=2) + b"\n"
    locked = {} if lock is None else {"assets.lock.json": lock}
    content = _archive({**_same_in_all(), **release_files(spec, ids), "plan.json": plan, **locked})
    sha256 = hashlib.sha256(content).hexdigest()
    return Release(file_of(sha256), sha256, content, plan, ids.in_order(), frozenset(ids.used))


def file_of(sha256: str) -> str:
    """Return the name of the file that holds a release."""
    return f"{sha256[:16]}.tar"


def files_in(content: bytes) -> dict[str, bytes]:
    """Return the files of a release by name. Raises tarfile.TarError or OSError where it is none."""
    with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as archive:
        opened = ((member.name, archive.extractfile(member)) for member in archive if member.isfile())
        return {name: file.read() for name, file in opened if file is not None}


@cache
def _same_in_all() -> dict[str, bytes]:
    """Return the scripts, what they install, and what runs on nodes."""
    files = {name: content for name, content in files_below(str(ASSETS)) if name != _LAUNCHER}
    return {**files, "trainyard-node.pyz": trainyard_node_pyz()}


def _archive(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, content in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            entry.mode = 0o755 if name.endswith(_PROGRAMS) else 0o644
            archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()
