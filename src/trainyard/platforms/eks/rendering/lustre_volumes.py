"""The file systems of FSx for Lustre that pods mount, and what tells one from the other."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import NamedTuple

from trainyard.catalog.partition import partition_of
from trainyard.render.lustre_mount_names import MOUNT_NAME
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec
from trainyard.spec.file_system import FileSystem, Lustre

# Kubernetes wants a size of a file system that exists, and asks nobody whether it is true. The smallest that FSx has.
_SIZE_WHERE_UNKNOWN_GIB = 1200


class LustreVolume(NamedTuple):
    """A file system as a volume."""

    mount: str
    """Where pods mount it, as the spec has it."""
    name: str
    """Of the volume and of the claim."""
    size_gib: int
    id: str
    dns_name: str
    mount_name: str
    """What the file system calls itself: not its directory, but eight characters that FSx chooses."""


def lustre_volumes(spec: Spec, ids: Ids) -> Iterator[LustreVolume]:
    """Yield them in the order of the spec. Others than those of FSx for Lustre have no driver in the cluster."""
    made_here = existing = 0
    for file_system in spec.file_systems:
        settings = file_system.settings
        if not isinstance(settings, Lustre):
            continue
        if settings.id in (None, "environment"):
            made_here += 1
            id_ = ids.of("FSxLustreFilesystemId", number=made_here)
            mount_name = ids.of("FSxLustreMountName", number=made_here)
        else:
            existing += 1
            id_ = str(settings.id)
            mount_name = ids.of(MOUNT_NAME, label=id_, number=existing)
        size_gib = settings.size_gib or _SIZE_WHERE_UNKNOWN_GIB
        dns_name = _dns_name(id_, spec.region)
        yield LustreVolume(file_system.mount, claim_name(file_system), size_gib, id_, dns_name, mount_name)


def claim_name(file_system: FileSystem) -> str:
    """Return the name of volume and claim: that of /fsx is fsx. Mounts differ, and so do these."""
    plain = file_system.mount.strip("/")
    if re.fullmatch("[a-z0-9]+", plain):
        return plain
    mark = hashlib.sha256(plain.encode()).hexdigest()[:8]
    return f"{re.sub('[^a-z0-9]+', '-', plain.lower()).strip('-')[:40]}-{mark}".lstrip("-")


def _dns_name(id_: str, region: str) -> str:
    """Return where it is reached.

    https://docs.aws.amazon.com/fsx/latest/LustreGuide/mount-troubleshooting.html
    """
    suffix = "amazonaws.com.cn" if partition_of(region) == "aws-cn" else "amazonaws.com"
    return f"{id_}.fsx.{region}.{suffix}"
