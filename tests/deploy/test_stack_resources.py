"""Every resource of our templates is known by what it holds, and what holds data is kept by its deletion policies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from trainyard.deploy.stack_resources import is_listed, stack_resource
from trainyard.platforms.batch.rendering.documents import native_template as batch
from trainyard.platforms.eks.rendering.launch_templates import native_template as nodes
from trainyard.render.cloudformation.stacks import template
from trainyard.render.shared_stacks import shared_stacks

TEMPLATES = {**{kind: template(kind) for kind in shared_stacks()}, "batch": batch(), "nodes": nodes()}


def resources() -> Iterator[Any]:
    for kind, text in TEMPLATES.items():
        for name, resource in yaml.load(text, Loader=yaml.CSafeLoader)["Resources"].items():
            yield pytest.param(resource, id=f"{kind}-{name}")


@pytest.mark.parametrize("resource", list(resources()))
def test_what_a_resource_holds_is_known_and_data_is_kept(resource):
    assert is_listed(resource["Type"])
    known = stack_resource(resource["Type"])
    policies = resource.get("DeletionPolicy"), resource.get("UpdateReplacePolicy")
    if known.holds == "data" and known.goes is None:
        assert policies in {("RetainExceptOnCreate", "Retain"), ("Snapshot", "Snapshot")}
    else:
        assert policies == (None, None)


def test_a_type_that_nobody_has_looked_at_counts_as_one_with_data():
    assert stack_resource("AWS::DynamoDB::Table").holds == "data"
