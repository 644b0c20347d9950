"""What cannot be changed later."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.specs import spec_of
from trainyard import architectures
from trainyard.deploy.plan.immutable_fields import cannot_change_later
from trainyard.spec.cluster import Spec
from trainyard.spec.fields import field_hints, record_at
from trainyard.spec.parsing import parse

FILES = sorted(Path(architectures.__file__).parent.glob("*.yaml"))
# What is deployed: AWS Batch is only rendered.
ARCHITECTURES = [file for file in FILES if not file.name.startswith("batch-")]


def fixed(part: str = "") -> dict[str, str]:
    return {immutable_field.path: immutable_field.why for immutable_field in cannot_change_later(spec_of(part))}


@pytest.mark.parametrize(
    "path",
    [
        "parallelcluster.version",
        "parallelcluster.imds",
        "region",
        "platform",
        "image.os",
        "head_node.instance_type",
        "head_node.subnet",
        "head_node.root_volume.size_gib",
        "head_node.custom_actions.before_setup",
        "access.ssh_key",
        "timeouts.head_node_s",
        "network.availability_zone",
        "iam.resource_prefix",
    ],
)
def test_these_are_fixed_in_every_cluster(path):
    assert path in fixed()


@pytest.mark.parametrize(
    "path",
    [
        "head_node.custom_actions.on_update",
        "access.allow_from",
        "timeouts.compute_node_s",
        "parallelcluster.slurm.queue_update_strategy",
        "queues[0].name",
        "queues[0].instance_type",
        "queues[0].nodes.max",
        "monitoring.detailed",
        "tags",
        "scratch.mount",
        "login_nodes",
    ],
)
def test_these_can_be_changed(path):
    assert path not in fixed("login_nodes: {}")


def test_tags_were_fixed_up_to_3_14():
    assert "tags" in fixed("parallelcluster: {version: 3.14.2}")
    assert "tags" not in fixed("parallelcluster: {version: 3.15.1}")


def test_each_pool_and_queue_is_named_where_it_stands():
    paths = fixed("login_nodes: [{name: a}, {name: b}]")
    assert {"login_nodes[0].dcv", "login_nodes[1].custom_actions.on_start"} <= set(paths)
    assert {"login_nodes.dcv", "login_nodes.custom_actions.before_setup"} <= set(fixed("login_nodes: {}"))
    assert not any(path.startswith("login_nodes") for path in fixed())
    several = "queues: [{name: a, instance_type: m5.large}, {name: b, instance_type: m5.large}]"
    assert {"queues[0].subnet", "queues[1].subnet"} <= set(fixed(several))


def test_of_a_file_system_to_be_made_deployment_type_and_efa_are_fixed_and_the_size_is_not():
    paths = fixed("file_systems: [{mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 250}}]")
    assert "DeploymentType" in paths["file_systems[0].lustre.deployment"]
    fixed_of_lustre = {path for path in paths if path.startswith("file_systems")}
    assert fixed_of_lustre == {"file_systems[0].lustre.deployment", "file_systems[0].lustre.efa"}
    assert "iam.kms_key" in paths


def test_of_a_volume_to_be_made_size_and_type_are_fixed_and_its_performance_is_not():
    paths = fixed("file_systems: [{mount: /home2, openzfs: {size_gib: 64}}, {mount: /apps, ebs: {size_gib: 200}}]")
    volume = {path for path in paths if path.startswith("file_systems[1]")}
    assert volume == {f"file_systems[1].ebs.{field}" for field in ("size_gib", "type", "encrypted")}
    assert "file_systems[0].openzfs.deployment" in paths


def test_of_a_file_system_that_exists_it_is_fixed_which_one_it_is():
    efs = "file_systems: [{mount: /efs, efs: {id: fs-0123456789abcdef0}}]"
    paths = {path for path in fixed(efs) if path.startswith("file_systems")}
    assert paths == {
        f"file_systems[0].efs.{field}" for field in ("id", "access_point", "encryption_in_transit", "iam_authorization")
    }
    lustre = "file_systems: [{mount: /fsx, lustre: {id: fs-0123456789abcdef0}}]"
    assert {path for path in fixed(lustre) if path.startswith("file_systems")} == {"file_systems[0].lustre.id"}
    assert "iam.kms_key" not in fixed(lustre)
    ebs = "file_systems: [{mount: /apps, ebs: {id: vol-0123456789abcdef0}}]"
    assert {path for path in fixed(ebs) if path.startswith("file_systems")} == {"file_systems[0].ebs.id"}


def test_the_zones_of_a_network_that_exists_are_not_ours():
    existing = "network: {existing: {vpc: vpc-0123456789abcdef0, private_subnets: [subnet-0123456789abcdef0]}}"
    assert not any(path.startswith("network.") and "zone" in path for path in fixed(existing))


def test_of_an_unknown_version_it_is_said_that_little_is_known():
    paths = fixed("parallelcluster: {version: 3.17.0}")
    assert "not known for 3.17.0" in paths["parallelcluster.version"]
    assert "head_node.instance_type" not in paths
    assert "network.availability_zone" in paths


@pytest.mark.parametrize("file", ARCHITECTURES, ids=lambda file: file.stem)
def test_every_fixed_field_is_one_of_the_spec_told_once_with_its_source(file):
    immutable_fields = cannot_change_later(parse(file.read_text(), file.name).spec)
    assert len({immutable_field.path for immutable_field in immutable_fields}) == len(immutable_fields)
    for immutable_field in immutable_fields:
        *above, name = immutable_field.path.replace("[", ".[").split(".")
        record = record_at(Spec, tuple(step for step in above if not step.startswith("[")))
        assert record is not None
        assert name in field_hints(record)
        assert immutable_field.source.url.startswith("https://")
