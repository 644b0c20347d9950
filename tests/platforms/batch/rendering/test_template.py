"""The template as it lies in the package, and as it is filled for specs."""

from __future__ import annotations

import ast
import itertools
import re
from typing import Any

import pytest
import yaml

from tests.architectures.by_platform import architectures_on
from tests.oracles import BATCH_DOCUMENT, needs
from tests.platforms.batch.rendering.resolved import resolved, resources_of, stack_of
from tests.render.cloudformation.templates import names_in, reached
from trainyard.document.read import read_yaml
from trainyard.platforms.batch.rendering.documents import native_template
from trainyard.render.cloudformation.stack import INLINE_BYTES
from trainyard.render.cloudformation.stacks import stacks
from trainyard.render.repeated_sections import with_number
from trainyard.render.stand_ins import Ids
from trainyard.spec.parsing import parse

NATIVE: dict[str, Any] = yaml.load(native_template(), Loader=yaml.CSafeLoader)
SPECS = {one.name: parse(one.text, one.name).spec for one in architectures_on("batch")}
# The table of parameters, and the command, of the document that this template replaces.
DOCUMENTED = (
    "VPCStackParameter",
    "AMI",
    "CapacityReservationId",
    "CapacityReservationResourceGroup",
    "EC2KeyPair",
    "CreatePlacementGroup",
)
COMMAND = {"VPCStackParameter": "vpc-stack-ml", "CapacityReservationId": "cr-123567890abc"}
TWO = """\
queues:
  - {name: gpu, instance_type: p4d.24xlarge, nodes: {min: 0, max: 4}}
  - {name: cpu, instance_type: m5.large, nodes: {min: 0, max: 2}}
"""


def test_the_document_s_own_parameters_are_there_and_all_are_optional():
    assert set(DOCUMENTED) <= NATIVE["Parameters"].keys()
    assert [name for name, one in NATIVE["Parameters"].items() if "Default" not in one] == []


def test_no_optional_parameter_has_a_type_that_refuses_to_be_blank():
    # AWS::EC2::Image::Id and AWS::EC2::KeyPair::KeyName have to exist, and '' does not.
    # https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/parameters-section-structure.html
    assert {parameter["Type"] for parameter in NATIVE["Parameters"].values()} == {"String", "Number"}


@needs(BATCH_DOCUMENT)
def test_the_command_of_the_document_is_the_one_that_is_tested_here():
    text = BATCH_DOCUMENT.read_text(encoding="utf-8")
    assert tuple(re.findall(r"^\| `(\w+)` ", text, re.MULTILINE)) == DOCUMENTED
    assert dict(re.findall(r'ParameterKey=(\w+),ParameterValue="([^"]+)"', text)) == COMMAND


def test_the_command_of_the_document_makes_a_cluster_in_the_network_of_that_stack():
    made = resolved(stack_of("queues: [{name: training, instance_type: p4d.24xlarge}]").template, COMMAND)
    launched = made["LaunchTemplate"]["LaunchTemplateData"]
    assert launched["CapacityReservationSpecification"] == {
        "CapacityReservationTarget": {"CapacityReservationId": COMMAND["CapacityReservationId"]}
    }
    assert launched["NetworkInterfaces"][0]["Groups"] == ["import of vpc-stack-ml-SecurityGroup"]
    computing = made["ComputeEnvironment"]["ComputeResources"]
    assert computing["Subnets"] == ["import of vpc-stack-ml-PrivateSubnet"]
    assert not {"Ec2KeyPair", "PlacementGroup"} & computing.keys()
    assert computing["Ec2Configuration"] == [{"ImageType": "ECS_AL2023_NVIDIA"}]
    assert made["JobQueue"]["JobQueueName"] == "batch-distributed-training-training"


def test_the_command_of_the_document_allows_what_the_template_makes():
    # A name for a role, even on a condition, takes more than its CAPABILITY_IAM.
    # https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_CreateStack.html
    stack = stack_of("queues: [{name: training, instance_type: p4d.24xlarge}]")
    assert stack.capabilities == ("CAPABILITY_IAM",)
    assert not re.search("RoleName:|InstanceProfileName:|IamNamePrefix|HasRoleNames", stack.template)
    named = stack_of("iam: {resource_prefix: ml-}")
    assert named.capabilities == ("CAPABILITY_NAMED_IAM",)
    assert named.template.count("RoleName:") == 3


def test_its_optional_parameters_reach_what_they_are_for():
    group = "arn:aws:resource-groups:us-east-2:123456789012:group/g"
    given = {
        "AMI": "ami-0123456789abcdef0",
        "CapacityReservationResourceGroup": group,
        "EC2KeyPair": "mine",
        "CreatePlacementGroup": "true",
        "VPCStackParameter": "vpc-stack-ml",
    }
    made = resolved(native_template(), given)
    computing = made["ComputeEnvironment"]["ComputeResources"]
    assert computing["Ec2Configuration"][0]["ImageIdOverride"] == given["AMI"]
    assert (computing["Ec2KeyPair"], computing["PlacementGroup"]) == ("mine", "PlacementGroup-id")
    target = made["LaunchTemplate"]["LaunchTemplateData"]["CapacityReservationSpecification"]
    assert target == {"CapacityReservationTarget": {"CapacityReservationResourceGroupArn": group}}


@pytest.mark.parametrize(
    "both",
    tuple(
        itertools.combinations(
            {
                "CapacityReservationId": "cr-0123456789abcdef0",
                "CapacityReservationResourceGroup": "arn:aws:resource-groups:us-east-2:123456789012:group/g",
                "CapacityBlockId": "cr-0123456789abcdef1",
            }.items(),
            2,
        )
    ),
    ids=lambda both: " and ".join(name for name, _ in both),
)
def test_two_kinds_of_reservations_are_refused_before_anything_is_made(both: tuple[tuple[str, str], ...]):
    with pytest.raises(AssertionError, match="Name a"):
        resolved(native_template(), dict(both))


def test_the_quick_create_link_of_the_document_fills_in_nothing_that_is_needed():
    # It names a template and a stack, no parameter: whoever opens it writes VPCStackParameter and may leave the rest.
    assert resolved(native_template(), {"VPCStackParameter": "vpc-stack-ml"})["ComputeEnvironment"]


@pytest.mark.parametrize("name", SPECS)
def test_the_template_of_one_queue_fits_into_a_request(name: str):
    text = stack_of(SPECS[name]).template
    assert len(text.encode()) <= INLINE_BYTES
    assert not re.search(r"# slot:|^ *#:", text, re.MULTILINE)


def test_comments_stay_where_there_is_room():
    assert "# What nodes may do: what the ECS agent needs" in stack_of(SPECS["batch-p4d"]).template
    assert "# What nodes may do" not in stack_of(SPECS["batch-p5"]).template


def test_programs_without_comments_are_the_same_programs():
    texts = {
        name: yaml.load(stack_of(SPECS[name]).template, Loader=yaml.CSafeLoader)["Mappings"]["Programs"]
        for name in ("batch-p4d", "batch-p5")
    }
    whole, dense = (texts[name] for name in ("batch-p4d", "batch-p5"))
    assert dense.keys() == whole.keys()
    code = [line for line in whole["NodeStart"]["Text"].splitlines() if not line.lstrip().startswith("#")]
    assert dense["NodeStart"]["Text"].splitlines()[1:] == code
    assert dense["NodeStart"]["Text"].startswith("#!/bin/bash\n")
    assert ast.dump(ast.parse(dense["NcclJob"]["Text"])) == ast.dump(_undocumented(whole["NcclJob"]["Text"]))


def _undocumented(text: str) -> ast.Module:
    module = ast.parse(text)
    parts: list[ast.Module | ast.FunctionDef] = [part for part in module.body if isinstance(part, ast.FunctionDef)]
    for one in (module, *parts):
        assert isinstance(one.body.pop(0), ast.Expr)
    return module


@pytest.mark.parametrize(
    "part", [NATIVE, *(yaml.load(stack_of(spec).template, Loader=yaml.CSafeLoader) for spec in SPECS.values())]
)
def test_every_parameter_and_condition_is_used_and_says_what_it_is(part: dict[str, Any]):
    used = reached(part, "Resources") | reached(part, "Outputs")
    assert set(part["Parameters"]) - used == set()
    assert set(part["Conditions"]) - used == set()
    assert all(parameter["Description"] for parameter in part["Parameters"].values())


def test_every_queue_has_resources_parameters_and_names_of_its_own():
    stack = stack_of(TWO)
    made = resources_of(stack)
    assert made["ComputeEnvironment2"]["ComputeResources"]["InstanceTypes"] == ["m5.large"]
    assert made["ComputeEnvironment2"]["ComputeResources"]["LaunchTemplate"]["LaunchTemplateId"] == "LaunchTemplate2-id"
    assert made["JobQueue2"]["ComputeEnvironmentOrder"][0]["ComputeEnvironment"] == "ComputeEnvironment2-id"
    assert made["JobQueue2"]["JobQueueName"].endswith("-cpu")
    assert (stack.parameters["MaxvCpus"], stack.parameters["MaxvCpus2"]) == (str(4 * 96), str(2 * 2))
    assert "NcclJob" in made
    assert "NcclJob2" not in made
    assert made["StressJob2"]["NodeProperties"]["NodeRangeProperties"][0]["Container"]["JobRoleArn"].endswith(
        "JobRole/Arn"
    )
    assert len(made["LaunchTemplate2"]["LaunchTemplateData"]["NetworkInterfaces"]) == 1
    assert {"JobQueue", "JobQueue2"} <= yaml.load(stack.template, Loader=yaml.CSafeLoader)["Outputs"].keys()


def test_nothing_of_a_further_queue_refers_to_the_first():
    template = yaml.load(stack_of(TWO).template, Loader=yaml.CSafeLoader)
    own = {
        name
        for section in ("Parameters", "Conditions", "Resources")
        for name in template[section]
        if name.endswith("2")
    }
    first = {name.removesuffix("2") for name in own}
    for section in ("Conditions", "Resources", "Outputs"):
        for name, one in template[section].items():
            if name.endswith("2"):
                assert not set(names_in(one)) & first, name


def test_a_reference_gets_a_number_in_every_form_and_a_key_does_not():
    part = {
        "CapacityReservationId": {"Ref": "CapacityReservationId"},
        "a": {"Fn::GetAtt": ["X", "Arn"]},
        "b": {"Fn::If": ["Y", {"Ref": "X"}, {"Ref": "AWS::NoValue"}]},
        "c": {"Fn::Sub": "${X.Arn} ${X} ${Other}"},
        "d": {"Fn::Sub": ["${X} ${own}", {"own": {"Ref": "X"}}]},
        "Condition": "Y",
        "e": [{"Condition": "Y"}, {"Condition": {"StringEquals": "X"}}],
    }
    assert with_number(part, {"X", "Y", "CapacityReservationId"}, 3) == {
        "CapacityReservationId": {"Ref": "CapacityReservationId3"},
        "a": {"Fn::GetAtt": ["X3", "Arn"]},
        "b": {"Fn::If": ["Y3", {"Ref": "X3"}, {"Ref": "AWS::NoValue"}]},
        "c": {"Fn::Sub": "${X3.Arn} ${X3} ${Other}"},
        "d": {"Fn::Sub": ["${X3} ${own}", {"own": {"Ref": "X3"}}]},
        "Condition": "Y3",
        "e": [{"Condition": "Y3"}, {"Condition": {"StringEquals": "X"}}],
    }


def test_a_template_of_many_queues_is_for_s3_and_keeps_its_comments():
    queues = ", ".join(f"{{name: q{number}, instance_type: p5.48xlarge}}" for number in range(4))
    text = stack_of(f"queues: [{queues}]").template
    assert len(text.encode()) > INLINE_BYTES
    assert "# What nodes may do" in text
    assert read_yaml(text, "batch.yaml").value["Resources"]["JobQueue4"]


def test_the_stack_comes_last_because_it_is_the_cluster():
    assert [stack.kind for stack in stacks(SPECS["batch-p4d"], Ids({}))] == ["network", "storage", "batch"]
