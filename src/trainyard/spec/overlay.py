"""Keys of somebody else's file that the spec does not model: a plain mapping, whose values are taken as they are."""

from __future__ import annotations

from typing import Annotated, Any

from trainyard.field import Text

OverlayKey = Annotated[str, Text(r"^[A-Za-z][A-Za-z0-9]*$", "a key such as HeadNode, in letters and digits")]
Overlay = dict[OverlayKey, Any]
