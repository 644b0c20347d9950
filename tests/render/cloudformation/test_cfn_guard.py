"""cfn-guard, an outside judge, on every template as specs fill it in. What it may object to is in cfn_guard.yaml."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cfn_guard import Objection, objections
from tests.platforms.batch.rendering.resolved import resolved
from tests.rehearsal.account_copies import deployed_account
from tests.rehearsal.whole import SPEC
from tests.specs import spec_of
from trainyard.architectures import all_architectures
from trainyard.render.cloudformation.stacks import stacks
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec
from trainyard.spec.parsing import parse

ACCEPTED = yaml.safe_load(Path(__file__).with_name("cfn_guard.yaml").read_text(encoding="utf-8"))
LUSTRE = "file_systems: [{mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 250}}]\n"
CERTIFICATE = "arn:aws:acm:us-east-2:123456789012:certificate/0a1b2c3d-0000-0000-0000-000000000000"
TWO_ZONES = "network: {availability_zone: us-east-2a, secondary_availability_zone: us-east-2b}\n"
SPECS = {
    "self-hosting": f"{TWO_ZONES}monitoring: {{mode: self-hosting, certificate: '{CERTIFICATE}'}}\n{LUSTRE}",
    "managed": f"monitoring: {{mode: amp+amg}}\n{LUSTRE}",
    "no-internet": f"network: {{internet: none}}\n{LUSTRE}",
    "batch": f"platform: batch\n{LUSTRE}queues: [{{name: train, instance_type: p5.48xlarge, nodes: 2}}]\n",
    "eks": "platform: eks\nqueues: [{name: train, instance_type: p6-b300.48xlarge, nodes: 2}]\n",
}


def reason_of(objection: Objection) -> str | None:
    """Return why an objection is accepted; None where it is not."""
    of_stack = ACCEPTED.get(objection.template.rpartition(".")[2], {})
    accepted = of_stack.get(objection.control, {})
    return accepted["reason"] if objection.type in accepted.get("types", ()) else None


def typed(value: Any) -> Any:
    """Return a value of a property as CloudFormation hands it on: parameters are texts, and properties are not."""
    if isinstance(value, dict):
        return {key: typed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [typed(item) for item in value]
    if value in ("true", "false"):
        return value == "true"
    return int(value) if isinstance(value, str) and re.fullmatch(r"\d{1,9}", value) else value


def filled_templates(name: str, spec: Spec) -> dict[str, dict[str, Any]]:
    """Return the templates of a spec with their parameters filled in, by the name of the spec and the kind of stack."""
    templates = {}
    for stack in stacks(spec, Ids({})):
        types = {key: resource["Type"] for key, resource in yaml.safe_load(stack.template)["Resources"].items()}
        resources = resolved(stack.template, stack.parameters).items()
        templates[f"{name}.{stack.kind}"] = {
            "Resources": {key: {"Type": types[key], "Properties": typed(values)} for key, values in resources}
        }
    return templates


def test_what_is_accepted_has_a_reason():
    assert all(
        accepted["reason"] and accepted["says"] for of_stack in ACCEPTED.values() for accepted in of_stack.values()
    )


@pytest.mark.integration
def test_it_objects_to_nothing_but_what_has_a_reason(tmp_path: Path):
    specs = {name: spec_of(part) for name, part in SPECS.items()}
    templates = {key: value for name, spec in specs.items() for key, value in filled_templates(name, spec).items()}
    objected = objections(templates, tmp_path)
    assert {objection for objection in objected if reason_of(objection) is None} == set()
    # What is accepted and not there any more is taken out.
    stacks_here = {name.rpartition(".")[2] for name in templates}
    assert {(objection.template.rpartition(".")[2], objection.control) for objection in objected} == {
        (stack, control) for stack in stacks_here & ACCEPTED.keys() for control in ACCEPTED[stack]
    }


@pytest.mark.exhaustive
def test_nor_in_the_templates_of_any_architecture(tmp_path: Path):
    specs = {architecture.name: parse(architecture.text, "cluster.yaml").spec for architecture in all_architectures()}
    templates = {key: value for name, spec in specs.items() for key, value in filled_templates(name, spec).items()}
    assert {one for one in objections(templates, tmp_path) if reason_of(one) is None} == set()


@pytest.mark.exhaustive
@pytest.mark.enable_socket
def test_nor_in_what_parallelcluster_makes_of_a_cluster(tmp_path: Path):
    with deployed_account(SPEC) as account:
        cloudformation = account.client("cloudformation")
        names = [stack["StackName"] for stack in cloudformation.describe_stacks()["Stacks"]]
        own = [name for name in names if name == "llm" or "NestedStack" in name]
        bodies = {name: cloudformation.get_template(StackName=name)["TemplateBody"] for name in own}
    templates = {
        f"{name.partition('Nested')[0]}.parallelcluster": yaml.safe_load(body) if isinstance(body, str) else body
        for name, body in bodies.items()
    }
    assert len(templates) == 3
    assert {one for one in objections(templates, tmp_path) if reason_of(one) is None} == set()
