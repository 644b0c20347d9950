"""Finds the extensions of the emulated account: every module in apis/, and every resource type."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from types import ModuleType

from trainyard.rehearsal.emulated import apis, moto_cloudformation, resource_types
from trainyard.rehearsal.emulated.resource import ResourceType
from trainyard.rehearsal.emulated.resource_type_table import table_types


@cache
def api_modules() -> tuple[ModuleType, ...]:
    """Return every module in apis/."""
    return _modules(apis)


@cache
def resource_type_handlers() -> dict[str, ResourceType]:
    """Return what makes, changes and deletes each type: of a module in resource_types/ or an entry of the table."""
    return {
        **table_types(),
        **{name: it for module in _modules(resource_types) for name, it in module.RESOURCE_TYPES.items()},
    }


def install() -> None:
    """Load every extension and let it put its actions in place."""
    moto_cloudformation.keep_out()
    for module in api_modules():
        if hasattr(module, "install"):
            module.install()
    resource_type_handlers()


def _modules(package: ModuleType) -> tuple[ModuleType, ...]:
    names = sorted(module.name for module in pkgutil.iter_modules(package.__path__))
    return tuple(importlib.import_module(f"{package.__name__}.{name}") for name in names)
