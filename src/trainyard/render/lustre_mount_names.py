"""The mount names of file systems of FSx for Lustre that were there before: only FSx knows them."""

from __future__ import annotations

from trainyard.spec.cluster import Spec
from trainyard.spec.file_system import Lustre

MOUNT_NAME = "LustreMountName"
"""Of `render/stand_ins.yaml`."""


def existing_lustre_ids(spec: Spec) -> list[str]:
    """Return the file systems of FSx for Lustre that were there before the cluster and its environment, each once."""
    lustre = (file_system.settings for file_system in spec.file_systems if isinstance(file_system.settings, Lustre))
    return list(dict.fromkeys(str(settings.id) for settings in lustre if settings.id not in (None, "environment")))


def mount_name_output(id_: str) -> str:
    """Return the name under which the mount name of such a file system is known, beside the outputs of stacks."""
    return f"{MOUNT_NAME}{id_}"
