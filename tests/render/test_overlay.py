"""Overlays: keys that the spec does not have, merged last, and those that it has refused by name."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from tests.each_case import each_case
from tests.specs import spec_of
from trainyard.bundle.assemble import assemble
from trainyard.checking.spec_file import check_text
from trainyard.deploy.plan.deployment_plan import plan
from trainyard.platform_table import platform_of
from trainyard.render.overlay import merged
from trainyard.render.rendering import render
from trainyard.spec.cluster import Spec
from trainyard.spec.parsing import parse

QUEUES = "queues: [{name: gpu, instance_type: p5.48xlarge}, {name: cpu, instance_type: m5.8xlarge}]\n"
EKS = "name: e\nregion: us-east-2\nplatform: eks\nnetwork: {availability_zone: us-east-2a}\n" + QUEUES
TWO_ZONES = EKS.replace("us-east-2a}", "us-east-2a, secondary_availability_zone: us-east-2b}")


def on_parallelcluster(overlay: dict[str, Any]) -> Spec:
    return spec_of(f"{QUEUES}parallelcluster: {{overlay: {yaml.safe_dump(overlay, default_flow_style=True)}}}\n")


def problems(text: str, overlay: Any, section: str) -> list[str]:
    written = f"{text}{section}: {{overlay: {yaml.safe_dump(overlay, default_flow_style=True, width=10**6)[:-1]}}}\n"
    found = check_text(written, "cluster.yaml").findings
    return [f"{finding.path}: {finding.message}" for finding in found if finding.id == "overlay-key-modelled"]


PARALLELCLUSTER = f"name: p\nregion: us-east-2\nplatform: parallelcluster\n{QUEUES}"
NAMED = {"Scheduling": {"SlurmQueues": [{"Name": "cpu", "HealthChecks": {"Gpu": {"Enabled": False}}}]}}


def test_a_key_that_the_spec_does_not_have_is_written_as_it_is():
    no_sudo = {"DisableSudoAccessForDefaultUser": True}
    overlay = {"HeadNode": {"SharedStorageType": "Efs"}, "DeploymentSettings": no_sudo}
    plain = render(spec_of(QUEUES), {}).documents["cluster.yaml"]
    document = render(on_parallelcluster(overlay), {}).documents["cluster.yaml"]
    assert document["HeadNode"] == {**plain["HeadNode"], "SharedStorageType": "Efs"}
    assert document["DeploymentSettings"] == no_sudo
    assert problems(PARALLELCLUSTER, overlay, "parallelcluster") == []


@pytest.mark.integration
def test_what_parallelcluster_refuses_of_an_overlay_is_shown_where_it_stands():
    text = f"{PARALLELCLUSTER}parallelcluster: {{overlay: {{HeadNode: {{Nonsense: 1, SharedStorageType: Efs}}}}}}\n"
    parsed = parse(text, "cluster.yaml")
    found = list(platform_of(parsed.spec).config_findings(parsed, None, lambda _: None))
    assert [(finding.path, finding.severity) for finding in found] == [
        ("parallelcluster.overlay.HeadNode.Nonsense", "error")
    ]


def test_items_of_lists_are_found_by_their_name():
    overlay = {
        "Scheduling": {
            "SlurmQueues": [{"Name": "cpu", "Iam": {"InstanceRole": "arn:aws:iam::123456789012:role/r"}}],
        }
    }
    gpu, cpu = render(on_parallelcluster(overlay), {}).documents["cluster.yaml"]["Scheduling"]["SlurmQueues"]
    assert "InstanceRole" not in gpu["Iam"]
    assert cpu["Iam"]["InstanceRole"].endswith("role/r")
    assert cpu["ComputeResources"]


POLICY = {"Policy": "arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess"}


def test_an_entry_that_is_not_there_comes_after_those_that_are():
    overlay = {"Scheduling": {"SlurmQueues": [{"Name": "cpu", "Iam": {"AdditionalIamPolicies": [POLICY]}}]}}
    assert problems(PARALLELCLUSTER, overlay, "parallelcluster") == []
    plain = render(spec_of(QUEUES), {}).documents["cluster.yaml"]["Scheduling"]["SlurmQueues"]
    grown = render(on_parallelcluster(overlay), {}).documents["cluster.yaml"]["Scheduling"]["SlurmQueues"]
    assert grown[1]["Iam"]["AdditionalIamPolicies"] == [*plain[1]["Iam"]["AdditionalIamPolicies"], POLICY]
    assert grown[0] == plain[0]


def test_an_entry_that_is_there_is_refused():
    written = render(spec_of(QUEUES), {}).documents["cluster.yaml"]["HeadNode"]["Iam"]["AdditionalIamPolicies"][:1]
    (found,) = problems(PARALLELCLUSTER, {"HeadNode": {"Iam": {"AdditionalIamPolicies": written}}}, "parallelcluster")
    assert "AdditionalIamPolicies[0], which trainyard writes" in found


def test_a_further_add_on_of_eksctl_is_added_and_a_further_node_group_is_none():
    assert problems(TWO_ZONES, {"addons": [{"name": "adot"}]}, "eks") == []
    (found,) = problems(TWO_ZONES, {"managedNodeGroups": [{"name": "own", "instanceType": "m5.large"}]}, "eks")
    assert "has no such entry; there are" in found


@each_case(
    ("overlay", "words"),
    [
        (
            {"HeadNode": {"InstanceType": "m5.large"}},
            "HeadNode.InstanceType, which is head_node.instance_type in",
        ),
        ({"Region": "us-west-2"}, "Region, which is region in the spec"),
        (
            {"HeadNode": {"Networking": {"SubnetId": "subnet-1"}}},
            "HeadNode.Networking.SubnetId, which trainyard writes",
        ),
        ({"Scheduling": {"SlurmQueues": [{"Name": "none", "X": 1}]}}, "has no such entry; there are gpu, cpu"),
        (
            {"Scheduling": {"SlurmQueues": [{"Name": "cpu", "ComputeResources": [{"Name": "x"}]}]}},
            "has no such entry; there are",
        ),
        ({"Tags": [{"Key": "team", "Value": "x"}]}, "Tags[1], which is tags in the spec"),
        (
            {"Scheduling": {"SlurmQueues": [{"Name": "cpu", "CapacityType": "SPOT"}]}},
            "[1].CapacityType, which",
        ),
        ({"Scheduling": {"SlurmQueues": "none"}}, "Scheduling.SlurmQueues, which"),
        ({"HeadNode": "none"}, "HeadNode, which"),
    ],
    ids=str,
)
def test_a_key_that_the_spec_has_is_refused_with_its_name(overlay: Any, words: str):
    found = problems(PARALLELCLUSTER, overlay, "parallelcluster")
    assert len(found) == 1, found
    assert words in found[0]
    assert found[0].startswith("parallelcluster.overlay")


def test_eksctl_s_keys_are_known_and_what_is_rendered_is_refused():
    assert problems(TWO_ZONES, {"karpenter": {"version": "1.0.0"}}, "eks") == []
    assert "eksctl knows no key karpentr here" in problems(TWO_ZONES, {"karpentr": {"version": "1"}}, "eks")[0]
    (found,) = problems(TWO_ZONES, {"managedNodeGroups": [{"name": "gpu", "instanceType": "m5.large"}]}, "eks")
    assert "instanceType, which is queues[].instance_type in the spec" in found
    assert problems(TWO_ZONES, {"managedNodeGroups": [{"name": "gpu", "maxPodsPerNode": 20}]}, "eks") == []


@each_case(
    ("overlay", "words"),
    [
        ({"HeadNode": {"SharedStorageTyp": "Efs"}}, "ParallelCluster 3.16 knows no key SharedStorageTyp here"),
        ({"DeploymentSettings": "none"}, "DeploymentSettings is a mapping, not 'none'"),
        ({"HeadNode": {"SharedStorageType": [1]}}, "SharedStorageType is text, not a list"),
        (
            {"Scheduling": {"SlurmQueues": [{"Name": "cpu", "Tags": []}, {"Name": "cpu", "Iam": {}}]}},
            "another entry of this list is called cpu as well",
        ),
    ],
    ids=str,
)
def test_what_parallelcluster_s_schema_refuses_is_found_without_it(overlay: Any, words: str):
    (found,) = problems(PARALLELCLUSTER, overlay, "parallelcluster")
    assert words in found


@pytest.mark.parametrize("version", ["9.1.0", "3.9.0"])
def test_what_the_schema_of_an_unknown_version_may_have_is_left_to_it(version: str):
    text = f"{PARALLELCLUSTER}parallelcluster: {{version: {version}, overlay: {{HeadNode: {{Novelty: 1}}}}}}\n"
    found = check_text(text, "cluster.yaml").findings
    assert [finding for finding in found if finding.id == "overlay-key-modelled"] == []


@each_case(
    ("overlay", "words"),
    [
        ({"karpenter": 5}, "karpenter is a single value, and eksctl reads a mapping there"),
        ({"addons": [None]}, "addons[0] is empty, and eksctl reads a mapping there"),
        ({"metadata": {"tags": {"team": "x"}}}, "metadata.tags.team, which is tags in the spec"),
        ({"managedNodeGroups": [{"name": "gpu", "spot": True}]}, "spot, which is queues[].capacity in"),
        ({"iam": {"withOIDC": True}}, "iam.withOIDC, which trainyard writes"),
    ],
    ids=str,
)
def test_what_eksctl_s_schema_and_the_spec_refuse_is_found_without_it(overlay: Any, words: str):
    (found,) = problems(TWO_ZONES, overlay, "eks")
    assert words in found


def test_where_nothing_can_be_rendered_other_rules_say_so():
    assert problems(EKS, {"karpenter": {"version": "1.0.0"}}, "eks") == []


def test_plan_and_readme_name_what_an_overlay_writes():
    spec = on_parallelcluster(NAMED)
    assert plan(spec).overlay == ("Scheduling.SlurmQueues[0].HealthChecks.Gpu.Enabled",)
    assert "- `Scheduling.SlurmQueues[0].HealthChecks.Gpu.Enabled`" in assemble(spec).files["README.md"].decode()
    assert plan(spec_of()).overlay == ()
    assert "overlay" not in assemble(spec_of()).files["README.md"].decode()


def test_what_is_merged_is_a_new_document():
    document = {"a": {"b": 1}, "list": [{"name": "x", "y": {}}]}
    assert merged(document, {"a": {"c": 2}, "list": [{"name": "x", "z": 1}]}) == {
        "a": {"b": 1, "c": 2},
        "list": [{"name": "x", "y": {}, "z": 1}],
    }
    assert document == {"a": {"b": 1}, "list": [{"name": "x", "y": {}}]}
    assert merged({"list": ["a", {"Key": 1}]}, {"list": ["a", "b", {"Key": 2}]}) == {
        "list": ["a", {"Key": 1}, "b", {"Key": 2}]
    }


@each_case(("text", "section"), [(PARALLELCLUSTER, "parallelcluster"), (TWO_ZONES, "eks")], ids=lambda text: text[:8])
@each_case(
    "overlay",
    [
        "[1, 2]",
        "text",
        "{'a b': 1}",
        "{1: 2}",
        "{A: !!python/object:os.system {}}",
        "{A: !!binary aGk=}",
        "{A: " + "[" * 200 + "]" * 200 + "}",
        "{A: " + "[" + "1, " * 60_000 + "1]}",
        "&a {A: *a}",
        "{A: &a [1, 1, 1], "
        + ", ".join(f"K{n}: &k{n} [{', '.join([f'*k{n - 1}' if n else '*a'] * 9)}]" for n in range(9))
        + "}",
        "{A: {null: 1}}",
        '{A: "\\0"}',
        "null",
        "{A: 1, A: 2}",
    ],
    ids=lambda text: text[:30],
)
def test_hostile_overlays_are_refused_as_any_spec_is(text: str, section: str, overlay: str):
    found = check_text(f"{text}{section}: {{overlay: {overlay}}}\n", "cluster.yaml").findings
    errors = {finding.id for finding in found if finding.severity == "error"}
    assert errors
    assert "overlay-key-modelled" not in errors  # the file is refused before anybody reads what its keys are
