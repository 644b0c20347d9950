"""cfn-lint, an outside judge, on every template with what a spec says to it."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from tests.cfn_lint import objections
from tests.render.cloudformation.templates import STACKS, written_to
from trainyard.architectures import all_architectures
from trainyard.bundle.assemble import parameters_list
from trainyard.render.cloudformation.stacks import stacks
from trainyard.render.stand_ins import Ids
from trainyard.spec.parsing import parse

REGIONS = ["us-east-1", "us-east-2", "ap-northeast-1"]
ARN = "arn:aws:acm:us-east-2:123456789012:certificate/1a2b3c4d-5e6f-7a8b-9c0d-1e2f3a4b5c6d"
MODES = ["none", "self-hosting", f"self-hosting\n  certificate: {ARN}", "amp-only", "amp+amg"]
# Parameters that only one mode needs are empty in the others, and so not of the form that their resources demand.
ALLOWED_WARNING = "W1030"


def said(*templates: Path, parameters: Sequence[Path] = ()) -> list[str]:
    return objections(*templates, parameters=parameters, ignored=[ALLOWED_WARNING], regions=REGIONS)


@pytest.mark.integration
def test_the_judge_objects_to_a_property_and_a_parameter_that_are_wrong(tmp_path: Path):
    template, parameters = tmp_path / "wrong.yaml", tmp_path / "wrong.json"
    template.write_text(
        "Parameters: {Kind: {Type: String, AllowedValues: [a]}}\n"
        "Resources: {Topic: {Type: AWS::SNS::Topic, Properties: {DisplayName: !Ref Kind, Colour: red}}}\n"
    )
    parameters.write_text('[{"ParameterKey": "Kind", "ParameterValue": "b"}]')
    assert ["'Colour'" in objection for objection in said(template)] == [True]
    assert len(said(template, parameters=[parameters])) > 1


@pytest.mark.integration
def test_no_template_has_anything_that_cfn_lint_objects_to(tmp_path: Path):
    assert said(*written_to(tmp_path).values()) == []


@pytest.mark.parametrize(
    "share",
    [pytest.param(6, marks=pytest.mark.integration, id="few"), pytest.param(1, marks=pytest.mark.exhaustive, id="all")],
)
@pytest.mark.parametrize("kind", STACKS)
def test_nor_has_one_with_the_parameters_of_any_architecture_in_any_mode(tmp_path: Path, kind: str, share: int):
    template, files = written_to(tmp_path)[kind], []
    for number, parameters in enumerate(sorted(_different()[kind])[::share]):
        files.append(tmp_path / f"{number}.json")
        files[-1].write_text(parameters, encoding="utf-8")
    assert said(template, parameters=files) == []


@cache
def _different() -> dict[str, set[str]]:
    """Return the parameters of every kind of stack in all architectures and modes; those alike but for names once."""
    found: dict[tuple[str, str], str] = {}
    for architecture, mode in itertools.product(all_architectures(), MODES):
        text = architecture.text.replace("mode: amp+amg", "mode: none")
        mode_line = f"monitoring:\n  mode: {mode}\n"
        text = text.replace("monitoring:\n  mode: none\n", mode_line) if "monitoring:" in text else text + mode_line
        for stack in stacks(parse(text, "cluster.yaml").spec, Ids({})):
            same = {name: value for name, value in stack.parameters.items() if "Name" not in name and "AZ" not in name}
            found[stack.kind, json.dumps(same)] = json.dumps(parameters_list(stack))
    return {kind: {text for (of, _), text in found.items() if of == kind} for kind in STACKS}


OF_INSTANCE = {
    "SSLCertificateArn": ARN,
    "S3BucketName": "trainyard-123456789012-us-east-2",
    "KmsKeyArn": "arn:aws:kms:us-east-2:123456789012:key/0a1b2c3d-5e6f-7a8b-9c0d-1e2f3a4b5c6d",
    "MonitoringImageId": "ami-0123456789abcdef0",
    "MonitoringKeyPair": "mine",
    "IamNamePrefix": "ml-",
}


COMBINATIONS = tuple(itertools.product((False, True), repeat=len(OF_INSTANCE)))
# None, each alone, all but each, and all.
FEW = tuple(given for given in COMBINATIONS if sum(given) in (0, 1, len(given) - 1, len(given)))


@pytest.mark.parametrize(
    "combinations",
    [
        pytest.param(FEW, marks=pytest.mark.integration, id="few"),
        pytest.param(COMBINATIONS, marks=pytest.mark.exhaustive, id="all"),
    ],
)
def test_nor_has_the_monitoring_instance_with_any_of_what_is_said_about_it(
    tmp_path: Path, combinations: tuple[tuple[bool, ...], ...]
):
    least = {
        "ClusterName": "llm", "MonitoringType": "self-hosting", "VpcId": "vpc-0123456789abcdef0",
        "MonitoringSubnet": "subnet-0123456789abcdef0", "MonitoringSecurityGroup": "sg-0123456789abcdef0",
        "LoadBalancerSubnet1": "subnet-0123456789abcdef1", "LoadBalancerSubnet2": "subnet-0123456789abcdef2",
        "LoadBalancerSecurityGroup": "sg-0123456789abcdef1", "AssetsFolder": "trainyard/llm",
    }  # fmt: skip
    files = []
    for number, given in enumerate(combinations):
        more = {name: value for (name, value), there in zip(OF_INSTANCE.items(), given, strict=True) if there}
        listed = [{"ParameterKey": name, "ParameterValue": value} for name, value in {**least, **more}.items()]
        files.append(tmp_path / f"{number}.json")
        files[-1].write_text(json.dumps(listed), encoding="utf-8")
    template = written_to(tmp_path)["monitoring"]
    assert said(template, parameters=files) == []
