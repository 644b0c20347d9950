"""Launch templates of our own, for node groups that eksctl's would not fit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cfn_lint import objections
from tests.platforms.batch.rendering.resolved import resources_of
from tests.platforms.eks.rendering.options import CAPACITIES, cluster_of, spec_with
from tests.specs import spec_of
from trainyard.bundle.assemble import parameters_list
from trainyard.catalog.instances import find
from trainyard.catalog.interfaces import Interface, misfits
from trainyard.errors import TrainyardError
from trainyard.platforms.eks.rendering.launch_templates import native_template
from trainyard.render.cloudformation.stack import Stack
from trainyard.render.cloudformation.stacks import stacks
from trainyard.render.stand_ins import Ids

# Optional parameters are blank by default; and cfn-lint's list of instance types is older than P6.
ALLOWED = ("W1030", "W1033", "E3628")
ZONES = "network: {availability_zone: us-east-2a, secondary_availability_zone: us-east-2b}\n"
B300 = "instance_type: p6-b300.48xlarge, nodes: {min: 0, max: 4}"


def part_with(queue: str) -> str:
    return f"platform: eks\n{ZONES}queues: [{{name: q, {queue}}}]"


def stack_of(part: str) -> Stack | None:
    return next((stack for stack in stacks(spec_of(part), Ids({})) if stack.kind == "nodes"), None)


def data_of(part: str) -> dict[str, Any]:
    """Return what CloudFormation makes of the first launch template of a spec."""
    stack = stack_of(part)
    assert stack is not None
    resources = resources_of(stack)
    found: dict[str, Any] = next(one["LaunchTemplateData"] for one in resources.values() if "LaunchTemplateData" in one)
    return found


def test_card_0_of_p6_b300_gets_an_interface_of_its_own_beside_those_with_efa():
    facts = find("p6-b300.48xlarge")
    assert facts is not None
    interfaces = [
        Interface(one["NetworkCardIndex"], one["DeviceIndex"], one["InterfaceType"])
        for one in data_of(part_with(B300))["NetworkInterfaces"]
    ]
    assert misfits(facts, interfaces) == ()
    assert interfaces[0] == Interface(0, 0, "interface")
    assert sum(interface.kind != "interface" for interface in interfaces) == 16


def test_the_node_group_refers_to_it_and_says_nothing_that_it_says():
    group = cluster_of(spec_of(part_with(B300)))["managedNodeGroups"][1]
    assert group["launchTemplate"]["id"].startswith("lt-")
    # https://docs.aws.amazon.com/eks/latest/eksctl/launch-template-support.html
    refused = {"instanceType", "ami", "ssh", "securityGroups", "volumeSize", "instancePrefix", "disablePodIMDS",
               "overrideBootstrapCommand", "placement", "efaEnabled", "enableDetailedMonitoring"}  # fmt: skip
    assert refused & set(group) == set()


@pytest.mark.parametrize(
    ("queue", "wanted"),
    [
        ("instance_type: p5.48xlarge, nodes: 2", False),
        ("instance_type: p6-b200.48xlarge, nodes: 2", False),
        (B300, True),
        (f"{B300}, efa: false", False),
        ("instance_type: p5.48xlarge, nodes: 2, placement_group: false", True),
        ("instance_type: m5.large, nodes: 2, placement_group: true", True),
        ("instance_type: m5.large, nodes: 2, root_volume: {type: standard}", True),
    ],
)
def test_there_is_one_where_eksctl_s_own_would_be_wrong_and_nowhere_else(queue: str, wanted: bool):  # noqa: FBT001
    assert (stack_of(part_with(queue)) is not None) == wanted


@pytest.mark.parametrize("capacity", CAPACITIES)
def test_a_launch_template_takes_its_instances_from_where_the_spec_says(capacity: str):
    data = data_of(part_with(f"{B300}, capacity: {json.dumps(CAPACITIES[capacity])}"))
    target = data.get("CapacityReservationSpecification", {}).get("CapacityReservationTarget", {})
    if "group" in capacity or capacity == "reservations":
        assert list(target) == ["CapacityReservationResourceGroupArn"]
    else:
        wanted = {} if capacity in ("on-demand", "spot") else {"CapacityReservationId": "cr-0123456789abcdef0"}
        assert target == wanted
    market = {"MarketType": "capacity-block"} if capacity == "capacity-block" else None
    assert data.get("InstanceMarketOptions") == market


def test_metadata_is_for_sessions_of_version_2_and_not_for_pods():
    options = data_of(part_with(B300))["MetadataOptions"]
    assert options["HttpTokens"] == "required"
    assert str(options["HttpPutResponseHopLimit"]) == "1"


@pytest.mark.parametrize(
    ("part", "problem"),
    [
        (part_with(f"{B300}, ami: ami-0123456789abcdef0"), "nothing would tell them how to join the cluster"),
        (
            part_with("instance_type: p9.unknown, nodes: 1, placement_group: true"),
            "network cards of p9.unknown are unknown",
        ),
    ],
)
def test_what_no_launch_template_can_have_is_refused_with_its_place(part: str, problem: str):
    with pytest.raises(TrainyardError, match=problem) as refused:
        stack_of(part)
    assert refused.value.where == "queues.0"


def _parameters(stack: Stack) -> list[dict[str, Any]]:
    """Return them in the form in which cfn-lint takes lists."""
    given: dict[str, Any] = {one["ParameterKey"]: one["ParameterValue"] for one in parameters_list(stack)}
    given["SecurityGroups"] = given["SecurityGroups"].split(",")
    return [{"ParameterKey": name, "ParameterValue": value} for name, value in given.items()]


@pytest.mark.integration
@pytest.mark.parametrize("option", ["p6-b300", "without-placement-group", "native"])
def test_cfn_lint_has_nothing_to_say_about_it(tmp_path: Path, option: str):
    template, parameters = tmp_path / "nodes.yaml", tmp_path / "nodes.json"
    template.write_text(native_template(), encoding="utf-8")
    given = []
    if option != "native":
        spec = spec_with("eks-g4dn" if option != "p6-b300" else "eks-p5-capacity-block", option)
        stack = next(stack for stack in stacks(spec, Ids({})) if stack.kind == "nodes")
        template.write_text(stack.template, encoding="utf-8")
        parameters.write_text(json.dumps(_parameters(stack)), encoding="utf-8")
        given = [parameters]
    assert objections(template, parameters=given, ignored=ALLOWED, regions=["us-east-1", "us-east-2"]) == []


def test_several_node_groups_have_one_stack_with_a_launch_template_each():
    part = f"platform: eks\n{ZONES}queues: [{{name: a, {B300}}}, {{name: b, {B300}, placement_group: true}}]"
    stack = stack_of(part)
    assert stack is not None
    kinds = [resource["Type"] for resource in yaml.safe_load(stack.template)["Resources"].values()]
    assert kinds.count("AWS::EC2::LaunchTemplate") == 2
    groups = cluster_of(spec_of(part))["managedNodeGroups"][1:]
    assert len({group["launchTemplate"]["id"] for group in groups}) == 2
