"""What nodes fetch when they start, and where it lies."""

from __future__ import annotations

from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec


def assets_folder(spec: Spec, ids: Ids) -> tuple[str, str]:
    """Return bucket and folder of what the nodes of a cluster fetch."""
    return spec.assets.bucket or ids.of("AssetsBucket"), folder(spec)


def folder(spec: Spec) -> str:
    """Return the folder of the cluster in the bucket."""
    return f"trainyard/{spec.name}"
