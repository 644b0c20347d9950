"""The files of a bundle that nodes fetch from S3."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from trainyard.bootstrap.launcher import NOTHING_PUBLISHED, launcher
from trainyard.render.assets import installs_anything, node_settings

if TYPE_CHECKING:
    from trainyard.spec.cluster import Spec


def assets(spec: Spec) -> dict[str, bytes]:
    """Return the files of the folder assets/ by name, none where the cluster installs nothing."""
    if not installs_anything(spec):
        return {}
    settings = json.dumps(node_settings(spec), indent=2, ensure_ascii=False) + "\n"
    return {
        "assets/launch.sh": launcher(),
        "assets/nodes.json": settings.encode(),
        "assets/release": NOTHING_PUBLISHED,
    }
