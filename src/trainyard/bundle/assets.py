"""The files of a bundle that nodes fetch from S3."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.bootstrap.launcher import launcher
from trainyard.bundle.release import release

if TYPE_CHECKING:
    from trainyard.bundle.release import Release
    from trainyard.spec.cluster import Spec

POINTER = "release"


def published(spec: Spec, lock: bytes | None = None) -> Release | None:
    """Return the release of a cluster, None where it installs nothing. ``lock`` is the text of its assets.lock.json."""
    return release(spec, lock) if spec.installs_anything else None


def assets(made: Release | None) -> dict[str, bytes]:
    """Return the files of the folder assets/ by name. Names are free of content, so that bundles can be compared."""
    if made is None:
        return {}
    return {
        "assets/launch.sh": launcher(),
        "assets/plan.json": made.plan,
        "assets/release.tar": made.content,
        "assets/release": made.pointer,
    }


def uploads(made: Release | None) -> dict[str, bytes]:
    """Return what nodes fetch by its key in the folder of the cluster; the pointer last, as it names another."""
    if made is None:
        return {}
    return {"launch.sh": launcher(), f"releases/{made.file}": made.content, POINTER: made.pointer}
