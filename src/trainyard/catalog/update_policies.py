"""Finds what an update of a cluster needs for a key of its configuration, and what CloudFormation replaces."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

from trainyard.catalog import by_version, catalog_file, deployment_file
from trainyard.catalog.deployment_file import UpdateNeed
from trainyard.catalog.source import Source, merge_facts, sources_by_fact

_PATH = catalog_file.FOLDER / "update_policies.yaml"
_WHERE = "catalog/update_policies.yaml"


def policies(version: str) -> Mapping[str, str] | None:
    """Return key and policy, [] standing for any position; None where nobody has compared the version's line."""
    return _policies(by_version.line_of(version))


def policy(version: str, path: str) -> str | None:
    """Return the policy of a key, or of the nearest section above it that has one; None where nothing is known."""
    policy_names = policies(version) or {}
    keys = _upwards(re.sub(r"\[\d+\]", "[]", path))
    return next((policy_names[key] for key in keys if key in policy_names), None)


def update_need(version: str, path: str) -> UpdateNeed | None:
    """Return what an update needs that changes a key; None where nothing is known about it."""
    policy_name = policy(version, path)
    return None if policy_name is None else needs()[policy_name]


def sources_of(version: str) -> Mapping[str, Source]:
    """Return key and source of a version; empty where its line is unknown."""
    data = catalog_file.content(_PATH)
    return by_version.sources_of(data, version, _sources(), _WHERE)


def source_of_needs() -> Source:
    """Return where it stands what the policies come to."""
    return next(iter(sources_by_fact(catalog_file.content(_PATH)["needs"], _sources(), _WHERE).values()))


@cache
def needs() -> Mapping[str, UpdateNeed]:
    """Return policy and what it comes to."""
    data = catalog_file.content(_PATH)
    facts = merge_facts(data["needs"], _WHERE)
    return deployment_file.validated({"sources": data["sources"], "update_needs": facts}).update_needs or {}


@cache
def immutable_properties() -> Mapping[str, Source]:
    """Return property and source of what CloudFormation cannot change, such as AWS::EC2::Subnet.AvailabilityZone."""
    data = catalog_file.content(_PATH)
    facts = merge_facts(data["replaced"], _WHERE)
    file = deployment_file.validated({"sources": data["sources"], "replaced_properties": facts})
    sources = sources_by_fact(data["replaced"], _sources(), _WHERE)
    return {
        f"{type_}.{name}": sources[type_] for type_, names in (file.replaced_properties or {}).items() for name in names
    }


@cache
def _policies(line: str) -> Mapping[str, str] | None:
    data = catalog_file.content(_PATH)
    facts = by_version.facts_of(data, line, _WHERE)
    return deployment_file.validated({"sources": data["sources"], "update_policies": facts}).update_policies


def _sources() -> Mapping[str, Source]:
    return deployment_file.validated({"sources": catalog_file.content(_PATH)["sources"]}).sources


def _upwards(path: str) -> Iterator[str]:
    while path:
        yield path
        path = path[:-2] if path.endswith("[]") else path.rpartition(".")[0]
