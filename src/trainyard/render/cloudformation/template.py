"""The templates of this package, as they stand in their files."""

from __future__ import annotations

from functools import cache
from pathlib import Path as FilePath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trainyard.render.cloudformation.stack import Kind


@cache
def template(kind: Kind) -> str:
    """Return the text of a template, comments and all."""
    return FilePath(__file__).with_name(f"{kind}.yaml").read_text(encoding="utf-8")
