"""The architecture of an instance type's processor: from the catalog's facts, else from the name that EC2 gave it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from trainyard.catalog import catalog_file
from trainyard.catalog.instance_type import Architecture
from trainyard.catalog.instances import find
from trainyard.catalog.source import merge_facts

_NAME = re.compile(r"(?P<family>[a-z0-9-]+)\.[a-z0-9-]+")


def architecture_of(instance_type: str) -> Architecture | None:
    """Return the architecture of a type, None where neither facts nor its name tell it."""
    facts = find(instance_type)
    if facts is not None and facts.architecture is not None:
        return facts.architecture
    return architecture_in_name(instance_type)


def architecture_in_name(instance_type: str) -> Architecture | None:
    """Return what the name of a type says about its architecture, None where it says nothing."""
    parts = _NAME.fullmatch(instance_type)
    fitting = (
        architecture
        for expression, architecture in _by_family().items()
        if parts and re.fullmatch(expression, parts["family"])
    )
    return next(fitting, None)


@cache
def _by_family() -> Mapping[str, Architecture | None]:
    """Return architectures by expressions of families; None where such a name does not say it."""
    data = catalog_file.content(catalog_file.FOLDER / "instance_type_names.yaml")
    families = merge_facts(data["families"], "catalog/instance_type_names.yaml")
    return catalog_file.validated({"sources": data["sources"], "architectures": families}).architectures or {}
