"""Every architecture of AWS Batch, deployed into an emulated account, given a job of each kind, and destroyed again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.architectures.by_platform import architectures_on
from tests.rehearsal.broken import broken
from tests.rehearsal.test_rehearsals import is_green, rehearsed
from trainyard.api.diagnose import diagnose_files

pytestmark = pytest.mark.enable_socket

NAMES = tuple(architecture.name for architecture in architectures_on("batch"))
COVERING = "batch-p5"


def taken(name: str) -> list[str]:
    result = rehearsed(name, "none")
    is_green(result)
    (jobs,) = (step for step in result["steps"] if step["name"] == "jobs")
    (ended,) = (step for step in result["steps"] if step["name"] == "batch" and "jobs ended" in step["detail"])
    assert ended["action"] == "undo"
    assert result["parallelcluster_version"] is None
    assert any("A job of each definition was submitted" in one for one in result["proved"])
    assert not any("ParallelCluster" in one for one in result["proved"])
    return str(jobs["detail"]).partition(": ")[2].split(", ")


@pytest.mark.integration
def test_an_architecture_of_batch_is_deployed_takes_jobs_and_is_destroyed():
    assert taken(COVERING) == ["rehearsed-training-stress", "training-p1-all_reduce", "rehearsed-training-torchrun"]


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", [name for name in NAMES if name != COVERING])
def test_every_architecture_of_batch_is_deployed_takes_jobs_and_is_destroyed(name: str):
    assert {"rehearsed-training-stress", "rehearsed-training-torchrun"} <= set(taken(name))


@pytest.mark.exhaustive
@pytest.mark.parametrize("mode", ["amp-only", "amp+amg"])
def test_an_architecture_of_batch_is_deployed_with_monitoring(mode: str):
    is_green(rehearsed(COVERING, mode, "image.ami=ami-0123456789abcdef0"))


@pytest.mark.exhaustive
def test_jobs_for_which_ec2_has_no_instances_wait_and_are_diagnosed(tmp_path: Path):
    result = broken(COVERING, "no-capacity", tmp_path / "logs.tar.gz")
    assert result["inventory"]["left"] == []
    diagnosis = diagnose_files(str(tmp_path / "logs.tar.gz"))
    assert diagnosis.causes[0].cause.id == "ec2-insufficient-capacity"
