"""Jobs as MPIJobs, and what their launcher runs; tests of manifests of EKS hold them against the schemas of Kubernetes.

`python -m tests.render.bench.test_mpi_job` writes the reviewed file.
Values as AWS's own job has them: https://docs.aws.amazon.com/eks/latest/userguide/node-efa.html
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.platforms.eks.rendering.manifests.clusters import CPU, P5, TRN1, cluster, made
from tests.render.bench.fake_job import FakeJob, lines_with, says
from trainyard.bench.nccl_log import parse_log
from trainyard.platforms.eks.rendering.documents import mpi_job_of
from trainyard.render.bench.mpi_job import RUN, SUBMISSION, job_name, run_of, scripts_manifest
from trainyard.render.bench.plan import bench_files, container_image, jobs_for
from trainyard.render.bench.sbatch import ASSETS

P5S = cluster(P5)
JOBS = jobs_for(P5S)
EACH_JOB = pytest.mark.parametrize("job", JOBS, ids=lambda one: one.id)
GOLDEN = Path(__file__).parent / "golden_mpi_job.yaml"
SCRIPT = ASSETS.parent / "kubernetes/run-mpi-job.sh"
# As Open MPI of the image: it runs what follows its own arguments once on each host of the operator's host file.
MPIRUN = """\
printf '%s ' "$@" >>"$STUB/mpirun"
echo >>"$STUB/mpirun"
while [ "$1" != bash ]; do
  [ "$1" != -N ] || per_node=$2
  shift
done
for host in ip-10-0-16-6 ip-10-0-16-7; do
  FAKE_HOST=$host "$@" || exit
  [ "$per_node" = 1 ] || exit 0
done
"""


def golden() -> bytes:
    (two_nodes,) = [job for job in JOBS if job.nodes == 2 and job.binaries == ("all_reduce_perf",) and job.phase == 2]
    return bench_files(P5S)[f"{two_nodes.id}.yaml"]


def test_the_job_over_two_nodes_is_the_reviewed_one():
    assert golden() == GOLDEN.read_bytes()


def container(job: Any, role: str) -> dict[str, Any]:
    (found,) = mpi_job_of(P5S, job)["spec"]["mpiReplicaSpecs"][role]["template"]["spec"]["containers"]
    return dict(found)


def launcher_environment(job: Any) -> dict[str, str]:
    return {one["name"]: one["value"] for one in container(job, "Launcher")["env"]}


@EACH_JOB
def test_names_leave_room_for_those_of_pods(job):
    assert re.fullmatch(r"[a-z]([a-z0-9-]*[a-z0-9])?", job_name(job))
    assert len(f"{job_name(job)}-worker-1023") <= 63


def test_long_names_are_cut_and_stay_apart():
    spec = cluster(
        "  - name: a-queue-with-a-long-name\n    compute_resources:\n"
        "      - {name: nodes-of-the-first-kind, instance_type: p5.48xlarge, nodes: 2}\n"
        "      - {name: nodes-of-the-other-kind, instance_type: p5.48xlarge, nodes: 2}"
    )
    names = [job_name(job) for job in jobs_for(spec)]
    assert len(set(names)) == len(names)
    assert max(map(len, names)) == 45


@EACH_JOB
def test_a_worker_has_all_gpus_efa_interfaces_and_huge_pages_of_aws_s_job(job):
    spec = mpi_job_of(P5S, job)["spec"]
    limits = container(job, "Worker")["resources"]["limits"]
    assert (spec["mpiReplicaSpecs"]["Worker"]["replicas"], spec["slotsPerWorker"]) == (job.nodes, job.tasks_per_node)
    assert spec["runPolicy"]["cleanPodPolicy"] == "Running"
    assert {key: limits[key] for key in ("nvidia.com/gpu", "vpc.amazonaws.com/efa", "hugepages-2Mi")} == {
        "nvidia.com/gpu": 8, "vpc.amazonaws.com/efa": 32, "hugepages-2Mi": "5120Mi",
    }  # fmt: skip


@EACH_JOB
def test_the_launcher_is_told_the_test_and_takes_no_gpu(job):
    told = launcher_environment(job)
    assert "nvidia.com/gpu" not in container(job, "Launcher")["resources"]["limits"]
    assert told["NVIDIA_VISIBLE_DEVICES"] == "void"
    assert (told["TRAINYARD_NODES"], told["TRAINYARD_PROGRAMS"]) == (str(job.nodes), " ".join(job.binaries))
    assert told["TRAINYARD_ARGUMENTS"].split() == list(job.arguments)
    assert {name: told[name] for name in told["TRAINYARD_VARIABLES"].split()} == dict(job.environment)


@EACH_JOB
def test_neither_launcher_nor_workers_are_started_again_so_that_what_a_failed_one_said_is_kept(job):
    for replicas in mpi_job_of(P5S, job)["spec"]["mpiReplicaSpecs"].values():
        assert replicas["restartPolicy"] == "Never"
        assert "restartPolicy" not in replicas["template"]["spec"]


@EACH_JOB
def test_a_run_has_a_name_of_its_own_and_labels_that_it_is_found_by(job):
    first, second = (run_of(mpi_job_of(P5S, job), "0" * 12, number) for number in ("1f3a9c2e", "00000000"))
    assert first["metadata"]["name"] != second["metadata"]["name"]
    assert re.fullmatch(r"[a-z]([a-z0-9-]*[a-z0-9])?", first["metadata"]["name"])
    assert len(f"{first['metadata']['name']}-worker-1023") <= 63
    assert first["metadata"]["labels"] == {SUBMISSION: "0" * 12, RUN: "1f3a9c2e"}
    assert first["spec"] == mpi_job_of(P5S, job)["spec"]


def test_the_image_is_aws_s_or_the_spec_s():
    assert container(JOBS[0], "Worker")["image"] == container_image(P5S).replace("#", "/")
    own = cluster(P5, "eks: {nccl_image: 'registry.example.com/nccl:1.2'}\n")
    pods = mpi_job_of(own, jobs_for(own)[0])["spec"]["mpiReplicaSpecs"].values()
    images = {one["image"] for pod in pods for one in pod["template"]["spec"]["containers"]}
    assert images == {"registry.example.com/nccl:1.2"}


def test_the_folder_has_a_file_for_every_job():
    assert set(bench_files(P5S)) == {f"{job.id}.yaml" for job in JOBS}
    assert {job.phase for job in JOBS} >= {1, 2, 3}


def test_as_many_nodes_take_part_as_there_are_at_first_because_nothing_starts_more():
    growing = P5.replace("nodes: 4", "nodes: {min: 0, max: 16, desired: 4}")
    assert {job.nodes for job in jobs_for(cluster(growing))} == {1, 2, 4}
    later = P5.replace("nodes: 4", "nodes: {min: 0, max: 4}")
    assert {job.nodes for job in jobs_for(cluster(later))} == {1, 2, 4}


def test_jobs_mount_the_scripts_that_the_manifests_bring():
    assert made(P5S)["bench-scripts.yaml"] == [scripts_manifest()]
    assert set(scripts_manifest()["data"]) == {"run-mpi-job.sh", "describe-node.sh", "nccl-program.sh"}
    for job in JOBS:
        for role in ("Launcher", "Worker"):
            pod = mpi_job_of(P5S, job)["spec"]["mpiReplicaSpecs"][role]["template"]["spec"]
            named = [volume["configMap"]["name"] for volume in pod["volumes"] if "configMap" in volume]
            assert named == [scripts_manifest()["metadata"]["name"]]


def test_there_is_nothing_without_gpus_or_without_the_operator():
    assert bench_files(cluster(CPU)) == {}
    assert bench_files(cluster(TRN1)) == {}
    without = cluster(P5, "eks: {operators: [training-operator]}\n")
    assert bench_files(without) == {}
    for spec in (cluster(CPU), cluster(TRN1), without):
        assert "bench-scripts.yaml" not in made(spec)


@pytest.fixture
def job(tmp_path: Path) -> FakeJob:
    made = FakeJob(tmp_path)
    made.program(made.root / "opt/amazon/openmpi/bin/mpirun", MPIRUN)
    (made.bench / SCRIPT.name).write_bytes(SCRIPT.read_bytes())
    return made


def launched(fake: FakeJob, **changes: str) -> Any:
    return fake.run(script=SCRIPT.name, **{"TRAINYARD_NODES": "2", "TRAINYARD_SHARED": "", **changes})


def test_the_launcher_s_log_is_read_by_the_judge_with_what_the_nodes_said(job: FakeJob):
    ran = launched(job)
    assert ran.returncode == 0, ran.stdout
    (run,) = parse_log([ran.stdout.encode()])
    assert (run.collective, run.instance_type, len(run.rows), run.failures) == ("all_reduce", "p5.48xlarge", 2, [])
    assert (run.versions["efa-driver"], run.versions["nccl"]) == ("2.17.2g", "2.27.7")
    assert len(lines_with(ran.stdout, "ip-10-0-16-[67]")) >= 2


def test_every_rank_gets_the_job_s_variables_and_arguments(job: FakeJob):
    launched(job)
    described, test = job.remembered("mpirun")
    assert "-n 2 -N 1" in described
    assert "-n 16 -N 8" in test
    assert "-x NCCL_DEBUG -x NCCL_DEBUG_SUBSYS" in test
    assert " ".join(job.remembered("arguments")) == "-b 8 -e 1024 -f 2 -g 1 -c 1 -n 20 -w 5"


def test_several_programs_are_told_apart_by_the_judge(job: FakeJob):
    ran = launched(job, TRAINYARD_PROGRAMS="all_reduce_perf alltoall_perf")
    assert ran.returncode == 0, ran.stdout
    assert [run.collective for run in parse_log([ran.stdout.encode()])] == ["all_reduce", "alltoall"]


def test_the_first_that_fails_ends_it_with_its_status(job: FakeJob):
    job.program(job.root / "opt/nccl-tests/build/all_reduce_perf", says("all_reduce_perf", status=3))
    ran = launched(job, TRAINYARD_PROGRAMS="all_reduce_perf alltoall_perf")
    assert ran.returncode == 3
    assert lines_with(ran.stdout, "all_reduce_perf ended with status 3")
    assert not lines_with(ran.stdout, "Collective test starting: alltoall_perf")


def test_an_image_without_open_mpi_is_said_with_what_to_do(job: FakeJob):
    (job.root / "opt/amazon/openmpi/bin/mpirun").unlink()
    ran = launched(job)
    assert ran.returncode == 1
    assert lines_with(ran.stdout, "no mpirun in .*name another as eks.nccl_image")


def test_a_variable_that_the_manifest_would_have_set_is_asked_for(job: FakeJob):
    ran = launched(job, TRAINYARD_NODES="")
    assert ran.returncode == 1
    assert lines_with(ran.stdout, "TRAINYARD_NODES is not set: apply one of the MPIJobs")


if __name__ == "__main__":
    GOLDEN.write_bytes(golden())
