"""Every architecture of Amazon EKS, deployed into an emulated account, given jobs, and destroyed again."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from tests.architectures.by_platform import architectures_on
from tests.rehearsal.broken import broken
from tests.rehearsal.test_rehearsals import is_green, rehearsed
from trainyard.api.diagnose import diagnose_files
from trainyard.checking.spec_file import rule_findings
from trainyard.rehearsal.rehearsal import RehearsalSpec, rehearse
from trainyard.spec.parsing import parse

pytestmark = pytest.mark.enable_socket

NAMES = tuple(one.name for one in architectures_on("eks"))
COVERING = "eks-p5-capacity-block"


def taken(name: str, *settings: str, mode: str = "none") -> list[str]:
    result = rehearsed(name, mode, *settings)
    is_green(result)
    (jobs,) = (step for step in result["steps"] if step["name"] == "jobs")
    assert any("got a node for every pod" in one for one in result["proved"])
    assert any("Whether nodes join the cluster" in one for one in result["only_aws_can_tell"])
    assert not any("ParallelCluster" in one or "Batch" in one for one in result["proved"])
    return str(jobs["detail"]).partition(": ")[2].split(", ")


@pytest.mark.integration
def test_an_architecture_of_eks_is_deployed_takes_jobs_and_is_destroyed():
    assert taken(COVERING) == ["example-p5", "p5-p1-all-reduce", "p5-p2-all-reduce-2n"]


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", [name for name in NAMES if name != COVERING])
def test_every_architecture_of_eks_is_deployed_takes_jobs_and_is_destroyed(name: str):
    assert len(taken(name)) >= 1


@pytest.mark.exhaustive
@pytest.mark.parametrize("mode", ["amp-only", "amp+amg"])
def test_an_architecture_of_eks_is_deployed_with_monitoring(mode: str):
    assert taken(COVERING, mode=mode)


@pytest.mark.exhaustive
def test_node_groups_with_launch_templates_of_ours_are_deployed():
    settings = ["queues[0].instance_type=p6-b300.48xlarge", "queues[0].capacity={reservation: cr-0123456789abcdef0}"]
    assert taken("eks-p6-b200-odcr", *settings)


SHARED = """\
kind: environment
name: shared
region: us-east-2
network: {availability_zone: us-east-2a, secondary_availability_zone: us-east-2b}
file_systems: [{mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 250}}]
"""
GUEST = """\
name: guest
region: us-east-2
platform: eks
environment: shared
access: {allow_from: [54.240.193.128/26, 54.240.217.0/24]}
queues: [{name: gpu, instance_type: g5.8xlarge, nodes: {min: 0, max: 2, desired: 2}}]
file_systems: [{mount: /fsx, lustre: {id: environment}}]
"""
EXISTING = """\
name: llm
region: us-east-2
platform: eks
network:
  existing: {vpc: vpc-0123456789abcdef0, private_subnets: [subnet-0123456789abcdef0, subnet-0123456789abcdef1]}
queues:
  - {name: gpu, instance_type: g5.8xlarge, nodes: {min: 0, max: 2, desired: 2}, subnet: subnet-0123456789abcdef0}
file_systems: [{mount: /data, lustre: {id: fs-0123456789abcdef0}}, {mount: /home, lustre: {id: fs-0123456789abcdef1}}]
"""


def script(text: str, around: str | None = None) -> RehearsalSpec:
    parsed = parse(text, "cluster.yaml")
    findings = tuple(rule_findings(parsed))
    return RehearsalSpec(parsed.spec, text, findings, parsed.document, None if around is None else script(around))


@pytest.mark.exhaustive
def test_a_cluster_in_an_environment_is_deployed_after_it_and_destroyed_before_it():
    result = rehearse(script(GUEST, SHARED), lambda _: None)
    is_green(result)
    stacks = [stack["name"] for stack in result["stacks"]]
    assert stacks[:2] == ["shared-network", "shared-storage"]
    assert {stack for stack in stacks if stack.startswith("guest")} == set()
    done = [(step["action"], step["name"]) for step in result["steps"] if step["status"] == "done"]
    assert done.index(("apply", "storage")) < done.index(("apply", "cluster"))
    assert done.index(("undo", "cluster")) < done.index(("undo", "storage"))
    assert result["environment"] == "shared"


@pytest.mark.exhaustive
def test_an_environment_of_one_zone_is_told_before_anything_of_the_cluster_is_made():
    one_zone = SHARED.replace(", secondary_availability_zone: us-east-2b", "")
    result = rehearse(script(GUEST, one_zone), lambda _: None)
    (error,) = (finding for finding in result["findings"] if finding["severity"] == "error")
    assert error["id"] == "environment-not-usable"
    assert not [step for step in result["steps"] if step["name"] == "cluster" and step["action"] == "apply"]


@pytest.mark.exhaustive
def test_pods_are_told_by_what_names_existing_file_systems_are_mounted():
    result = rehearse(script(EXISTING), lambda _: None)
    is_green(result)
    (asked,) = (step for step in result["steps"] if step["name"] == "file-systems")
    assert "fs-0123456789abcdef0 as " in asked["detail"]


FAILING = {
    "no-capacity": ("cluster", "InsufficientInstanceCapacity", "ec2-insufficient-capacity"),
    "reservation-ended": ("cluster", "ROLLBACK_COMPLETE", "capacity-reservation-expired"),
    "vcpu-limit": ("cluster", "ROLLBACK_COMPLETE", "ec2-vcpu-quota-exceeded"),
    "role-not-allowed": ("cluster", "ROLLBACK_COMPLETE", "iam-permission-missing"),
    "file-system-refused": ("storage", "ROLLBACK_COMPLETE", "fsx-security-group-ports"),
    "no-route": ("cluster", "Instances failed to join the kubernetes cluster", "eks-nodes-not-joining"),
    "image-not-pulled": ("manifests", 'ImagePullBackOff: "Failed to pull image', "container-image-reference-wrong"),
    "kubernetes-api-unreachable": ("ready", "unable to handle the request", "eks-api-not-reached"),
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("breakdown", FAILING)
def test_what_breaks_down_fails_its_step_and_is_destroyed_without_rest(breakdown: str, tmp_path: Path):
    step, words, cause = FAILING[breakdown]
    result = broken(COVERING, breakdown, tmp_path / "logs.tar.gz")
    failed = [step for step in result["steps"] if step["status"] == "failed" and step["action"] == "apply"]
    assert [one["name"] for one in failed] == [step]
    assert words in failed[0]["error"]["problem"]
    assert result["inventory"]["left"] == []
    assert not result["ok"]
    found = diagnose_files(str(tmp_path / "logs.tar.gz"))
    assert cause in [cause.cause.id for cause in found.causes]


@pytest.mark.exhaustive
def test_the_archive_has_what_eks_and_kubernetes_say(tmp_path: Path):
    broken(COVERING, "image-not-pulled", tmp_path / "logs.tar.gz")
    with tarfile.open(tmp_path / "logs.tar.gz") as archive:
        names = {name.rpartition("/")[2] for name in archive.getnames()}
    assert {"node-groups.json", "kubernetes-events.log", "kubernetes-pods.json"} <= names
    assert f"eksctl-{COVERING}-nodegroup-p5-cfn-events" in names
