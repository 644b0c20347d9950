"""The script that bakes a release into an image: the same for all of them, with what to bake below its last line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SCRIPT = Path(__file__).parent / "image" / "install.sh"
MARKER = b"__SETTINGS__\n"


def image_script(settings: Mapping[str, Any]) -> bytes:
    """Return install.sh with its settings. Image Builder hands a script no arguments, so they come with it, as data."""
    return SCRIPT.read_bytes() + MARKER + (json.dumps(settings, indent=2) + "\n").encode()
