"""eksctl's own schema, and the rules about its files, on every architecture with every option."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from typing import Any

import pytest
from jsonschema import Draft7Validator, ValidationError

from tests.each_case import each_case
from tests.oracles import EKSCTL_SCHEMA, needs
from tests.platforms.eks.rendering.options import NAMES, SOME, cluster_with
from trainyard.checking.foreign_file import document_findings
from trainyard.document.read import read_yaml
from trainyard.document.write import yaml_text

# Where stand-ins stand, nobody knows zones; and what an architecture leaves open on purpose is said by its README.
KNOWN = {"eksctl-endpoint-open-to-world"}


@cache
def strict() -> Draft7Validator:
    """Return what validates by the schema, and refuses every key that an object does not name where it names any."""
    schema: dict[str, Any] = json.loads(EKSCTL_SCHEMA.read_text(encoding="utf-8"))
    for definition in schema["definitions"].values():
        if definition.get("properties"):
            definition["additionalProperties"] = False
    return Draft7Validator(schema)


@needs(EKSCTL_SCHEMA)
@each_case(("architecture", "option"), SOME)
def test_eksctl_takes_every_architecture_and_every_option(architecture: str, option: str):
    strict().validate(cluster_with(architecture, option))


@pytest.mark.exhaustive
@needs(EKSCTL_SCHEMA)
@each_case(("architecture", "option"), NAMES)
def test_eksctl_takes_every_architecture_with_every_option(architecture: str, option: str):
    strict().validate(cluster_with(architecture, option))


def objects(node: Any) -> Iterator[dict[str, Any]]:
    """Yield every mapping whose keys eksctl decides: those of labels, tags and the like are the user's."""
    if isinstance(node, list):
        for one in node:
            yield from objects(one)
    elif isinstance(node, dict):
        yield node
        for key, value in node.items():
            if key not in ("labels", "tags", "private", "public"):
                yield from objects(value)


@needs(EKSCTL_SCHEMA)
def test_an_unknown_key_is_refused_wherever_it_stands():
    whole = cluster_with("eks-p5-capacity-block", "other-version")
    places = sum(1 for _ in objects(whole))
    assert places > 20
    for number in range(places):
        spoilt = deepcopy(whole)
        list(objects(spoilt))[number]["capacityReservationId"] = "cr-0123456789abcdef0"
        with pytest.raises(ValidationError):
            strict().validate(spoilt)


@each_case(("architecture", "option"), SOME)
def test_the_rules_about_files_of_eksctl_have_nothing_against_it(architecture: str, option: str):
    check(architecture, option)


@pytest.mark.exhaustive
@each_case(("architecture", "option"), NAMES)
def test_they_have_nothing_against_any_architecture_with_any_option(architecture: str, option: str):
    check(architecture, option)


def check(architecture: str, option: str) -> None:
    text = yaml_text(cluster_with(architecture, option))
    found = list(document_findings(read_yaml(text, "cluster.yaml"), "eksctl"))
    assert [one for one in found if one.severity == "error"] == []
    if option == "as-it-is":
        assert {one.id for one in found} <= KNOWN
