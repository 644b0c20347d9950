"""The JSON Schema of the spec, for editors and other programs. Needs pydantic itself."""

from __future__ import annotations

from typing import Any

from trainyard.record_schema import json_schema
from trainyard.spec.cluster import Spec


def spec_json_schema() -> dict[str, Any]:
    """Return the schema with its dialect and title."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "trainyard spec",
        **json_schema(Spec),
    } | {"title": "trainyard spec"}
