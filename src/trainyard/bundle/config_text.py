"""A rendered document as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trainyard.document.write import yaml_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trainyard.spec.cluster import Spec


def config_text(spec: Spec, document: Mapping[str, Any]) -> str:
    """Return the text of a rendered document, with a line that says where it comes from."""
    heading = (f"Rendered by trainyard from the spec of {spec.name}. Change the spec, not this file.",)
    return yaml_text(document, heading)
