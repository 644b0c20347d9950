"""A rendered document as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trainyard.document.write import yaml_text
from trainyard.spec.cluster import Spec


def config_text(spec: Spec, document: Mapping[str, Any]) -> str:
    """Return the text of a rendered document, with a line that says where it comes from."""
    return yaml_text(document, (_heading(spec),), blocks=True)


def with_heading(spec: Spec, text: str) -> str:
    """Return the text of a native file that was filled, with the same line above it."""
    return f"# {_heading(spec)}\n{text}"


def _heading(spec: Spec) -> str:
    return f"Rendered by trainyard from the spec of {spec.name}. Change the spec, not this file."
