"""What trainyard does, as functions: one for each command, one module for each.

Everything named here may be imported from ``trainyard`` itself. Modules are imported when they are first asked for,
because a check should not wait for what only a rendering needs.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

# The name of the function or value, and the module that holds it.
_HOMES = {
    "architectures": "trainyard.api.architectures",
    "new_spec": "trainyard.api.new",
    "instances": "trainyard.api.instances",
    "json_schema": "trainyard.api.schema",
    "check": "trainyard.api.check",
    "explain": "trainyard.api.explain",
    "explanations": "trainyard.api.explain",
    "render": "trainyard.api.render",
    "bundle": "trainyard.api.render",
    "parse": "trainyard.spec.parse",
    "Finding": "trainyard.finding",
    "Spec": "trainyard.spec.cluster",
    "TrainyardError": "trainyard.errors",
}
__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    """Import what is asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module 'trainyard' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
