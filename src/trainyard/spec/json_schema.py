"""The JSON Schema of specs, for editors and other programs. Needs pydantic itself."""

from __future__ import annotations

from typing import Any

from trainyard.record_schema import json_schemas
from trainyard.spec.cluster import Spec
from trainyard.spec.environment import Environment


def spec_json_schema() -> dict[str, Any]:
    """Return the schema with its dialect and title: of an environment where kind says so, of a cluster otherwise."""
    schemas, definitions = json_schemas({"cluster": Spec, "environment": Environment})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "trainyard spec",
        "type": "object",
        "if": {"properties": {"kind": {"const": "environment"}}, "required": ["kind"]},
        "then": schemas["environment"],
        "else": schemas["cluster"],
        "$defs": definitions,
    }
