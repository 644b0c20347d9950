"""The shared file system on which nodes keep what is built or imported once for all of them."""

from __future__ import annotations

from trainyard.spec.cluster import Spec


def shared_mount(spec: Spec) -> str | None:
    """Return its mount: where NCCL is to be, or else the first FSx for Lustre. None where there is neither."""
    if spec.software.nccl is not None:
        return spec.software.nccl.mount
    return next((file_system.mount for file_system in spec.file_systems if file_system.kind == "lustre"), None)
