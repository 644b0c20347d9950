"""bench submit on the command line: what is refused before anything is submitted, and how results are shown."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.kubernetes.fake_eksctl import FakeEksctl
from tests.kubernetes.programs import FakePrograms
from tests.platforms.batch import test_bench_jobs
from tests.platforms.batch.jobs.scripted_batch import Step, scripted_batch
from tests.platforms.eks.bench_jobs import eks_submissions
from tests.platforms.eks.bench_jobs.scripted_operator import ScriptedOperator, ended, failed, scripted_eks, under_way
from tests.submission.deployed import remember_deployment

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
        ((), "one of NAME and --local has to be given, and not both; give NAME or SPEC"),
        (("lab", "--local", "cluster.yaml"), "one of NAME and --local has to be given, and not both"),
        (("lab",), "--region: error: nothing says which region"),
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
        assert batch.account is not None
        remember_deployment(batch.account, test_bench_jobs.SPEC)
        ran = trainyard("bench", "submit", "lab", "--region", "us-east-2", "--only", "training-p1-all_reduce", "--json")
        values = json.loads(ran.out)
        refused = trainyard("bench", "submit", "lab", "--region", "us-east-2", "--backend", "tcp")
    (job,) = values["jobs"]
    assert (ran.status, values["results"], job["slurm_job"]) == (1, "bench-results/lab", None)
    assert (job["batch_job"], job["state"], job["reason"]) == (batch.names[0][0], "FAILED", f'"{step.reason}"')
    assert (refused.status, "lab runs its tests on AWS Batch, where --backend has no" in refused.err) == (2, True)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakePrograms]:
    """Programs on PATH that talk to the cluster lab, which a deployment has left."""
    with scripted_eks() as eks:
        remember_deployment(eks.account, eks_submissions.SPEC)
        with FakePrograms(tmp_path / "programs", FakeEksctl(eks.account, eks.api), eks.api) as made:
            yield made.on_path(monkeypatch)


EKS = ("bench", "submit", "lab", "--region", "us-east-2")
ONE_NODE = (*EKS, "--only", eks_submissions.ONE_NODE)


def steps(programs: FakePrograms) -> dict[str, list[Any]]:
    assert isinstance(programs.api, ScriptedOperator)
    return programs.api.steps


def test_a_cluster_of_eks_is_measured_by_kubectl(trainyard, programs: FakePrograms):
    steps(programs)[eks_submissions.ONE_NODE] = [failed(ended(3), "trainyard: all_reduce_perf ended with status 3")]
    ran = trainyard(*ONE_NODE, "--json")
    (job,) = json.loads(ran.out)["jobs"]
    assert (ran.status, job["slurm_job"], job["batch_job"]) == (1, None, None)
    assert (job["state"], job["reason"]) == ("FAILED", "launcher: exit code 3")
    assert re.fullmatch(r"training-p1-all-reduce-[0-9a-f]{8}", job["mpi_job"])
    assert Path(job["file"]).read_text() == "trainyard: all_reduce_perf ended with status 3\n"
    said = [line for line in programs.said("kubectl") if " apply " in line or " logs " in line]
    assert "--server-side" in said[0]
    assert f"{job['mpi_job']}-launcher-abcde" in said[1]
    assert "--timestamps" in said[1]


def test_the_user_s_own_kubeconfig_is_not_what_kubectl_is_given(
    trainyard, programs: FakePrograms, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    own = tmp_path / "kubeconfig"
    own.write_text("current-context: production\n")
    monkeypatch.setenv("KUBECONFIG", str(own))
    trainyard(*ONE_NODE)
    asked = [call for call in programs.calls if call.program == "kubectl" and call.words[:1] != ["version"]]
    assert asked
    assert not [one for one in asked if "production" in (one.kubeconfig or "")]
    assert own.read_text() == "current-context: production\n"


def test_an_api_server_that_cannot_be_reached_is_one_clear_error(trainyard, programs: FakePrograms):
    programs.api.refuses = "Unable to connect to the server: dial tcp 10.0.4.7:443: i/o timeout"
    ran = trainyard(*ONE_NODE)
    assert (ran.status, ran.out) == (1, "")
    assert 'error: the Kubernetes API of lab cannot be reached: "Unable to connect to the server' in ran.err


def test_a_machine_without_kubectl_is_one_clear_error(trainyard, programs: FakePrograms):
    programs.remove("kubectl")
    ran = trainyard(*ONE_NODE)
    assert (ran.status, ran.out) == (1, "")
    assert "error: there is no program kubectl here" in ran.err


def test_a_first_job_that_is_not_waited_for_is_taken_back(trainyard, programs: FakePrograms):
    steps(programs)[eks_submissions.ONE_NODE] = [under_way()]
    left = trainyard(*EKS, "--phase", "1", "--no-wait")
    assert (left.status, "1 more are submitted once it has ended" in left.err) == (0, True)
    back = trainyard(*EKS, "--cancel")
    assert (back.status, back.out) == (0, f"cancelled: {eks_submissions.ONE_NODE}\n")
    assert not [object_ for object_ in programs.api.objects if object_["kind"] == "MPIJob"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--ssh", "ubuntu@203.0.113.7"), "lab is on Amazon EKS and has no head node; leave --ssh out"),
        (("--backend", "tcp"), "lab runs its tests on Amazon EKS, where --backend has no meaning"),
        (("--only", "$(reboot)"), "there is no job $(reboot); such as training-"),
    ],
)
def test_what_makes_no_sense_on_eks_is_refused(
    trainyard, programs: FakePrograms, arguments: tuple[str, ...], said: str
):
    ran = trainyard(*EKS, *arguments)
    assert (ran.status, said in ran.err) == (2, True)
    assert programs.said() == []


@pytest.mark.parametrize("name", ["../../etc", "-o", "lab;reboot", "lab\n", "\x1b[2J", "l" * 300])
def test_a_hostile_name_is_one_clear_error_and_no_program_sees_it(trainyard, programs: FakePrograms, name: str):
    ran = trainyard("bench", "submit", "--region", "us-east-2", "--", name)
    assert (ran.status in {1, 2}, ran.out, "error: " in ran.err) == (True, "", True)
    assert "\x1b" not in ran.err
    assert programs.said() == []


def test_what_is_to_be_kept_is_for_eks(trainyard):
    with scripted_batch() as batch:
        assert batch.account is not None
        remember_deployment(batch.account, test_bench_jobs.SPEC)
        ran = trainyard(*EKS, "--keep")
    assert (ran.status, "--keep: error: lab is not on Amazon EKS" in ran.err) == (2, True)


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
