"""The jobs in a real Slurm: all are accepted, and one runs until it is judged, with a stand-in for nccl-tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.render.bench.fake_job import MPIRUN, says
from tests.render.bench.specs import with_queues
from tests.slurm import Slurm, real_slurm
from trainyard.bench.file_judgement import read_runs
from trainyard.render.bench.plan import bench_files

pytestmark = [
    pytest.mark.integration,
    pytest.mark.enable_socket,
    pytest.mark.skipif(os.geteuid() != 0, reason="hardware: a Slurm of its own takes root"),
]
# Nodes of ParallelCluster that are powered down, with the features that it gives them:
# https://github.com/aws/aws-parallelcluster-cookbook
CLOUD = """\
NodeName=gpu-dy-big-[1-4] CPUs=192 RealMemory=500 Gres=gpu:h100:8 State=CLOUD Feature=dynamic,p5.48xlarge,big
NodeName=gpu-dy-small-[1-2] CPUs=96 RealMemory=500 Gres=gpu:h100:8 State=CLOUD Feature=dynamic,p4d.24xlarge,small
PartitionName=gpu Nodes=gpu-dy-big-[1-4],gpu-dy-small-[1-2]
SuspendProgram=/bin/true
ResumeProgram=/bin/true
SuspendTime=300
"""
SPEC = with_queues(
    "  - name: gpu\n    compute_resources:\n"
    "      - {name: big, instance_type: p5.48xlarge, nodes: {min: 0, max: 4}}\n"
    "      - {name: small, instance_type: p4d.24xlarge, nodes: {min: 0, max: 2}}\n"
    "  - {name: q, instance_type: g5.xlarge, nodes: 2}",
    "software: {setup: gpu, containers: true}\n",
)


@pytest.fixture(scope="module")
def slurm() -> Iterator[Slurm]:
    with real_slurm(gpus=1, more=CLOUD) as made:
        yield made


@pytest.fixture
def bench(slurm: Slurm) -> Path:
    """Return the folder of the jobs, where an ordinary user sees it."""
    folder = slurm.folder / f"bench {time.monotonic_ns()}"
    folder.mkdir()
    for name, content in bench_files(SPEC).items():
        (folder / name).write_bytes(content)
    return folder


def sbatch(slurm: Slurm, folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sbatch", *words], cwd=folder, env={**os.environ, **slurm.variables, **variables},
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip


def test_slurm_accepts_every_job(slurm: Slurm, bench: Path):
    files = sorted(bench.glob("*.sbatch"))
    refused = {
        file.name: ran.stderr for file in files if (ran := sbatch(slurm, bench, "--test-only", file.name)).returncode
    }
    assert (len(files) > 100, refused) == (True, {})


def test_slurm_would_refuse_more_nodes_than_there_are(slurm: Slurm, bench: Path):
    ran = sbatch(slurm, bench, "--test-only", "--nodes=5", "gpu_big-p1-all_reduce.sbatch")
    assert ran.returncode != 0


def nodes_with_tests(place: Path) -> Path:
    """Return a root with Open MPI and nccl-tests, of which both are stand-ins."""
    for name, body in (("openmpi/bin/mpirun", MPIRUN), ("nccl-tests/build/all_reduce_perf", says("all_reduce_perf"))):
        file = place / ("opt" if "nccl" in name else "opt/amazon") / name
        file.parent.mkdir(parents=True)
        file.write_text(f"#!/usr/bin/env bash\n{body}\n")
        file.chmod(0o755)
    return place


def test_a_job_runs_on_its_nodes_and_its_output_is_judged(slurm: Slurm, bench: Path):
    root = nodes_with_tests(bench / "root")
    results = bench / "results"
    results.mkdir()
    variables = {"TRAINYARD_SYSROOT": str(root), "STUB": str(results), "NCCL_PROTO": "Simple"}
    file = "q-p2-all_reduce-2n.sbatch"
    ran = sbatch(slurm, bench, "--wait", "--parsable", "--chdir=results", file, **variables)
    (output,) = results.glob("q-p2-all_reduce-2n_*.out")
    said = output.read_text()
    assert ran.returncode == 0, said
    assert output.name == f"q-p2-all_reduce-2n_{ran.stdout.strip()}.out"
    assert (results / "hostfile").read_text().split("\n")[:2] == ["q-st-cpu-1 slots=1", "q-st-cpu-2 slots=1"]
    assert "left out NCCL_PROTO" in said
    (read,) = read_runs((str(results),))
    assert (read.run.collective, read.run.instance_type, len(read.run.rows)) == ("all_reduce", "g5.xlarge", 2)


def test_the_direct_way_takes_a_program_and_its_libraries(slurm: Slurm, bench: Path):
    root = nodes_with_tests(bench / "root")
    shutil.copy(bench / "nccl-tests-ami.sbatch", bench / "mine.sbatch")
    program = root / "opt/nccl-tests/build/all_reduce_perf"
    options = ("--partition=q", "--constraint=", "--nodes=2", "--ntasks-per-node=1", "--gpus-per-node=1")
    variables = {"TRAINYARD_SYSROOT": str(root), "STUB": str(bench)}
    ran = sbatch(slurm, bench, "--wait", "--parsable", *options, "mine.sbatch", str(program), str(root), **variables)
    said = (bench / f"nccl-all_reduce_perf_{ran.stdout.strip()}.out").read_text()
    assert ran.returncode == 0, said
    assert f"trainyard: program {program}" in said
