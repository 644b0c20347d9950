"""A bandwidth test as a job of Slurm: settings, and one call of the script that does the work.

No shell is made here: what varies stands in #SBATCH lines and in quoted assignments.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from shlex import quote

from trainyard.render.bench.job import BenchJob
from trainyard.render.nodes import shared_mount
from trainyard.spec.cluster import Spec

ASSETS = Path(__file__).with_name("assets")
DIRECT_FILE = "nccl-tests-ami.sbatch"
# The script lies beside the job, which Slurm runs a copy of. Who submits from elsewhere says where that is.
_FOLDER = "${TRAINYARD_BENCH:-${SLURM_SUBMIT_DIR:?submit this with sbatch, in its own folder}}"
_CALL = f'exec bash "{_FOLDER}/run-nccl-test.sh"'


def sbatch_text(job: BenchJob, spec: Spec) -> str:
    """Return the batch script of a job."""
    flags = {
        "job-name": job.id,
        "partition": job.queue,
        **({} if job.feature is None else {"constraint": job.feature}),
        "nodes": str(job.nodes),
        "ntasks-per-node": str(job.tasks_per_node),
        "gpus-per-node": str(job.tasks_per_node * job.gpus_per_task),
        "exclusive": None,
        "time": str(job.time_limit_min),
        "output": "%x_%j.out",
    }
    comments = [f"{job.title[0].upper()}{job.title[1:]}.", job.why]
    if job.control_of is not None:
        comments.append(f"Its control run is {job.control_of}.")
    return _text(flags, comments, _variables(job, spec), _CALL)


def direct_text(job: BenchJob, spec: Spec) -> str:
    """Return the batch script that takes the program and the folder of its NCCL as arguments, for any build of them.

    Its flags are the five of the runbook of AWS's observability workshop, the queue, and whole nodes.
    """
    flags = {
        "nodes": str(job.nodes),
        "tasks-per-node": str(job.tasks_per_node),
        "job-name": f"nccl-{job.binary}",
        "output": "%x_%j.out",
        "error": "%x_%j.err",
        "partition": job.queue,
        **({} if job.feature is None else {"constraint": job.feature}),
        "gpus-per-node": str(job.tasks_per_node * job.gpus_per_task),
        "exclusive": None,
    }
    comments = [
        f"A program of nccl-tests on {job.nodes} × {job.instance_type}, and the folder of the NCCL it belongs to:",
        f"sbatch {DIRECT_FILE} /opt/nccl-tests/build/{job.binary} /opt/nccl/build/lib",
    ]
    variables = {**_variables(job, spec), "TRAINYARD_BENCH_JOB": f"nccl-{job.binary}"}
    return _text(flags, comments, variables, f'{_CALL} "$@"')


@cache
def scripts() -> dict[str, bytes]:
    """Return the scripts that every job needs beside it, by name."""
    return {file.name: file.read_bytes() for file in sorted(ASSETS.glob("*.sh"))}


def _text(flags: dict[str, str | None], comments: list[str], variables: dict[str, str], call: str) -> str:
    return "\n".join(
        [
            "#!/usr/bin/env bash",
            *(f"#SBATCH --{name}" if value is None else f"#SBATCH --{name}={value}" for name, value in flags.items()),
            *(f"# {line}" for line in comments),
            "set -euo pipefail",
            *(f"export {name}={quote(value)}" for name, value in variables.items()),
            call,
            "",
        ]
    )


def _variables(job: BenchJob, spec: Spec) -> dict[str, str]:
    """Return what the script reads, and what the test itself sets."""
    return {**dict(_for_script(job, spec)), **job.environment}


def _for_script(job: BenchJob, spec: Spec) -> Iterator[tuple[str, str]]:
    yield "TRAINYARD_BENCH_JOB", job.id
    yield "TRAINYARD_INSTANCE_TYPE", job.instance_type
    yield "TRAINYARD_PROGRAMS", " ".join(job.binaries)
    yield "TRAINYARD_ARGUMENTS", " ".join(job.arguments)
    yield "TRAINYARD_RANKS_PER_NODE", str(job.tasks_per_node)
    yield "TRAINYARD_VARIABLES", " ".join(job.environment)
    yield "TRAINYARD_SHARED", shared_mount(spec) or ""
    yield "TRAINYARD_IMAGE", job.container or ""
