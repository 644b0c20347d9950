"""The JSON Schema of the spec."""

from trainyard.spec.json_schema import spec_json_schema as json_schema

__all__ = ["json_schema"]
