"""EBS volumes, alike wherever ParallelCluster takes them."""

from __future__ import annotations

from typing import Any

from trainyard.spec.volume import RootVolume, Volume


def root_volume(volume: RootVolume) -> dict[str, Any]:
    """Return the volume that holds the operating system."""
    return {"RootVolume": {"Size": volume.size_gib, **performance(volume)}}


def performance(volume: Volume) -> dict[str, Any]:
    """Return type, speed and encryption of a volume."""
    speed = {"Iops": volume.iops, "Throughput": volume.throughput_mib_s}
    return {
        "VolumeType": volume.type,
        **{key: value for key, value in speed.items() if value is not None},
        "Encrypted": volume.encrypted,
    }
