"""Every architecture of Amazon EKS, deployed into an emulated account, given jobs, and destroyed again."""

from __future__ import annotations

import tarfile
from typing import TYPE_CHECKING

import pytest

from tests.architectures.by_platform import architectures_on
from tests.rehearsal.broken import broken
from tests.rehearsal.test_rehearsals import is_green, rehearsed
from trainyard.api.diagnose import diagnose_files

if TYPE_CHECKING:
    from pathlib import Path

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


FAILING = {
    "no-capacity": ("cluster", "InsufficientInstanceCapacity", "ec2-insufficient-capacity"),
    "reservation-ended": ("cluster", "ROLLBACK_COMPLETE", "capacity-reservation-expired"),
    "vcpu-limit": ("cluster", "ROLLBACK_COMPLETE", "ec2-vcpu-quota-exceeded"),
    "role-not-allowed": ("cluster", "ROLLBACK_COMPLETE", "iam-permission-missing"),
    "file-system-refused": ("storage", "ROLLBACK_COMPLETE", "fsx-security-group-ports"),
    "no-route": ("cluster", "Instances failed to join the kubernetes cluster", "eks-nodes-not-joining"),
    "image-not-pulled": ("manifests", "ImagePullBackOff: Failed to pull image", "container-image-reference-wrong"),
    "kubernetes-api-unreachable": ("cluster", "unable to handle the request", "eks-api-not-reached"),
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("breakdown", FAILING)
def test_what_breaks_down_fails_its_step_and_is_destroyed_without_rest(breakdown: str, tmp_path: Path):
    step, words, cause = FAILING[breakdown]
    result = broken(COVERING, breakdown, tmp_path / "logs.tar.gz")
    failed = [one for one in result["steps"] if one["status"] == "failed" and one["action"] == "apply"]
    assert [one["name"] for one in failed] == [step]
    assert words in failed[0]["error"]["problem"]
    assert result["inventory"]["left"] == []
    assert not result["ok"]
    found = diagnose_files(str(tmp_path / "logs.tar.gz"))
    assert cause in [one.cause.id for one in found.causes]


@pytest.mark.exhaustive
def test_the_archive_has_what_eks_and_kubernetes_say(tmp_path: Path):
    broken(COVERING, "image-not-pulled", tmp_path / "logs.tar.gz")
    with tarfile.open(tmp_path / "logs.tar.gz") as archive:
        names = {name.rpartition("/")[2] for name in archive.getnames()}
    assert {"node-groups.json", "kubernetes-events.log", "kubernetes-pods.json"} <= names
    assert f"eksctl-{COVERING}-nodegroup-p5-cfn-events" in names
