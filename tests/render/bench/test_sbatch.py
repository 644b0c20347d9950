"""Jobs as batch scripts of Slurm.

`python -m tests.render.bench.test_sbatch` writes the golden files.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architectures.by_platform import architectures_on
from tests.render.bench.specs import with_queue, with_queues
from trainyard.render.bench.plan import bench_files, jobs_for
from trainyard.render.bench.sbatch import ASSETS, DIRECT_FILE, direct_text, sbatch_text, scripts
from trainyard.spec.parsing import parse

GOLDEN = Path(__file__).with_name("golden")
ARCHITECTURES = {one.name: parse(one.text, "cluster.yaml").spec for one in architectures_on("parallelcluster")}
CONTAINERS = "software: {setup: gpu, containers: true, nccl: {version: 2.28.7-1, mount: /fsx}}\n"
HOSTILE = "a'b\"c $(touch /tmp/x) `id` \\ ; rm -rf / #"


def golden_files() -> dict[str, bytes]:
    """Return one job of each kind: two phases bare, one in a container, one of phase 4, and the direct way."""
    spec = with_queue(nodes="2", more=CONTAINERS)
    files = bench_files(spec)
    chosen = (
        "gpu-p1-all_reduce",
        "gpu-p2-all_reduce-2n-container",
        "gpu-p3-mixed",
        "gpu-p3-moe-alltoall",
        "gpu-p4-all_reduce-algo-ring",
    )
    return {name: files[name] for name in (*(f"{one}.sbatch" for one in chosen), DIRECT_FILE)}


def checked(*command: str) -> str:
    """Return what a checker of shell scripts says."""
    program = Path(sys.executable).with_name(command[0])
    ran = subprocess.run([program, *command[1:]], capture_output=True, text=True, check=False, timeout=300)
    return ran.stdout + ran.stderr


def exported(text: str) -> dict[str, str]:
    """Return the assignments of a script, read as a shell reads them."""
    found = (shlex.split(line)[1].partition("=") for line in text.splitlines() if line.startswith("export "))
    return {name: value for name, _, value in found}


def flags(text: str) -> list[str]:
    return re.findall(r"^#SBATCH (\S+)$", text, re.MULTILINE)


def test_jobs_are_those_that_were_reviewed():
    reviewed = {file.name: file.read_bytes() for file in GOLDEN.iterdir()}
    assert golden_files() == reviewed


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_shellcheck_and_shfmt_find_nothing_in_any_file(name, tmp_path):
    files = bench_files(ARCHITECTURES[name])
    for file, content in files.items():
        (tmp_path / file).write_bytes(content)
    names = [str(tmp_path / file) for file in files]
    if names:
        assert checked("shellcheck", *names) == ""
        assert checked("shfmt", "--diff", "--indent", "2", *names) == ""


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_a_job_has_no_shell_but_settings_and_one_call(name):
    for file, content in bench_files(ARCHITECTURES[name]).items():
        if file.endswith(".sbatch"):
            first, *lines = content.decode().splitlines()
            assert first == "#!/usr/bin/env bash"
            rest = [line for line in lines if not line.startswith(("#", "export "))]
            assert (len(rest), rest[0]) == (2, "set -euo pipefail"), file
            assert rest[1].startswith('exec bash "${TRAINYARD_BENCH:-')


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_settings_say_what_the_job_is(name):
    spec = ARCHITECTURES[name]
    for job in jobs_for(spec):
        text = sbatch_text(job, spec)
        set_ = exported(text)
        assert set_.items() >= job.environment.items()
        assert set_["TRAINYARD_ARGUMENTS"].split() == list(job.arguments)
        assert set_["TRAINYARD_PROGRAMS"].split() == list(job.binaries)
        assert f"--nodes={job.nodes}" in flags(text)
        assert f"--job-name={job.id}" in flags(text)
        assert "--output=%x_%j.out" in flags(text)


def test_hostile_values_stay_values(tmp_path):
    spec = with_queue()
    job = jobs_for(spec)[0]._replace(instance_type=HOSTILE, environment={"NCCL_ALGO": HOSTILE}, container=HOSTILE)
    text = sbatch_text(job, spec)
    set_ = exported(text)
    assert {set_["TRAINYARD_INSTANCE_TYPE"], set_["NCCL_ALGO"], set_["TRAINYARD_IMAGE"]} == {HOSTILE}
    script = tmp_path / "run-nccl-test.sh"
    script.write_text('printf %s "$NCCL_ALGO"')
    ran = subprocess.run(
        ["/bin/bash", "-c", text], env={"SLURM_SUBMIT_DIR": str(tmp_path), "PATH": "/usr/bin:/bin"},
        capture_output=True, text=True, check=True, timeout=300,
    )  # fmt: skip
    assert ran.stdout == HOSTILE


def test_outside_of_slurm_a_job_says_how_to_submit_it():
    spec = with_queue()
    text = sbatch_text(jobs_for(spec)[0], spec)
    ran = subprocess.run(
        ["/bin/bash", "-c", text], env={"PATH": "/usr/bin:/bin"},
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert ran.returncode != 0
    assert "submit this with sbatch, in its own folder" in ran.stderr


def test_one_kind_of_several_in_a_queue_is_asked_for_by_its_feature():
    spec = with_queues(
        "  - name: gpu\n    compute_resources:\n"
        "      - {name: big, instance_type: p5.48xlarge, nodes: 2}\n"
        "      - {name: small, instance_type: p4d.24xlarge, nodes: 2}"
    )
    assert {"--partition=gpu", "--constraint=big"} <= set(flags(sbatch_text(jobs_for(spec)[0], spec)))


def test_the_direct_way_has_the_five_flags_of_the_runbook_and_passes_its_arguments_on():
    spec = with_queue(nodes="2")
    text = direct_text(jobs_for(spec)[2], spec)
    assert flags(text)[:5] == [
        "--nodes=2",
        "--tasks-per-node=8",
        "--job-name=nccl-all_reduce_perf",
        "--output=%x_%j.out",
        "--error=%x_%j.err",
    ]
    assert text.endswith('run-nccl-test.sh" "$@"\n')


def test_a_bundle_has_jobs_in_containers_only_where_nodes_have_them():
    assert [name for name in bench_files(with_queue()) if "container" in name] == []
    assert [name for name in bench_files(with_queue(more=CONTAINERS)) if "container" in name] != []


def test_a_bundle_without_gpus_has_neither_jobs_nor_scripts():
    assert bench_files(with_queue("c5n.18xlarge")) == {}


def test_every_script_lies_beside_the_jobs():
    assert set(scripts()) == {file.name for file in ASSETS.iterdir()} <= set(bench_files(with_queue()))


if __name__ == "__main__":
    for file_name, text_of_file in golden_files().items():
        GOLDEN.mkdir(exist_ok=True)
        (GOLDEN / file_name).write_bytes(text_of_file)
