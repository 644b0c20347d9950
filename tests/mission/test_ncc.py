"""NCCL and bandwidth tests. That a real fabric reaches its bandwidth, only AWS can tell."""

from __future__ import annotations

from pathlib import Path

from tests.bench.texts import whole
from tests.mission.subject import files, options, page, released, spec
from tests.render.bench.fake_job import FakeJob
from trainyard.api.instances import instance_facts
from trainyard.bench.case import case_of
from trainyard.bench.judge import judge
from trainyard.bench.nccl_log import parse_log
from trainyard.rehearsal.report.conditions import only_aws_can_tell

NCCL = "software.nccl={version: v2.28.7-1, ofi_version: v1.17.2-aws}"


def test_ncc_1_nccl_is_built_once_and_found_by_every_node():
    release = released("p5en-monitoring", NCCL)
    for name in ("build-nccl.sbatch", "use-nccl.sh", "apply-nccl.sh", "setup-nccl-env.sh"):
        assert f"nccl/{name}" in release
    nccl = spec("p5en-monitoring", NCCL).software.nccl
    assert nccl is not None
    assert "steps/70-nccl.sh" in release


def test_ncc_2_phases_are_there_bare_and_in_containers_and_a_missing_program_names_the_way(tmp_path: Path):
    jobs = [name for name in files("p5en-monitoring") if name.endswith(".sbatch")]
    for phase in (1, 2, 3, 4):
        assert any(f"-p{phase}-" in name and "container" in name for name in jobs)
        assert any(f"-p{phase}-" in name and "container" not in name for name in jobs)
    assert "## What has to be there" in page("benchmarks.md")
    assert "--container" in options("bench", "submit")
    for image in ("", "nvcr.io#nvidia/pytorch:25.10-py3"):
        folder = tmp_path / ("container" if image else "bare")
        folder.mkdir()
        job = FakeJob(folder)
        ran = job.run(TRAINYARD_IMAGE=image)
        (run,) = parse_log([ran.stdout.encode()])
        assert (ran.returncode, run.collective, run.failures) == (0, "all_reduce", [])
        assert any("--container-image=nvcr.io" in line for line in job.remembered("srun")) == bool(image)
    # A program that is missing names the ways to have it.
    (job.root / "opt/nccl-tests/build/all_reduce_perf").unlink()
    job.program(job.bench / "of-the-bundle.sh", files("p5en-monitoring")["bench/nccl-program.sh"])
    missing = job.run("--where", "all_reduce_perf", script="of-the-bundle.sh")
    assert missing.returncode == 1
    for way in ("build-nccl.sbatch", "software.nccl in the spec", "bench submit --container", "nccl-tests-ami.sbatch"):
        assert way in missing.stdout


def test_ncc_3_the_documented_job_is_there():
    job = files("p5en-monitoring")["bench/nccl-tests-ami.sbatch"]
    for flag in ("--tasks-per-node", "--exclusive", "--output", "--error"):
        assert flag in job


def test_ncc_4_networks_and_nvlink_have_the_documented_figures():
    for name, efa, nvlink in (("p4d.24xlarge", 400, 600), ("p4de.24xlarge", 400, 600), ("p5.48xlarge", 3200, 900)):
        facts = instance_facts(name).facts
        assert (facts.efa_gbit_s, facts.nvlink_gb_s_bidirectional) == (efa, nvlink)


def test_ncc_5_the_busbw_of_the_documents_is_explained():
    assert "487" in page("benchmarks.md")


def test_ncc_6_expectations_come_from_published_runs():
    (run,) = parse_log([whole(log=True)])
    judgement = judge(case_of(run, "p5.48xlarge", 2))
    assert judgement.verdict == "healthy"
    assert "scaling" in page("benchmarks.md").lower()


def test_ncc_7_p5en_and_p6_have_their_facts():
    for name, model in (("p5en.48xlarge", "H200"), ("p6-b200.48xlarge", "B200")):
        accelerators = instance_facts(name).facts.accelerators
        assert accelerators is not None
        assert (accelerators.count, accelerators.model) == (8, model)


def test_ncc_8_containers_are_tried_and_images_imported():
    release = released("p5en-monitoring")
    assert "--container-image" in release["containers/pyxis-test.sbatch"]
    assert "containers/import-image.sh" in release


def test_ncc_9_jobs_get_paths_and_no_tuning_and_only_aws_can_tell_the_rest():
    environment = released("p5en-monitoring", NCCL)["nccl/setup-nccl-env.sh"]
    assert "LD_LIBRARY_PATH" in environment
    assert not any(f"export {name}=" in environment for name in ("NCCL_ALGO", "NCCL_PROTO", "NCCL_BUFFSIZE"))
    assert any("EFA carries traffic" in point for point in only_aws_can_tell(spec("p5en-monitoring")))
