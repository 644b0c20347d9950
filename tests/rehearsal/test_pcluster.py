"""The real ParallelCluster on an emulated account: validates, creates, describes, updates and deletes."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.rehearsal import cloud
from tests.rehearsal.account_copies import prepared_account, seeded_account, told
from tests.rehearsal.warm_parallelcluster import warm_parallelcluster
from trainyard.document.write import yaml_text
from trainyard.edge.aws.account import Account
from trainyard.edge.pcluster_command import Pcluster, PclusterRefusedError, artifact_bucket
from trainyard.edge.pcluster_environment import known_versions
from trainyard.render.rendering import render
from trainyard.spec.parsing import parse

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]

SPECS = Path(__file__).with_name("specs")
SMALL = """\
name: small
region: us-east-2
platform: parallelcluster
network:
  existing:
    vpc: vpc-0123456789abcdef0
    public_subnets: [subnet-0123456789abcdef0]
    private_subnets: [subnet-0123456789abcdef1]
login_nodes: {count: 1}
queues:
  - name: gpu
    instance_type: p5.48xlarge
    nodes: {min: NODES, max: 4}
    capacity: {reservation: cr-0123456789abcdef0}
file_systems:
  - {mount: /fsx, lustre: {id: fs-0123456789abcdef0}}
monitoring: {keep_logs: false}
parallelcluster: {version: VERSION}
"""


def small(nodes: int = 0, version: str = "3.16.1") -> str:
    return SMALL.replace("NODES", str(nodes)).replace("VERSION", version)


@contextlib.contextmanager
def rehearsed(text: str, **faults: Any) -> Iterator[tuple[Any, Pcluster, str]]:
    """Yield an account with everything that the spec names, ParallelCluster on it, and the rendered config."""
    with seeded_account(text) as account:
        told(account, "faults", faults)
        yield account, parallelcluster(account, text), rendered(text)


def parallelcluster(account: Account, text: str) -> Pcluster:
    return warm_parallelcluster(account, parse(text, "cluster.yaml").spec.parallelcluster.version)


def create(account: Account, text: str) -> None:
    """Make a cluster, for every test that wants it there."""
    pcluster = parallelcluster(account, text)
    pcluster.create("small", rendered(text))
    assert settled(pcluster, "small")["clusterStatus"] == "CREATE_COMPLETE"


def rendered(text: str) -> str:
    spec = parse(text, "cluster.yaml").spec
    return yaml_text(render(spec, {}).documents["cluster.yaml"])


def settled(pcluster: Pcluster, name: str) -> Any:
    """Describe a cluster until nothing is in progress."""
    for _ in range(5):
        described = pcluster.describe(name)
        if described is None or "IN_PROGRESS" not in described["clusterStatus"]:
            return described
    raise AssertionError(described)


def kinds(instances: list[dict[str, Any]]) -> list[str]:
    return sorted(instance["nodeType"] for instance in instances)


@pytest.mark.exhaustive
@pytest.mark.parametrize("version", known_versions())
def test_a_cluster_lives_from_validation_to_deletion(version):
    with rehearsed(small(version=version)) as (account, pcluster, config):
        before = cloud.inventory(account)
        assert pcluster.dry_run("small", config).accepted
        assert cloud.inventory(account) == before

        pcluster.create("small", config)
        described = settled(pcluster, "small")
        assert described["clusterStatus"] == "CREATE_COMPLETE"
        assert described["computeFleetStatus"] == "RUNNING"
        assert [pool["healthyNodes"] for pool in described["loginNodes"]] == [1]
        assert [cluster["clusterName"] for cluster in pcluster.clusters()] == ["small"]
        assert kinds(pcluster.instances("small")) == ["HeadNode", "LoginNode"]
        assert pcluster.log_streams("small")
        types = {event["resourceType"] for event in pcluster.stack_events("small")}
        assert "AWS::CloudFormation::WaitCondition" in types

        with pytest.raises(PclusterRefusedError, match=r"MinCount: All compute nodes must be stopped"):
            pcluster.update("small", rendered(small(4, version)))
        pcluster.set_fleet("small", "STOP_REQUESTED")
        pcluster.update("small", rendered(small(4, version)))
        assert settled(pcluster, "small")["clusterStatus"] == "UPDATE_COMPLETE"
        pcluster.set_fleet("small", "START_REQUESTED")
        assert kinds(pcluster.instances("small")) == [*["ComputeNode"] * 4, "HeadNode", "LoginNode"]

        pcluster.delete("small")
        assert settled(pcluster, "small") is None
        left = cloud.inventory(account)
        bucket = artifact_bucket(account.id, account.region)
        assert [name for name in left.pop("S3 buckets") if name not in before.get("S3 buckets", [])] == [bucket]
        assert left.pop("S3 objects") == [f"s3://{bucket}/parallelcluster/.bootstrapped"]
        before = {kind: ids for kind, ids in before.items() if kind != "S3 buckets"}
        assert left == before


EVERYTHING_EXISTS = (SPECS / "everything_exists.yaml").read_text()


def test_everything_that_a_spec_names_as_existing_is_there():
    with rehearsed(EVERYTHING_EXISTS) as (account, pcluster, config):
        assert account.id == "111122223333"
        verdict = pcluster.dry_run("everything", config)  # every validator is asked
        assert (verdict.accepted, verdict.problem) == (True, ""), verdict.messages


@pytest.mark.exhaustive
def test_a_cluster_in_which_everything_exists_is_created():
    with rehearsed(EVERYTHING_EXISTS) as (_, pcluster, config):
        pcluster.create("everything", config)
        described = settled(pcluster, "everything")
        assert described["clusterStatus"] == "CREATE_COMPLETE", pcluster.stack_events("everything")
        assert described["headNode"]["publicIpAddress"] == "203.0.113.7"
        assert len(described["loginNodes"]) == 2


@pytest.mark.exhaustive
def test_the_fleet_is_stopped_and_started_as_the_head_node_would():
    with prepared_account(small(2), create) as account:
        pcluster = parallelcluster(account, small(2))
        assert pcluster.set_fleet("small", "STOP_REQUESTED")["status"] in ("STOP_REQUESTED", "STOPPED")
        assert pcluster.fleet("small")["status"] == "STOPPED"
        assert "ComputeNode" not in kinds(pcluster.instances("small"))
        pcluster.set_fleet("small", "START_REQUESTED")
        assert kinds(pcluster.instances("small")).count("ComputeNode") == 2


@pytest.mark.exhaustive
def test_an_update_that_would_interrupt_running_nodes_is_refused_with_the_parameter():
    with prepared_account(small(2), create) as account:
        pcluster = parallelcluster(account, small(2))
        changed = yaml.safe_load(rendered(small(2)))
        changed["HeadNode"]["InstanceType"] = "m5.4xlarge"
        with pytest.raises(PclusterRefusedError, match=r"HeadNode\.InstanceType"):
            pcluster.update("small", json.dumps(changed))


@pytest.mark.exhaustive
def test_without_capacity_for_static_nodes_the_creation_times_out_and_the_remains_can_be_deleted():
    with rehearsed(small(2), no_capacity=["p5.48xlarge"]) as (account, pcluster, config):
        before = cloud.inventory(account)
        pcluster.create("small", config, rollback=False)
        described = settled(pcluster, "small")
        assert described["clusterStatus"] == "CREATE_FAILED"
        assert described["failures"][0]["failureReason"] == "Cluster creation timed out."
        pcluster.delete("small")
        assert settled(pcluster, "small") is None
        left = cloud.inventory(account)
        assert {kind for kind, ids in left.items() if ids != before.get(kind)} == {"S3 buckets", "S3 objects"}


@pytest.mark.exhaustive
def test_a_head_node_that_never_signals_fails_the_creation():
    with rehearsed(small(), head_node_signals=False) as (_, pcluster, config):
        pcluster.create("small", config, rollback=False)
        assert settled(pcluster, "small")["clusterStatus"] == "CREATE_FAILED"
        reasons = [event.get("resourceStatusReason", "") for event in pcluster.stack_events("small")]
        assert "WaitCondition timed out. Received 0 conditions when expecting 1" in reasons


# A wrong value, and what ParallelCluster says of it.
WRONG = {
    ("p5.48xlarge", "p5e.48xlarge"): "reservation",
    ("subnet-0123456789abcdef1", "subnet-0123456789abcdef9"): "subnet",
    ("fs-0123456789abcdef0", "fs-0123456789abcdef9"): "does not exist",
    ("m5.8xlarge", "m5.9xlarge"): "do not exist",
}


@pytest.fixture(scope="module")
def refusing() -> Iterator[tuple[Any, Pcluster, str]]:
    """A ParallelCluster that looks at several configs and makes nothing."""
    with rehearsed(small()) as there:
        yield there


@pytest.mark.parametrize(("wrong", "said"), WRONG.items(), ids=[right_and_wrong[1] for right_and_wrong in WRONG])
def test_a_wrong_config_is_refused_for_the_right_reason(refusing, wrong, said):
    _, pcluster, config = refusing
    verdict = pcluster.dry_run("small", config.replace(*wrong))
    assert not verdict.accepted
    errors = [message.message for message in verdict.messages if message.level == "ERROR"]
    assert any(said in error for error in errors or [verdict.problem]), (errors, verdict.problem)
