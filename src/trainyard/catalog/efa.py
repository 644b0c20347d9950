"""Whether nodes get an Elastic Fabric Adapter: as asked for, otherwise wherever their type is known to have one."""

from __future__ import annotations

from trainyard.catalog.instances import find


def uses_efa(instance_type: str, asked_for: bool | None) -> bool:  # noqa: FBT001  a field of the spec, as written
    """Return what was asked for; where nothing was, whether the type is known to have EFA."""
    if asked_for is not None:
        return asked_for
    facts = find(instance_type)
    return bool(facts is not None and facts.has_efa)
