"""Overlays of CloudFormation's stacks: merged last, and refused where the spec decides or nobody knows the key."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cfn_lint import objections
from tests.each_case import each_case
from tests.examples import example_spec
from tests.render.changes import CHANGES, before_and_after
from tests.specs import spec_of
from trainyard.bundle.assemble import assemble
from trainyard.checking.spec_file import check_text
from trainyard.deploy.plan.deployment_plan import plan
from trainyard.document.write import yaml_text
from trainyard.render.cloudformation.stack_overlay import parameter_origins
from trainyard.render.cloudformation.stacks import stack, stacks
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec
from trainyard.spec.fields import field_hints, record_at
from trainyard.spec.parsing import parse

LUSTRE = "file_systems: [{mount: /fsx, lustre: {size_gib: 1200, throughput_mb_s_per_tib: 250}}]\n"
AMP = "monitoring: {mode: amp-only}\n"
SELF_HOSTING = "monitoring: {mode: self-hosting}\n"
PREFIX = "iam: {resource_prefix: ml-}\n"
ON_BATCH = "platform: batch\n"
ON_EKS = """
platform: eks
queues: [{name: q, instance_type: p5.48xlarge, capacity: {capacity_block: cr-0123456789abcdef0}, placement_group: true}]
"""
ENVIRONMENT = "kind: environment\nname: shared\nregion: us-east-2\n"
MAINTENANCE = {"Lustre": {"Properties": {"LustreConfiguration": {"WeeklyMaintenanceStartTime": "7:03:00"}}}}


def text_of(overlays: dict[str, Any], part: str = LUSTRE) -> str:
    return f"{part}stack_overlays: {yaml.safe_dump(overlays, default_flow_style=True, width=10**6)}"


def problems(text: str) -> list[str]:
    found = check_text(text, "cluster.yaml").findings
    return [f"{finding.path}: {finding.message}; {finding.remedy}" for finding in found if finding.severity == "error"]


@each_case(
    ("part", "overlays"),
    [
        (LUSTRE, {"storage": {"resources": MAINTENANCE}}),
        (LUSTRE, {"storage": {"resources": {"Lustre": {"Properties": {"BackupId": "backup-0123456789abcdef0"}}}}}),
        (LUSTRE, {"storage": {"resources": {"Lustre": {"Properties": {"Tags": [{"Key": "a", "Value": "b"}]}}}}}),
        ("", {"network": {"parameters": {"CreateS3Endpoint": "false"}}}),
        ("", {"network": {"resources": {"PrimaryPrivateSubnet": {"Properties": {"EnableDns64": True}}}}}),
        ("", {"network": {"resources": {"VPC": {"Metadata": {"checkov": {"skip": [{"id": "CKV2_AWS_12"}]}}}}}}),
        (SELF_HOSTING, {"monitoring": {"parameters": {"MonitoringRootGiB": 60}}}),
        (SELF_HOSTING, {"monitoring": {"parameters": {"MonitoringImageId": "ami-0123456789abcdef0"}}}),
        (AMP, {"rules": {"resources": {"AlertRules": {"DeletionPolicy": "Retain"}}}}),
        (ON_BATCH, {"batch": {"resources": {"JobQueue": {"Properties": {"SchedulingPolicyArn": {"Ref": "Policy"}}}}}}),
    ],
    ids=str,
)
def test_keys_that_the_spec_does_not_have_reach_their_stack(part: str, overlays: dict[str, Any]):
    assert problems(example_spec(text_of(overlays, part))) == []
    ((kind, overlay),) = overlays.items()
    plain = stack(spec_of(part), kind, Ids({}))
    grown = stack(spec_of(text_of(overlays, part)), kind, Ids({}))
    for name, value in overlay.get("parameters", {}).items():
        assert grown.parameters[name] == str(value)
    template, before = yaml.safe_load(grown.template), yaml.safe_load(plain.template)
    for logical_id, keys in overlay.get("resources", {}).items():
        _assert_holds(template["Resources"].pop(logical_id), before["Resources"].pop(logical_id))
        assert keys
    assert template == before


def _assert_holds(grown: Any, before: Any) -> None:
    """All that was there is there still; a list may have gone on."""
    if isinstance(before, dict):
        for key, value in before.items():
            _assert_holds(grown[key], value)
    elif isinstance(before, list):
        assert grown[: len(before)] == before
    else:
        assert grown == before


@each_case(
    ("part", "overlays", "words"),
    [
        (LUSTRE, {"storage": {"parameters": {"Capacity": 2400}}}, "write file_systems[].lustre.size_gib"),
        (LUSTRE, {"storage": {"parameters": {"DataPath": "/x"}}}, "write file_systems[].lustre.data_repository"),
        (LUSTRE, {"storage": {"parameters": {"Capacity2": 2400}}}, "write file_systems[].lustre.size_gib"),
        (LUSTRE, {"storage": {"parameters": {"SubnetId": "subnet-0"}}}, "write network.existing"),
        (LUSTRE, {"storage": {"parameters": {"Capacty": 2400}}}, "the stack has no parameter Capacty; there are"),
        (
            LUSTRE,
            {"storage": {"resources": {"Lustre": {"Properties": {"StorageCapacity": 2400}}}}},
            "write file_systems[].lustre.size_gib",
        ),
        (
            LUSTRE,
            {"storage": {"resources": {"Lustre": {"Properties": {"LustreConfiguration": {"EfaEnabled": True}}}}}},
            "write file_systems[].lustre.efa",
        ),
        (LUSTRE, {"storage": {"resources": {"Lustre": {"Properties": {"Weekly": 1}}}}}, "knows no key Weekly here"),
        (LUSTRE, {"storage": {"resources": {"Lustre2": {"Properties": {}}}}}, "the stack has no resource Lustre2"),
        (LUSTRE, {"storage": {"resources": {"Lustre": {"DeletionPolicy": "Delete"}}}}, "which trainyard writes"),
        ("", {"storage": {"resources": MAINTENANCE}}, "no stack storage is made of this spec; there are network"),
        ("", {"storge": {"resources": MAINTENANCE}}, "did you mean"),
        ("", {"network": {"parameters": {"Internet": "none"}}}, "write network.internet"),
        ("", {"network": {"parameters": {"VpcCidrBlock": "10.9.0.0/16"}}}, "write network.cidr"),
        ("", {"network": {"parameters": {"CreateS3Endpoint": "no"}}}, "must be true or false"),
        (SELF_HOSTING, {"monitoring": {"parameters": {"MonitoringRootGiB": 8}}}, "must be at least 30"),
        (SELF_HOSTING, {"monitoring": {"parameters": {"MonitoringRootGiB": "big"}}}, "must be a number"),
        (SELF_HOSTING, {"monitoring": {"parameters": {"MonitoringImageId": "ubuntu"}}}, "must match ^(ami-"),
        (SELF_HOSTING, {"monitoring": {"parameters": {"IamPath": "/mine/"}}}, "write iam.resource_prefix"),
        (ON_BATCH, {"batch": {"parameters": {"MaxvCpus": 9}}}, "write queues[].nodes"),
        (ON_BATCH, {"nodes": {"parameters": {"QueueName": "a"}}}, "no stack nodes is made of this spec"),
        ("", {"network": {"parameters": {"VPCName": ["a"]}}}, "must be plain text or a whole number"),
    ],
    ids=str,
)
def test_what_has_no_place_or_is_the_spec_s_is_refused(part: str, overlays: dict[str, Any], words: str):
    (problem,) = problems(example_spec(text_of(overlays, part)))
    assert words in problem
    assert problem.startswith("stack_overlays.")


def test_an_environment_has_them_too():
    network = "stack_overlays: {network: {resources: {PrimaryPrivateSubnet: {Properties: {%s: true}}}}}\n"
    assert problems(ENVIRONMENT + network % "EnableDns64") == []
    (problem,) = problems(ENVIRONMENT + network % "MapPublicIpOnLunch")
    assert "CloudFormation knows no key MapPublicIpOnLunch here" in problem
    (problem,) = problems(ENVIRONMENT + "stack_overlays: {assets: {parameters: {AssetsFolder: a}}}\n")
    assert "no stack assets is made of this spec" in problem


def test_plan_and_bundle_name_what_an_overlay_writes():
    overlays = {"storage": {"resources": MAINTENANCE}, "network": {"parameters": {"CreateS3Endpoint": "false"}}}
    spec = spec_of(text_of(overlays))
    paths = (
        "stack_overlays.network.parameters.CreateS3Endpoint",
        "stack_overlays.storage.resources.Lustre.Properties.LustreConfiguration.WeeklyMaintenanceStartTime",
    )
    assert plan(spec).overlay == paths
    files = assemble(spec).files
    assert all(f"- `{path}`" in files["README.md"].decode() for path in paths)
    assert b"WeeklyMaintenanceStartTime" in files["storage.yaml"]


def test_every_parameter_has_an_origin_in_the_spec_or_is_free_for_an_overlay():
    kinds = {}
    for part in (LUSTRE + AMP, LUSTRE + SELF_HOSTING, ON_BATCH + PREFIX, ON_EKS):
        for made in stacks(spec_of(part), Ids({})):
            kinds[made.kind] = {name.rstrip("0123456789") for name in yaml.safe_load(made.template)["Parameters"]}
    assert {kind: origins.keys() for kind, origins in parameter_origins().items()} == kinds
    for key in {key for origins in parameter_origins().values() for key in origins.values() if key is not None}:
        *above, last = key.replace("[]", "").split(".")
        record = record_at(Spec, tuple(above))
        assert record is not None, key
        assert last in field_hints(record), key


def test_what_the_spec_decides_and_what_a_parameter_s_origin_says_agree():
    """A parameter that changes with a key of the spec is that key's, or another's that decides it too."""
    free = {(kind, name) for kind, origins in parameter_origins().items() for name, key in origins.items() if not key}
    for path in CHANGES:
        if path.startswith("stack_overlays"):
            continue
        before, after = (_parameters(yaml_text(spec)) for spec in before_and_after(path))
        changed = {place for place in before.keys() | after.keys() if before.get(place) != after.get(place)}
        assert changed & free == set(), path


@cache
def _parameters(text: str) -> dict[tuple[str, str], str]:
    made = stacks(parse(text, "cluster.yaml").spec, Ids({}))
    return {(stack.kind, name): value for stack in made for name, value in stack.parameters.items()}


@pytest.mark.integration
def test_cfn_lint_accepts_a_template_with_an_overlay_and_objects_to_a_value_that_is_wrong(tmp_path: Path):
    def lint(address_type: str) -> list[str]:
        file = tmp_path / "network.yaml"
        overlay = {"S3Endpoint": {"Properties": {"IpAddressType": address_type}}}
        text = text_of({"network": {"resources": overlay}})
        file.write_text(stack(spec_of(text), "network", Ids({})).template)
        return objections(file, ignored=["W"], regions=["us-east-2"])

    assert lint("ipv4") == []
    assert len(lint("ipv5")) == 1
