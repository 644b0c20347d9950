"""The collector of jobs where no Slurm tells them, on what containerd and the kubelet leave on a node."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.node.collectors.exposed import exposed
from tests.node.collectors.job_tree import HOUR_S, allocate, run_batch, run_container, run_pod
from tests.node.doubles import FakeClock, FakeProcesses
from trainyard_node.collectors.collector import NothingHere
from trainyard_node.collectors.jobs import ALLOCATED, FOLDERS, MOST_JOBS, JobsCollector
from trainyard_node.collectors.pod_name import job_of_pod
from trainyard_node.errors import NodeError
from trainyard_node.machine import World
from trainyard_node.places import Places

GOLDEN = Path(__file__).parent / "golden"
INFO = "trainyard_job_node_info"
ID = "6f1c9a52-4a0b-4a53-9d0e-5f7f1a3f2b10"


def collector(root: Path) -> JobsCollector:
    clock = FakeClock()
    return JobsCollector(World(Places(str(root)), clock, FakeProcesses(clock)))


def jobs(root: Path) -> list[tuple[str, ...]]:
    """Return the labels of the jobs that are told: id, name, user and account."""
    told = [dict(labels) for name, labels in exposed(collector(root).collect().text()) if name == INFO]
    return [tuple(one[label] for label in ("jobid", "jobname", "user", "account")) for one in told]


def running(root: Path) -> float:
    return exposed(collector(root).collect().text())["trainyard_jobs_running", ()]


def eks(root: Path) -> str:
    run_pod(root, "llama-70b-worker-3", "uid-1")
    run_pod(root, "kube-system/aws-node-x7vbn", "uid-2", host="ip-10-0-0-9")
    run_pod(root, "vision/notebook-0", "uid-3", age_s=2 * HOUR_S)
    allocate(root, ["uid-1", "uid-3", "gone"])
    return collector(root).collect().text()


def batch(root: Path) -> str:
    run_batch(root, f"{ID}#2", 'TRAINYARD_JOB=llama "70b"\n\\', "AWS_BATCH_JOB_NODE_INDEX=2", queue="train-gpu")
    # The agent of ECS is a container of Docker too.
    run_container(root, "moby", {"process": {"env": ["ECS_DATADIR=/data"]}})
    return collector(root).collect().text()


NODES = {"jobs-eks": eks, "jobs-batch": batch}


@pytest.mark.parametrize("node", NODES)
def test_a_node_gives_the_golden_exposition(node: str, tmp_path: Path):
    assert NODES[node](tmp_path) == (GOLDEN / f"{node}.prom").read_text()


@pytest.mark.integration
@pytest.mark.parametrize("node", NODES)
def test_promtool_has_nothing_to_say_about_it(node: str):
    promtool = shutil.which("promtool")
    assert promtool is not None
    given = (GOLDEN / f"{node}.prom").read_bytes()
    said = subprocess.run([promtool, "check", "metrics"], input=given, capture_output=True, check=False)
    assert (said.returncode, said.stdout, said.stderr) == (0, b"", b"")


@pytest.mark.parametrize(
    ("pod", "host", "job"),
    [
        ("llm-master-0", "llm-master-0", "llm"),  # PyTorchJob
        ("llm-2-worker-11", "llm-2-worker-11", "llm-2"),
        ("nccl-worker-0", "", "nccl"),  # MPIJob
        ("nccl-launcher-x7vbn", "nccl-launcher-x7vbn", "nccl"),
        ("eval-2-q8zkd", "eval-2-q8zkd", "eval-2"),  # Job
        ("sweep-17-q8zkd", "sweep-17", "sweep"),  # Indexed Job
        ("sweep-17-q8zkd", "ip-10-0-0-9", "sweep-17"),  # with the network of its node, which tells nothing
        ("tune-node-0-3-bb2cd", "tune-node-0-3", "tune-node-0"),  # JobSet, as of Kubeflow's TrainJob
        ("llm-worker-0-3-bb2cd", "llm-worker-0-3", "llm"),  # JobSet of `trainyard run`
        ("x-worker-1-0-q8zkd", "x-worker-1-0", "x-worker-1"),  # an Indexed Job that is called so
        ("x-worker-1-q8zkd", "x-worker-1-q8zkd", "x-worker-1"),  # a Job
        ("x-launcher-0-q8zkd", "x-launcher-0", "x-launcher"),
        ("my-train", "my-train", "my-train"),  # a pod of nobody
        ("embed-worker", "embed-worker", "embed-worker"),
        ("worker-0", "worker-0", "worker-0"),
    ],
)
def test_the_name_of_a_job_is_what_its_controller_made_pods_of(pod: str, host: str, job: str):
    assert job_of_pod(pod, host) == job


def test_pods_without_devices_and_those_that_are_gone_are_no_jobs(tmp_path: Path):
    run_pod(tmp_path, "web-0", "uid-1")
    assert (jobs(tmp_path), running(tmp_path)) == ([], 0)
    allocate(tmp_path, [])
    assert jobs(tmp_path) == []
    allocate(tmp_path, ["uid-9"])
    assert jobs(tmp_path) == []


def test_a_job_is_told_once_it_has_run_for_a_minute_and_counted_before(tmp_path: Path):
    run_pod(tmp_path, "llm-master-0", "uid-1", age_s=59)
    allocate(tmp_path, ["uid-1"])
    assert (jobs(tmp_path), running(tmp_path)) == ([], 1)
    (tmp_path / "later").mkdir()
    run_pod(tmp_path / "later", "llm-master-0", "uid-1", age_s=60)
    allocate(tmp_path / "later", ["uid-1"])
    assert len(jobs(tmp_path / "later")) == 1


def test_a_container_that_starts_anew_is_the_job_that_it_was(tmp_path: Path):
    file = run_pod(tmp_path, "llm-master-0", "uid-1")
    allocate(tmp_path, ["uid-1"])
    reading = collector(tmp_path)
    before = reading.collect().text()
    shutil.rmtree(min(file.parents[1].iterdir()))
    assert reading.collect().text() == before
    shutil.rmtree(file.parent)
    assert INFO not in reading.collect().text()


def test_pods_of_a_job_on_one_node_are_one_job(tmp_path: Path):
    for number in range(3):
        run_pod(tmp_path, f"llm-worker-{number}", f"uid-{number}", age_s=10 * number + 50)
    allocate(tmp_path, [f"uid-{number}" for number in range(3)])
    assert jobs(tmp_path) == [("ml/llm", "llm", "ml", "ml")]
    assert running(tmp_path) == 1


@pytest.mark.parametrize(
    ("id_", "told"), [(f"{ID}#0", ID), (f"{ID}#31", ID), (f"{ID}:7", f"{ID}:7"), (ID, ID)], ids=str
)
def test_nodes_of_a_job_of_batch_have_its_id_and_tasks_of_an_array_their_own(id_: str, told: str, tmp_path: Path):
    run_batch(tmp_path, id_)
    assert jobs(tmp_path) == [(told, "", "gpu", "gpu")]


def test_containers_of_a_docker_with_a_containerd_of_its_own_are_seen(tmp_path: Path):
    run_batch(tmp_path, ID, folder=FOLDERS[1])
    assert len(jobs(tmp_path)) == 1


def test_a_thousand_jobs_on_a_node_are_sixteen_series_of_those_that_run_for_longest(tmp_path: Path):
    for number in range(1000):
        run_batch(tmp_path, f"job-{number}", age_s=61 + number)
    assert {id_ for id_, *_ in jobs(tmp_path)} == {f"job-{number}" for number in range(1000 - MOST_JOBS, 1000)}
    assert running(tmp_path) == 1000


def test_what_nobody_would_start_is_passed_over(tmp_path: Path):
    specs: list[Any] = [[], {}, {"process": None}, {"process": {"env": [7]}}, {"annotations": 3}]
    for spec in specs:
        run_container(tmp_path, "moby", spec)
    run_container(tmp_path, "moby", {}).write_bytes(b'{"process": \xff')
    run_container(tmp_path, "moby", {}).write_bytes(b"[" * 100_000)
    run_container(tmp_path, "moby", {}).write_bytes(b" " * (5 << 20))
    run_container(tmp_path, "moby", {}).unlink()
    (run_container(tmp_path, "moby", {}).parents[2] / "a-file").write_text("")
    run_batch(tmp_path, ID, "TRAINYARD_JOB=" + "x" * 1000)
    assert jobs(tmp_path) == [(ID, "x" * 64, "gpu", "gpu")]


def test_what_is_being_removed_is_gone(tmp_path: Path):
    file = run_batch(tmp_path, ID)
    file.parent.rename(file.parent.with_name(f".{file.parent.name}"))
    assert jobs(tmp_path) == []


def test_of_what_containers_are_told_nothing_but_names_is_exported(tmp_path: Path):
    run_batch(tmp_path, ID)
    assert "hunter2" not in collector(tmp_path).collect().text()


def test_a_node_without_containers_has_nothing(tmp_path: Path):
    with pytest.raises(NothingHere):
        collector(tmp_path).collect()


@pytest.mark.parametrize("text", ["", "{}", '{"Data": {"PodDeviceEntries": [{}]}}', "[" * 100_000], ids=len)
def test_what_the_kubelet_wrote_and_nobody_can_read_is_a_failure(text: str, tmp_path: Path):
    run_pod(tmp_path, "llm-master-0", "uid-1")
    allocate(tmp_path, ["uid-1"])
    (tmp_path / ALLOCATED[1:]).write_text(text)
    with pytest.raises(NodeError, match="cannot be read"):
        collector(tmp_path).collect()


def test_a_container_is_read_once(tmp_path: Path):
    file = run_batch(tmp_path, ID)
    reading = collector(tmp_path)
    before = reading.collect().text()
    began_s = file.stat().st_mtime
    file.write_text("nobody reads this")
    os.utime(file, (began_s, began_s))
    assert reading.collect().text() == before


def test_two_thousand_containers_are_read_within_a_second(tmp_path: Path):
    for number in range(2000):
        run_batch(tmp_path, f"job-{number}")
    began_s = time.process_time()
    collector(tmp_path).collect()
    assert time.process_time() - began_s < 1


if __name__ == "__main__":
    import tempfile

    for one, made in NODES.items():
        with tempfile.TemporaryDirectory() as folder:
            (GOLDEN / f"{one}.prom").write_text(made(Path(folder)))


def test_a_container_that_is_being_written_is_read_the_next_time(tmp_path: Path):
    file = run_batch(tmp_path, ID, "TRAINYARD_JOB=llama")
    whole = file.read_bytes()
    file.write_bytes(whole[:40])
    reading = collector(tmp_path)
    assert exposed(reading.collect().text())["trainyard_jobs_running", ()] == 0
    file.write_bytes(whole)
    assert exposed(reading.collect().text())["trainyard_jobs_running", ()] == 1


def test_a_pod_does_not_pass_for_jobs_of_aws_batch(tmp_path: Path):
    of_pod = {"io.kubernetes.cri.container-type": "container"}
    own = {"annotations": of_pod, "process": {"env": ["AWS_BATCH_JOB_ID=ml/llama", "AWS_BATCH_JQ_NAME=gpu"]}}
    run_container(tmp_path, "k8s.io", own, 2 * HOUR_S)
    assert jobs(tmp_path) == []
