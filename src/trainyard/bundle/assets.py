"""The files of a bundle that nodes fetch from S3."""

from __future__ import annotations

from collections.abc import Mapping

from trainyard.bootstrap.launcher import launcher
from trainyard.bundle.release import Release, release
from trainyard.spec.cluster import Spec

POINTER = "release"
PLAN = "assets/plan.json"
"""What nodes do, as it stands in the release."""


def release_of(spec: Spec, lock: bytes | None = None, outputs: Mapping[str, str] | None = None) -> Release | None:
    """Return the release of a cluster, None where it installs nothing.

    ``lock`` is the text of its assets.lock.json, ``outputs`` are the outputs of its stacks, as far as they are known.
    """
    return release(spec, lock, outputs) if spec.installs_anything else None


def assets(node_release: Release | None) -> dict[str, bytes]:
    """Return the files of the folder assets/ by name. Names are free of content, so that bundles can be compared."""
    if node_release is None:
        return {}
    return {
        "assets/launch.sh": launcher(),
        PLAN: node_release.plan,
        "assets/release.tar": node_release.content,
        "assets/release": node_release.pointer,
    }


def uploads(node_release: Release | None) -> dict[str, bytes]:
    """Return what nodes fetch by its key in the folder of the cluster; the pointer last, as it names another."""
    if node_release is None:
        return {}
    return {
        "launch.sh": launcher(),
        f"releases/{node_release.file}": node_release.content,
        POINTER: node_release.pointer,
    }
