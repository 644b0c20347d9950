"""What trainyard does, as functions: one module for each command.

Everything named here may be imported from ``trainyard`` itself. Modules are imported when something in them is first
asked for, because a check should not wait for what only a rendering needs. No name here is that of a module or a room:
importing one would hide the other.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trainyard.api.architectures import reference_architectures
    from trainyard.api.check import check_files
    from trainyard.api.explain import explain_id, explanations
    from trainyard.api.instances import instance_facts, instance_types
    from trainyard.api.new import new_spec
    from trainyard.api.render import assemble_bundle, render_file
    from trainyard.api.schema import json_schema
    from trainyard.errors import TrainyardError
    from trainyard.finding import Finding
    from trainyard.spec.cluster import Spec
    from trainyard.spec.parsing import parse

__all__ = [
    "Finding",
    "Spec",
    "TrainyardError",
    "assemble_bundle",
    "check_files",
    "explain_id",
    "explanations",
    "instance_facts",
    "instance_types",
    "json_schema",
    "new_spec",
    "parse",
    "reference_architectures",
    "render_file",
]

_HOMES = {
    "Finding": "trainyard.finding",
    "Spec": "trainyard.spec.cluster",
    "TrainyardError": "trainyard.errors",
    "assemble_bundle": "trainyard.api.render",
    "check_files": "trainyard.api.check",
    "explain_id": "trainyard.api.explain",
    "explanations": "trainyard.api.explain",
    "instance_facts": "trainyard.api.instances",
    "instance_types": "trainyard.api.instances",
    "json_schema": "trainyard.api.schema",
    "new_spec": "trainyard.api.new",
    "parse": "trainyard.spec.parsing",
    "reference_architectures": "trainyard.api.architectures",
    "render_file": "trainyard.api.render",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module 'trainyard' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
