"""What CloudFormation knows of the resources of the stacks, against the schemas of the installed cfn-lint."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from trainyard.catalog.cloudformation_keys import PATH, cloudformation_kinds

TOOLS = Path(__file__).parents[2] / "tools"


@pytest.mark.integration
def test_the_catalog_is_what_the_schemas_say(monkeypatch):
    monkeypatch.syspath_prepend(str(TOOLS))
    assert import_module("cloudformation_keys").cloudformation_keys() == PATH.read_text()


def test_every_shape_that_is_named_is_there():
    kinds = cloudformation_kinds()
    shapes = [shape for keys in kinds.values() for shape in keys.values()]
    named = [shape[0] if isinstance(shape, list) and shape else shape for shape in shapes]
    assert {name for name in named if isinstance(name, str)} <= kinds.keys()
    assert kinds["AWS::Batch::JobQueue"]["JobStateTimeLimitActions"] == ["AWS::Batch::JobQueue.JobStateTimeLimitAction"]
