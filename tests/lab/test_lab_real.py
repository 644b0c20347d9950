"""A lab of real programs: its jobs run, its nodes break and are mended, and nothing of it is left when it is down."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.program import Run, run
from tests.waiting import wait_until
from trainyard.lab.lab import Lab, read_lab
from trainyard.lab.lab_process import daemons, job_processes, step_daemons

pytestmark = [
    pytest.mark.integration,
    pytest.mark.enable_socket,
    pytest.mark.skipif(os.geteuid() != 0, reason="hardware: a Slurm of its own takes root"),
]
SPEC = """\
kind: cluster
name: {name}
platform: parallelcluster
region: us-east-2
network: {{availability_zone: us-east-2a}}
head_node: {{instance_type: m5.2xlarge}}
queues:
  - {{name: gpu, instance_type: p5.48xlarge, nodes: {{min: 3, max: 4}}}}
"""
ONE, TWO, THREE, DYNAMIC = (
    f"gpu-{which}" for which in ("st-p5-48xlarge-1", "st-p5-48xlarge-2", "st-p5-48xlarge-3", "dy-p5-48xlarge-1")
)
JOB = "#!/bin/sh\necho started on $SLURM_JOB_NODELIST as restart ${SLURM_RESTART_COUNT:-0}\nsrun sleep ${1:-1000}\n"


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    # Names of sockets may not be long.
    folder = Path("/tmp") / f"lab-{os.getpid()}"
    folder.mkdir()
    yield folder
    assert trainyard(folder, "down", "--all").status == 0  # what a test that failed has left
    subprocess.run(["rm", "-rf", str(folder)], check=True)


@pytest.fixture(scope="module")
def lab(place: Path) -> Iterator[Lab]:
    (place / "cluster.yaml").write_text(SPEC.format(name=f"llm{os.getpid()}"))
    (place / "job.sh").write_text(JOB)
    done = trainyard(place, "up", str(place / "cluster.yaml"), "--accounting", "--json")
    assert done.status == 0, done.err
    made = _read(place, json.loads(done.out)["name"])
    yield made
    assert trainyard(place, "down").status == 0
    left = [*daemons(made.folder), *step_daemons(made.folder), *job_processes(made.name)]
    assert (left, made.folder.exists()) == ([], False)


def trainyard(place: Path, *words: str) -> Run:
    return run("lab", *words, variables={**os.environ, "TRAINYARD_STATE": str(place)})


def _read(place: Path, name: str) -> Lab:
    former = os.environ.get("TRAINYARD_STATE")
    os.environ["TRAINYARD_STATE"] = str(place)
    try:
        found = read_lab(name)
    finally:
        os.environ.pop("TRAINYARD_STATE")
        if former is not None:
            os.environ["TRAINYARD_STATE"] = former
    assert found is not None
    return found


def submit(lab: Lab, *options: str) -> str:
    job = lab.folder.parents[1] / "job.sh"
    return lab.run("sbatch", "--parsable", "--chdir=/", "--output=/dev/null", *options, str(job)).strip()


def state(lab: Lab, job: str) -> str:
    return lab.run("squeue", "--noheader", "--states=all", f"--jobs={job}", "--format=%T").strip()


def node_state(lab: Lab, node: str) -> str:
    return lab.run("sinfo", "--noheader", f"--nodes={node}", "--format=%T").strip()


def test_a_job_gets_the_gpus_of_the_spec_and_moves_off_a_node_that_loses_its_power(lab: Lab):
    place = lab.folder.parents[1]
    job = submit(lab, "--requeue", f"--nodelist={ONE}", "--gpus-per-node=8")
    wait_until(lambda: bool(job_processes(lab.name, ONE)))
    assert trainyard(place, "break", ONE).status == 0
    wait_until(lambda: [*job_processes(lab.name, ONE), *step_daemons(lab.folder, ONE)] == [])
    wait_until(lambda: node_state(lab, ONE).startswith("down"))
    wait_until(lambda: state(lab, job) == "PENDING")  # on the node that it asked for
    assert trainyard(place, "break", ONE, "--how", "nothing").status == 0
    # Slurm holds the job back for two minutes. Set to start at once, it kills slurmctld 22.05 now and then (by a null
    # pointer in build_job_info_resp) while the node still answers about its former start: another job goes instead.
    lab.run("scancel", job)
    wait_until(lambda: node_state(lab, ONE) == "idle")
    other = submit(lab, f"--nodelist={ONE}", "--gpus-per-node=8")
    wait_until(lambda: state(lab, other) == "RUNNING")
    lab.run("scancel", other)


def test_a_sick_node_gets_no_jobs_until_it_is_mended(lab: Lab):
    place = lab.folder.parents[1]
    assert trainyard(place, "break", TWO, "--how", "sick", "--reason", "gpu-ecc: 3 errors").status == 0
    wait_until(lambda: node_state(lab, TWO) == "drained")
    told = trainyard(place, "status").out
    assert f'  {TWO}  drained: "trainyard: gpu-ecc: 3 errors"\n' in told
    assert trainyard(place, "break", TWO, "--how", "nothing").status == 0
    wait_until(lambda: node_state(lab, TWO) == "idle")


def test_ranks_that_hang_are_still_running_for_slurm(lab: Lab):
    place = lab.folder.parents[1]
    job = submit(lab, f"--nodelist={THREE}")
    # What Slurm has not started yet cannot hang.
    wait_until(lambda: any(process.name == "sleep" for process in job_processes(lab.name, THREE)))
    assert trainyard(place, "break", THREE, "--how", "freeze-ranks").status == 0
    of_job = job_processes(lab.name, THREE)
    hung = [process for process in of_job if process.is_in_step]
    assert {process.name for process in of_job if process not in hung} == {"slurm_script", "srun"}
    assert {Path(f"/proc/{process.id}/stat").read_text().rpartition(")")[2].split()[0] for process in hung} == {"T"}
    assert state(lab, job) == "RUNNING"
    assert not node_state(lab, THREE).startswith("d")  # neither down nor drained
    assert trainyard(place, "break", THREE, "--how", "nothing").status == 0
    lab.run("scancel", job)


def test_a_dynamic_node_starts_when_a_job_wants_it(lab: Lab):
    job = submit(lab, f"--nodelist={DYNAMIC}")
    wait_until(lambda: state(lab, job) == "RUNNING")
    wait_until(lambda: bool(job_processes(lab.name, DYNAMIC)))
    lab.run("scancel", job)


def test_the_ledger_of_what_slurm_has_accounted_adds_up(lab: Lab, tmp_path: Path):
    script = str(lab.folder.parents[1] / "job.sh")
    job = submit(lab, "--job-name=llm|a", "--gpus-per-node=8", "--nodes=2", "--requeue")
    wait_until(lambda: state(lab, job) == "RUNNING")
    lab.run("scontrol", "requeue", job)
    wait_until(lambda: state(lab, job) == "PENDING")
    lab.run("scancel", job)
    words = ("--chdir=/", "--output=/dev/null", "--nodes=1", "--job-name=parts")
    parts = (*words, "--gpus-per-node=4", ":", *words, "--gpus-per-node=2", script, "1")
    other = lab.run("sbatch", "--parsable", *parts).strip()
    wait_until(lambda: state(lab, other).split() == ["COMPLETED", "COMPLETED"])
    accounted = ("sacct", "-D", "--allocations")
    wait_until(lambda: lab.run(*accounted, "--noheader", f"--jobs={other}", "-o", "State").count("COMPLETED") == 2)
    (tmp_path / "jobs.json").write_text(lab.run(*accounted, "--json"))
    (tmp_path / "jobs.txt").write_text(lab.run(*accounted, "-P", "-o", "ALL"))
    told = {run["run"]: run for run in _report(tmp_path / "jobs.json")["runs"]}
    assert (told["llm|a"]["starts"], told["llm|a"]["gpus"]) == (1, 16)
    assert (told["parts"]["starts"], told["parts"]["gpus"]) == (1, 6)
    for each in ("llm|a", "parts"):
        assert sum(told[each]["gpu_ms"].values()) == pytest.approx(told[each]["gpus"] * told[each]["wall_h"] * 3.6e6)
    table = _report(tmp_path / "jobs.txt")
    assert [run["gpu_ms"] for run in table["runs"] if run["run"] == "parts"] == [told["parts"]["gpu_ms"]]
    assert "as where a name has |" in table["notes"][0]
    assert not any(run["run"].startswith("llm") for run in table["runs"])


def _report(jobs: Path) -> dict[str, Any]:
    done = run("run", "report", "--jobs", str(jobs), "--json")
    assert done.status == 0, done.err
    return dict(json.loads(done.out))


def test_a_second_lab_of_the_name_is_refused_and_the_first_one_stays(lab: Lab):
    place = lab.folder.parents[1]
    done = trainyard(place, "up", str(place / "cluster.yaml"))
    assert (done.status, "runs already" in done.err) == (2, True)
    assert lab.is_running


def test_a_killed_start_leaves_nothing_that_the_next_one_does_not_end(place: Path):
    name = f"second{os.getpid()}"
    (place / "second.yaml").write_text(SPEC.format(name=name))
    variables = {**os.environ, "TRAINYARD_STATE": str(place)}
    words = [sys.executable, "-m", "trainyard", "lab", "up", str(place / "second.yaml")]
    folder = place / "labs" / name
    # It says that slurmctld runs where nothing more can be written, and waits there, however fast the machine is.
    reading, full = os.pipe()
    os.set_blocking(full, False)
    with suppress(BlockingIOError):
        while os.write(full, b"full"):
            pass
    os.set_blocking(full, True)
    with subprocess.Popen(words, env=variables, stderr=full) as first:
        wait_until(lambda: any(process.name == "slurmctld" for process in daemons(folder)))
        first.send_signal(signal.SIGKILL)
    os.close(reading)
    os.close(full)
    assert not (folder / "up").exists()
    left = {process.id for process in daemons(folder)}
    done = trainyard(place, "up", str(place / "second.yaml"))
    assert done.status == 0, done.err
    now = daemons(folder)
    assert not left & {process.id for process in now}
    assert sorted(process.name for process in now) == ["munged", "slurmctld", "slurmd", "slurmd", "slurmd"]
    assert trainyard(place, "down", name).status == 0
    assert daemons(folder) == []
