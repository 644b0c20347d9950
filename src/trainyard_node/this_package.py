"""Which trainyard-node this is."""

from __future__ import annotations

import pkgutil


def version() -> str:
    """Return the version that the release was built as, or that it was not built."""
    try:
        return (pkgutil.get_data("trainyard_node", "VERSION") or b"").decode().strip()
    except OSError:
        return "(not built)"
