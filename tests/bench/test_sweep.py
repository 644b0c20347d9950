"""The jobs that need no nccl-tests: on how many nodes, with how many ranks, and how far they go."""

from __future__ import annotations

from pathlib import Path

import pytest

from trainyard.api.bench_submit import local_cluster
from trainyard.bench.job_selection import Backend, sweep_jobs
from trainyard.errors import InputError
from trainyard.submission.job import PlannedJob

GIB = 2**30


def jobs(folder: Path, backend: Backend, type_: str = "p5.48xlarge", nodes: int = 4) -> tuple[PlannedJob, ...]:
    text = (
        "name: lab\nregion: us-east-2\nplatform: parallelcluster\nqueues:\n"
        "  - {name: cpus, instance_type: m5.large, nodes: 2}\n"
        f"  - {{name: q, instance_type: {type_}, nodes: {nodes}}}\n"
    )
    (folder / "cluster.yaml").write_text(text)
    return sweep_jobs(local_cluster(str(folder / "cluster.yaml")).spec, backend, "python3")


def end_bytes(job: PlannedJob) -> int:
    return int(job.arguments[job.arguments.index("--end") + 1])


def test_gpus_are_looked_at_one_by_one_before_they_are_measured_together(tmp_path: Path):
    check, *sweeps = jobs(tmp_path, "nccl")
    assert (check.measures, check.nodes, check.gpus, check.script) == ("gpus", 4, 32, "gpu_check.sbatch")
    assert [(sweep.id, sweep.nodes, sweep.measures) for sweep in sweeps] == [
        ("sweep-nccl-2n", 2, "gpu-sweep"), ("sweep-nccl-4n", 4, "gpu-sweep"),
    ]  # fmt: skip
    assert {"--partition=q", "--nodes=4", "--exclusive", "--gpus-per-node=8"} <= set(check.options)
    assert {"--ntasks-per-node=8", "--gpus-per-node=8"} <= set(sweeps[0].options)


def test_one_node_with_one_gpu_has_one_rank(tmp_path: Path):
    check, sweep = jobs(tmp_path, "nccl", "p5.4xlarge", 1)
    assert (check.gpus, sweep.id) == (1, "sweep-nccl-1n")
    assert {"--nodes=1", "--ntasks-per-node=1", "--gpus-per-node=1"} <= set(sweep.options)


@pytest.mark.parametrize(
    ("type_", "largest"), [("p5.48xlarge", 4 * GIB), ("p4d.24xlarge", 4 * GIB), ("g5.xlarge", 2 * GIB),
                           ("g4dn.8xlarge", 2 * GIB)],
)  # fmt: skip
def test_the_largest_size_fits_into_a_gpu_eight_times(tmp_path: Path, type_: str, largest: int):
    assert {end_bytes(job) for job in jobs(tmp_path, "nccl", type_)[1:]} == {largest}


@pytest.mark.parametrize(("backend", "largest"), [("tcp", 2**18), ("gloo", 2**26)])
def test_a_sweep_on_cpus_takes_the_first_nodes_of_the_spec_a_rank_each(tmp_path: Path, backend: Backend, largest: int):
    (sweep,) = jobs(tmp_path, backend)
    assert (sweep.id, sweep.queue, sweep.measures) == (f"sweep-{backend}-2n", "cpus", "cpu-sweep")
    assert {"--partition=cpus", "--nodes=2", "--ntasks-per-node=1"} <= set(sweep.options)
    assert not [option for option in sweep.options if "gpu" in option]
    assert end_bytes(sweep) == largest


def test_a_spec_without_gpus_of_nvidia_is_refused(tmp_path: Path):
    with pytest.raises(InputError, match="no queue of the spec has GPUs of NVIDIA"):
        jobs(tmp_path, "nccl", "trn1.32xlarge")
