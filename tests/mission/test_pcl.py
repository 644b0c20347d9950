"""Configurations of ParallelCluster."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.mission.subject import cluster, findings, options, page, queue, spec
from tests.oracle.pcluster import errors, validate_configs
from tests.program import run
from tests.rehearsal.account_copies import deployed_account
from tests.rehearsal.whole import SPEC, deployed
from trainyard.api.new import new_spec
from trainyard.bundle.image import assemble_images
from trainyard.document.write import yaml_text
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.parallelcluster import cluster_config
from trainyard.edge.pcluster import ClusterConfig

KINDS = (
    "distributed-training-gpu",
    "distributed-training-p4de-custom-ami",
    "distributed-training-p4de-postinstall-scripts",
    "distributed-training-p4de-batch-inference-g5-custom-ami",
    "distributed-training-trn1-custom-ami",
)


class UpdatedCluster(NamedTuple):
    """A cluster that got more nodes and detailed monitoring, by the real ParallelCluster."""

    account: Account
    most_before: int
    told: tuple[str, ...]


@pytest.fixture(scope="module")
def updated() -> Iterator[UpdatedCluster]:
    with deployed_account(SPEC) as account:
        before, told = most_nodes(account), list[str]()
        larger = SPEC.replace("monitoring: {", "monitoring: {detailed: true, ").replace(
            "nodes: 2", "nodes: {min: 2, max: 4}"
        )
        assert deployed(account, larger, listener=lambda event: told.append(event.text)).ok
        yield UpdatedCluster(account, before, tuple(told))


@pytest.mark.integration
def test_pcl_1_parallelcluster_takes_all_five_kinds():
    configs = [ClusterConfig(yaml_text(cluster(name)), name[:40], "us-east-2") for name in KINDS]
    assert [errors(result) for result in validate_configs(configs, version="3.16.1")] == [[]] * len(KINDS)


@pytest.mark.integration
@pytest.mark.enable_socket
def test_pcl_2_every_placeholder_has_its_setting_and_more_nodes_come_by_an_update(updated: UpdatedCluster):
    text = page("migration.md")
    names = (
        "CUSTOM_AMI_ID",
        "PUBLIC_SUBNET",
        "PRIVATE_SUBNET",
        "SSH_KEY",
        "CAPACITY_RESERVATION_ID",
        "MIN_INSTANCES",
        "MAX_INSTANCES",
    )
    assert not [name for name in names if f"PLACEHOLDER_{name}" not in text]
    assert (updated.most_before, most_nodes(updated.account)) == (2, 4)


def most_nodes(account: Account) -> int:
    config = cluster_config(account, "llm")
    assert config is not None
    return int(config["Scheduling"]["SlurmQueues"][0]["ComputeResources"][0]["MaxCount"])


def test_pcl_3_roles_have_the_documented_types():
    written = cluster("distributed-training-p4de-batch-inference-g5-custom-ami")
    assert written["HeadNode"]["InstanceType"] == "m5.8xlarge"
    queues = {entry["Name"]: entry["ComputeResources"][0] for entry in written["Scheduling"]["SlurmQueues"]}
    assert queues["compute-gpu"]["InstanceType"] == "p4de.24xlarge"
    assert queues["inference-gpu"]["InstanceType"] == "g5.12xlarge"


def test_pcl_4_an_operating_system_that_is_gone_is_refused_with_those_that_are_there():
    assert findings("p5-observability", "image.os=alinux2")["os-not-supported"] == "error"
    image = cluster("p5-observability", "image.ami=ami-0123456789abcdef0")["Image"]
    assert image == {"Os": spec("p5-observability").image.os, "CustomAmi": "ami-0123456789abcdef0"}
    assert "CustomAmi" not in cluster("p5-observability")["Image"]


def test_pcl_5_the_variables_of_the_second_generation_are_settings():
    text = page("migration.md")
    for name in ("KEY_PAIR_NAME", "CAPACITY_RESERVATION_ID", "INSTANCE", "NUM_INSTANCES", "AMPREMOTEWRITEURL"):
        assert f"`{name}`" in text
    assert "p5-observability" in text


def test_pcl_6_a_table_says_what_each_architecture_has():
    text = page("guides/capabilities.md")
    row = next(line for line in text.splitlines() if line.startswith("| `p5-observability`"))
    assert [cell.strip() for cell in row.split("|")][3:6] == ["no", "no", "`amp+amg`"]


def test_pcl_7_the_third_generation_is_two_architectures():
    for name, kind in (("p5en-monitoring", "p5en.48xlarge"), ("p6-b200-monitoring", "p6-b200.48xlarge")):
        assert queue(name)["ComputeResources"][0]["InstanceType"] == kind
        assert cluster(name)["LoginNodes"]["Pools"]


def test_pcl_8_every_variable_of_the_training_asset_has_its_row():
    text = page("migration.md")
    assert "No field yet" not in text
    for name in ("KILL_WAIT", "DCV_ENABLED", "SLURM_DATABASE_URI", "GPU_HEALTH_CHECK_ENABLED", "NCCL_VERSION"):
        assert f"| `{name}` |" in text


@pytest.mark.integration
@pytest.mark.enable_socket
def test_pcl_9_clusters_are_made_listed_described_and_removed(updated: UpdatedCluster, tmp_path: Path):
    """That they are removed, and nothing is left, every rehearsal proves."""
    assert {"--before-cluster", "--rollback-on-failure"} <= options("deploy")
    assert "--delete-data" in options("destroy")
    assert "--with-parallelcluster" in options("check")
    variables = {**updated.account.variables(), "HOME": str(tmp_path)}
    listed = run("status", "--region", updated.account.region, variables=variables)
    described = run("status", "llm", "--region", updated.account.region, variables=variables)
    assert [line.split()[0] for line in listed.out.splitlines() if line.startswith("llm")] == ["llm"]
    assert "UPDATE_COMPLETE" in described.out


@pytest.mark.integration
@pytest.mark.enable_socket
def test_pcl_10_warnings_of_validators_are_shown_in_their_words(updated: UpdatedCluster):
    (warning,) = (line for line in updated.told if "warns (DetailedMonitoringValidator)" in line)
    assert "Detailed Monitoring is enabled for EC2 instances" in warning


def test_pcl_11_software_is_in_an_image_or_comes_by_scripts():
    parsed = spec("p5-observability")
    assert assemble_images(parsed).files
    actions = cluster("distributed-training-p4de-postinstall-scripts")["HeadNode"]["CustomActions"]
    assert actions["OnNodeConfigured"]
    assert new_spec("p5-observability", ["head_node.custom_actions={after_setup: [{script: s3://my-bucket/setup.sh}]}"])
