"""bench submit on the command line: what is refused before anything is submitted, and how results are shown."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.bench.submitting.test_on_batch import deployed
from tests.operate.batch.scripted_batch import Step, scripted_batch

if TYPE_CHECKING:
    from pathlib import Path

SPEC = """\
name: lab
region: us-east-2
platform: parallelcluster
queues:
  - name: q
    instance_type: m5.large
    nodes: 2
"""


@pytest.fixture(autouse=True)
def spec(tmp_path: Path) -> None:
    (tmp_path / "cluster.yaml").write_text(SPEC)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "one of NAME and --local has to be given, and not both; give NAME and --region"),
        (("lab", "--local", "cluster.yaml"), "one of NAME and --local has to be given, and not both"),
        (("lab",), "--region: error: the region of lab is missing"),
        (("--local", "cluster.yaml", "--region", "us-east-2"), "--region: error: with --local, Slurm is on this mach"),
        (("--local", "cluster.yaml", "--ssh", "head"), "--ssh: error: with --local, Slurm is on this machine"),
        (("lab", "--region", "us-east-2", "--ssh", "a", "--ssm"), "two ways to the same machine"),
        (("--local", "cluster.yaml", "--python", "python3"), "--python is for --backend; add --backend"),
        (("--local", "cluster.yaml", "--backend", "tcp", "--phase", "1"), "--phase is for the jobs of `bench plan`"),
        (("--local", "cluster.yaml", "--backend", "mpi"), "'mpi' is not one of 'tcp', 'gloo', 'nccl'"),
        (("--local", "cluster.yaml", "--phase", "5"), "5 is not in the range 1<=x<=4"),
        (("--local", "cluster.yaml"), "there is no bandwidth test to run on lab; `trainyard bench plan` lists"),
        (("--local", "cluster.yaml", "--backend", "nccl"), "no queue of the spec has GPUs of NVIDIA"),
        (("--local", "cluster.yaml", "--backend", "tcp", "--only", "sweep"), "no job sweep; such as sweep-tcp-2n"),
        (("--local", "cluster.yaml", "--cancel"), "there is no folder bench-results/lab"),
        (("--local", "nothing.yaml"), "nothing.yaml does not exist"),
    ],
)  # fmt: skip
def test_a_command_line_that_makes_no_sense_is_refused(trainyard, arguments: tuple[str, ...], said: str):
    ran = trainyard("bench", "submit", *arguments)
    assert (ran.status, ran.out) == (2, "")
    assert said in ran.err


def test_a_cluster_without_slurm_is_refused(trainyard, tmp_path: Path):
    (tmp_path / "cluster.yaml").write_text(SPEC.replace("platform: parallelcluster", "platform: batch"))
    ran = trainyard("bench", "submit", "--local", "cluster.yaml", "--backend", "tcp")
    assert (ran.status, "lab has no Slurm: its platform is batch" in ran.err) == (2, True)


def test_a_cluster_of_aws_batch_is_measured_by_its_name(trainyard, tmp_path: Path):
    step = Step("FAILED", "Host EC2 (instance i-0) terminated.", stopped_ms=1, stream="")
    with scripted_batch() as batch:
        batch.of_jobs["p1-all_reduce"] = [step]
        deployed(batch)
        ran = trainyard("bench", "submit", "lab", "--region", "us-east-2", "--only", "training-p1-all_reduce", "--json")
        values = json.loads(ran.out)
        refused = trainyard("bench", "submit", "lab", "--region", "us-east-2", "--backend", "tcp")
    (job,) = values["jobs"]
    assert (ran.status, values["results"], job["slurm_job"]) == (1, "bench-results/lab", None)
    assert (job["batch_job"], job["state"], job["reason"]) == (batch.names[0][0], "FAILED", step.reason)
    assert (refused.status, "lab runs its tests on AWS Batch, where --backend has no" in refused.err) == (2, True)


@pytest.mark.integration
def test_a_machine_without_slurm_is_one_clear_error(trainyard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for program in ("printenv", "test", "mkdir", "dd", "env"):
        (tmp_path / program).symlink_to(f"/usr/bin/{program}")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    ran = trainyard("bench", "submit", "--local", "cluster.yaml", "--backend", "tcp")
    assert (ran.status, ran.out) == (1, "")
    assert "error: there is no sbatch on this machine; name a machine where Slurm is" in ran.err


def test_errors_are_json_where_that_was_asked_for(trainyard):
    ran = trainyard("bench", "submit", "--local", "cluster.yaml", "--json")
    assert json.loads(ran.out)["error"]["where"] == "--phase"
