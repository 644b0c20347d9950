"""What pods mount, and where it lies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trainyard.finding import Path
from trainyard.rules.documents import mapping_in
from trainyard.rules.kubernetes.workload import Container, Pod


def volumes(pod: Pod) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Yield the volumes of a pod."""
    written = pod.written.get("volumes")
    for index, volume in enumerate(written if isinstance(written, tuple) else ()):
        if isinstance(volume, dict):
            yield (*pod.path, "volumes", index), volume


def host_paths(pod: Pod) -> Iterator[tuple[Path, str]]:
    """Yield the paths of the host that a pod may mount."""
    for path, volume in volumes(pod):
        host_path = mapping_in(volume, "hostPath").get("path")
        if isinstance(host_path, str):
            yield (*path, "hostPath", "path"), host_path.rstrip("/")


def volume_at(container: Container, folder: str) -> tuple[Path, Mapping[str, Any]] | None:
    """Return the volume that a folder of a container lies on, with its place; None where it lies on none."""
    mounts = container.written.get("volumeMounts")
    nearest: tuple[int, Any] = (0, None)
    for mount in mounts if isinstance(mounts, tuple) else ():
        place = mount.get("mountPath") if isinstance(mount, dict) else None
        if isinstance(place, str) and f"{folder}/".startswith(f"{place.rstrip('/')}/"):
            nearest = max(nearest, (len(place), mount.get("name")), key=lambda one: one[0])
    return next(
        (volume for volume in volumes(container.pod) if nearest[0] and volume[1].get("name") == nearest[1]), None
    )


def mounts_anything_at(container: Container, folder: str) -> bool:
    """Return whether a folder lies on some mount, be its volume written or not, as claims of a template are not."""
    mounts = container.written.get("volumeMounts")
    places = (
        [mount.get("mountPath") for mount in mounts if isinstance(mount, dict)] if isinstance(mounts, tuple) else []
    )
    return any(isinstance(place, str) and f"{folder}/".startswith(f"{place.rstrip('/')}/") for place in places)
