"""Every resource type is made through the account's own API, is there to be asked for, and goes without a trace."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from tests.rehearsal import cloud
from tests.rehearsal.resource_cases import batch, data, eks, machines, network, watching
from tests.rehearsal.resource_cases.parts import att, ref
from trainyard.rehearsal.emulated import resource_types
from trainyard.rehearsal.emulated.engine.types import is_modelled
from trainyard.rehearsal.emulated.extensions import resource_type_handlers, table_types
from trainyard.render import cloudformation

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]

_TEMPLATES = Path(cloudformation.__file__ or "").parent
_CASES = {**network.CASES, **machines.CASES, **data.CASES, **watching.CASES, **batch.CASES, **eks.CASES}


@pytest.mark.parametrize("case", _CASES)
def test_it_is_made_with_its_attributes_and_leaves_nothing_behind(account, case):
    resources, attributes = _CASES[case]
    before = cloud.inventory(account)
    shown = {"Ref": {"Value": ref("It")}, **{name: {"Value": att("It", name)} for name in attributes}}
    stack = cloud.create(account, resources, sections={"Outputs": shown}, Tags=[{"Key": "team", "Value": "llm"}])
    assert stack["StackStatus"] == "CREATE_COMPLETE", cloud.why(account, stack)
    assert all(cloud.outputs(stack).values())
    assert sorted(cloud.outputs(stack)) == sorted(shown)
    found = cloud.inventory(account)
    assert found != before or case in _UNLISTED
    gone = cloud.delete(account, stack)
    assert gone["StackStatus"] == "DELETE_COMPLETE", gone.get("StackStatusReason")
    assert cloud.inventory(account) == before


# They exist in CloudFormation alone.
_UNLISTED = {"CloudFormation::WaitConditionHandle"}


@pytest.mark.parametrize("template", sorted(_TEMPLATES.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_type_of_our_templates_is_modelled(template):
    resources = yaml.safe_load(template.read_text(encoding="utf-8"))["Resources"].values()
    assert [body["Type"] for body in resources if not is_modelled(body["Type"])] == []


# What the templates of ParallelCluster 3.14 to 3.16 make: the Cfn… classes in its folders templates/ and resources/,
# without those of custom images and of AWS Batch.
_OF_PARALLELCLUSTER = Path(__file__).with_name("parallelcluster_types.txt").read_text(encoding="utf-8").split()


@pytest.mark.parametrize("name", _OF_PARALLELCLUSTER)
def test_every_type_of_parallelclusters_templates_is_modelled(name):
    assert is_modelled(name)


def test_no_type_is_modelled_twice():
    modules = Path(resource_types.__file__ or "").parent.glob("*.py")
    written = re.findall(r'^    "?(AWS::[\w:]+|stacks\.STACK)"?: ', "".join(map(Path.read_text, modules)), re.MULTILINE)
    assert len(written) == len(set(written))
    assert len(resource_type_handlers()) == len(table_types()) + len(written)


@pytest.mark.parametrize("name", sorted(resource_type_handlers()))
def test_every_type_that_is_made_can_be_deleted(name):
    handler = resource_type_handlers()[name]
    assert callable(handler.create)
    assert callable(handler.delete)
