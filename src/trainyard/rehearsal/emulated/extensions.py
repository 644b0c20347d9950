"""Finds the extensions of the emulated account: every module in apis/, and every resource type."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any

import jmespath  # type: ignore[import-untyped]  # it has none
import moto
import yaml

from trainyard.rehearsal.emulated import apis, resource_types
from trainyard.rehearsal.emulated.resource import (
    Aws,
    LogicalResource,
    PhysicalResource,
    ResourceType,
    tag_specifications,
    with_tags,
    written_properties,
)


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
    keep_out()
    for module in api_modules():
        if hasattr(module, "install"):
            module.install()
    resource_type_handlers()


def _modules(package: ModuleType) -> tuple[ModuleType, ...]:
    names = sorted(module.name for module in pkgutil.iter_modules(package.__path__))
    return tuple(importlib.import_module(f"{package.__name__}.{name}") for name in names)


@cache
def table_types() -> dict[str, ResourceType]:
    """Return the types of the table."""
    text = Path(__file__).with_name("resource_types.yaml").read_text(encoding="utf-8")
    table: dict[str, dict[str, Any]] = yaml.load(text, Loader=yaml.CSafeLoader)
    return {name: _resource_type(entry) for name, entry in table.items()}


def _resource_type(entry: Mapping[str, Any]) -> ResourceType:
    return ResourceType(
        create=partial(_create, entry),
        delete=partial(_call, entry, entry["delete"]),
        update=partial(_update, entry) if "update" in entry else None,
        snapshot=partial(_call, entry, entry["snapshot"]) if "snapshot" in entry else None,
    )


def _create(entry: Mapping[str, Any], aws: Aws, resource: LogicalResource) -> PhysicalResource:
    values_so_far = _expression_values(aws, resource)
    values_so_far["answer"] = _answer(entry["service"], entry["create"], aws, resource, values_so_far)
    values_so_far["id"] = jmespath.search(entry["id"], values_so_far)
    return PhysicalResource(values_so_far["id"], _values(entry.get("attributes", {}), values_so_far))


def _update(
    entry: Mapping[str, Any], aws: Aws, physical: PhysicalResource, resource: LogicalResource
) -> PhysicalResource:
    values_so_far = {**_expression_values(aws, resource), "id": physical.id}
    values_so_far["answer"] = _answer(entry["service"], entry["update"], aws, resource, values_so_far)
    physical.attributes |= _values(entry["update"].get("attributes", {}), values_so_far)
    return physical


def _call(entry: Mapping[str, Any], call: Mapping[str, Any], aws: Aws, physical: PhysicalResource) -> None:
    assert physical.logical is not None  # noqa: S101  # the engine fills it in
    _answer(
        entry["service"], call, aws, physical.logical, {**_expression_values(aws, physical.logical), "id": physical.id}
    )


def _expression_values(aws: Aws, resource: LogicalResource) -> dict[str, Any]:
    return {"properties": resource.properties, "name": resource.name, "region": aws.region, "account": aws.account_id}


def _answer(
    service: str, call: Mapping[str, Any], aws: Aws, resource: LogicalResource, values_so_far: Mapping[str, Any]
) -> Any:
    parameters = {
        **written_properties(resource.properties, *call.get("properties", ())),
        **_values(call.get("parameters", {}), values_so_far),
        **_tags(call.get("tags"), resource),
    }
    return getattr(aws.client(service), call["call"])(**parameters)


def _tags(kind: str | None, resource: LogicalResource) -> dict[str, Any]:
    if kind is None:
        return {}
    return with_tags(resource) if kind == "Tags" else tag_specifications(kind, resource)


def _values(expressions: Mapping[str, str], values_so_far: Mapping[str, Any]) -> dict[str, Any]:
    values = {name: jmespath.search(expression, values_so_far) for name, expression in expressions.items()}
    return {name: value for name, value in values.items() if value is not None}


def keep_out() -> None:
    """Put an empty package in its place, below which the files of moto's are found."""
    package = ModuleType("moto.cloudformation")
    package.__path__ = [str(Path(moto.__file__).parent / "cloudformation")]
    sys.modules.setdefault("moto.cloudformation", package)
