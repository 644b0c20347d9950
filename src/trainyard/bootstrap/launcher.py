"""Scripts around the release: the launcher that ParallelCluster runs on nodes, and the one that bakes an image."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SCRIPT = Path(__file__).parent / "image" / "install.sh"
MARKER = b"__SETTINGS__\n"


def launcher() -> bytes:
    """Return launch.sh, which is the same for every cluster."""
    return (Path(__file__).parent / "assets" / "launch.sh").read_bytes()


def follow_releases() -> str:
    """Return follow-releases.sh, the user data of the monitoring instance without its first lines."""
    return (Path(__file__).parent / "monitoring" / "follow-releases.sh").read_text(encoding="utf-8")


def image_script(settings: Mapping[str, Any]) -> bytes:
    """Return install.sh with its settings. Image Builder hands a script no arguments, so they come with it, as data."""
    return SCRIPT.read_bytes() + MARKER + (json.dumps(settings, indent=2) + "\n").encode()
