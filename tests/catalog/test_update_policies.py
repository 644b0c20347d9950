"""What an update needs, against ParallelCluster's own schema and CloudFormation's."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import botocore.session
import pytest

from tests.platforms.parallelcluster.rendering.test_origin import leaves
from tests.render.changes import CHANGES, before_and_after
from trainyard import architectures
from trainyard.catalog import update_policies
from trainyard.catalog.update_policies import immutable_properties
from trainyard.document.write import yaml_text
from trainyard.finding import path_text
from trainyard.render.rendering import render
from trainyard.spec.parsing import parse

GOLDEN = json.loads((Path(__file__).parent / "golden/parallelcluster-update-policies.json").read_text())["versions"]
ITEMS_NAME = "the item's name"
NEEDS = ["live", "queue-update-strategy", "terminate-or-fleet-stop", "fleet-stop", "login-stop", "fleet-and-login-stop"]


@cache
def rendered_keys() -> frozenset[str]:
    """Return every key that any field of the spec makes, with [] for positions, and every section above it."""
    # An overlay may hold any key.
    texts = [yaml_text(spec) for path in CHANGES if "overlay" not in path for spec in before_and_after(path)]
    texts += [path.read_text() for path in Path(architectures.__file__).parent.glob("*.yaml")]
    renderings = (render(parse(text, "cluster.yaml").spec, {}).documents for text in texts)
    documents = [documents["cluster.yaml"] for documents in renderings if "cluster.yaml" in documents]
    paths = {path for document in documents for path in leaves(document)}
    return frozenset(re.sub(r"\[\d+\]", "[]", path_text(path[:length])) for path in paths for length in range(1, 12))


@pytest.mark.parametrize("version", GOLDEN)
def test_the_policy_of_a_key_is_the_one_in_the_schema(version):
    ours = update_policies.policies(version)
    assert ours is not None
    theirs = {key: GOLDEN[version][key] for key in ours if key in GOLDEN[version]}
    assert {key: ours[key] for key in theirs} == theirs
    # A key of the pools of login nodes, which only the older line has.
    assert set(ours) - set(theirs) <= {"LoginNodes.Pools[].Ssh.KeyName"}


@pytest.mark.parametrize("version", GOLDEN)
def test_every_key_that_trainyard_renders_has_a_policy_unless_it_tells_items_apart(version):
    theirs = {key: policy for key, policy in GOLDEN[version].items() if key in rendered_keys()}
    expected = {key for key, policy in theirs.items() if policy != ITEMS_NAME}
    assert expected <= set(update_policies.policies(version) or {})


def test_no_key_is_listed_that_trainyard_never_renders():
    assert set(update_policies.policies("3.16.1") or {}) <= rendered_keys()


def test_every_policy_comes_to_something():
    used = {policy for version in GOLDEN for policy in (update_policies.policies(version) or {}).values()}
    assert used == set(update_policies.needs())
    assert set(update_policies.needs().values()) == {*NEEDS, "unsupported"}


@pytest.mark.parametrize(
    ("version", "path", "need"),
    [
        ("3.16.1", "HeadNode.InstanceType", "unsupported"),
        ("3.16.3", "HeadNode.InstanceType", "unsupported"),
        ("3.16.1", "HeadNode.CustomActions.OnNodeStart.Sequence[0].Args[2]", "unsupported"),
        ("3.16.1", "Scheduling.SlurmQueues[3].ComputeResources[1].MaxCount", "terminate-or-fleet-stop"),
        ("3.16.1", "Scheduling.SlurmQueues[0].CapacityType", "queue-update-strategy"),
        ("3.16.1", "Scheduling.SlurmSettings.CustomSlurmSettings[0].KillWait", "live"),
        ("3.16.1", "Monitoring.DetailedMonitoring", "fleet-stop"),
        ("3.16.1", "LoginNodes.Pools[0].InstanceType", "login-stop"),
        ("3.16.1", "DirectoryService.DomainName", "fleet-and-login-stop"),
        ("3.14.2", "Tags[0].Value", "unsupported"),
        ("3.15.1", "Tags[0].Value", "live"),
        ("3.17.0", "HeadNode.InstanceType", None),
        ("3.16.1", "Nonsense", None),
        ("3.16.1", "", None),
    ],
)
def test_an_update_needs_what_the_policy_of_the_key_or_the_section_above_says(version, path, need):
    assert update_policies.update_need(version, path) == need


@pytest.mark.parametrize("version", GOLDEN)
def test_every_policy_has_a_source(version):
    assert update_policies.sources_of(version).keys() == (update_policies.policies(version) or {}).keys()


def test_a_policy_that_a_line_changed_has_the_source_of_that_line():
    assert "3.15.1" in update_policies.sources_of("3.16.1")["Tags[].Value"].url
    assert "3.16.1" in update_policies.source_of_needs().url


@pytest.mark.parametrize("version", ["3.13.2", "3.17.0", "", "latest"])
def test_an_unknown_version_has_no_policies(version):
    assert update_policies.policies(version) is None
    assert update_policies.sources_of(version) == {}


@pytest.mark.parametrize("name", [name for name in update_policies.immutable_properties() if name.count(".") == 1])
def test_cloudformation_can_only_set_at_creation_what_counts_as_replaced(name):
    type_, _, property_ = name.partition(".")
    # Imported here because that takes a second, and every process of pytest imports this module.
    from cfnlint.schema.manager import PROVIDER_SCHEMA_MANAGER  # type: ignore[import-untyped]  # noqa: PLC0415

    schema = PROVIDER_SCHEMA_MANAGER.get_resource_schema(region="us-east-1", resource_type=type_).schema
    assert f"/properties/{property_}" in schema["createOnlyProperties"]


def test_what_is_replaced_has_a_source():
    assert {source.url.split("/")[2] for source in update_policies.immutable_properties().values()} == {
        "docs.aws.amazon.com"
    }


def test_what_cloudformation_is_not_let_change_in_place_fsx_takes_of_new_file_systems_alone():
    model = botocore.session.get_session().get_service_model("fsx")
    created, updated = (
        set(model.operation_model(name).input_shape.members["LustreConfiguration"].members)
        for name in ("CreateFileSystem", "UpdateFileSystem")
    )
    prefix = "AWS::FSx::FileSystem.LustreConfiguration."
    fixed = {key.removeprefix(prefix) for key in immutable_properties() if key.startswith(prefix)}
    assert fixed == {"DeploymentType", "EfaEnabled"}
    assert fixed <= created - updated
