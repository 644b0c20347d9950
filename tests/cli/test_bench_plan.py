"""bench plan on the command line."""

from __future__ import annotations

import json

import pytest

from tests.render.bench.specs import FORM

GPUS = FORM.format(queues="  - {name: gpu, instance_type: p5.48xlarge, nodes: 2, capacity: on-demand}")
QUEUE = "queues: [{name: gpu, instance_type: p5.48xlarge, nodes: 2}]\n"
ONE_NODE = FORM.format(queues="  - {name: gpu, instance_type: p5.48xlarge, nodes: 1}")
NO_GPUS = FORM.format(queues="  - {name: cpu, instance_type: c5n.18xlarge, nodes: 2}")
BOTH = f"{GPUS.rstrip()}\n  - {{name: cpu, instance_type: c5n.18xlarge, nodes: 2}}\n"
ONE_GPU = FORM.format(queues="  - {name: gpu, instance_type: g5.xlarge, nodes: 2}")


@pytest.fixture
def spec(tmp_path):
    """Return a function that writes a spec and gives its name."""

    def write(content: str) -> str:
        (tmp_path / "cluster.yaml").write_text(content)
        return "cluster.yaml"

    return write


def test_the_jobs_of_all_phases_are_written_and_listed(trainyard, spec, tmp_path):
    ran = trainyard("bench", "plan", spec(GPUS))
    folder = tmp_path / "build/lab-bench"
    assert ran.status == 0, ran.err
    assert ran.out.splitlines()[0] == "Phase 1: within a node"
    listed = [line.split()[0] for line in ran.out.splitlines() if line.startswith("  ")]
    written = {f"build/lab-bench/{file.name}" for file in folder.glob("*.sbatch")}
    assert set(listed) == written - {"build/lab-bench/nccl-tests-ami.sbatch"}
    assert (folder / "run-nccl-test.sh").exists()
    assert ran.out.splitlines()[-1] == f"{len(listed)} jobs in build/lab-bench"


@pytest.mark.parametrize(("platform", "ending"), [("batch", "json"), ("eks", "yaml")])
def test_the_jobs_of_other_platforms_are_what_those_take(trainyard, spec, tmp_path, platform, ending):
    name = spec(f"name: lab\nregion: us-east-2\nplatform: {platform}\n{QUEUE}")
    ran = trainyard("bench", "plan", name, "--container")
    assert ran.status == 0, ran.err
    listed = {line.split()[0] for line in ran.out.splitlines() if line.startswith("  ")}
    assert {f"build/lab-bench/{file.name}" for file in (tmp_path / "build/lab-bench").glob("gpu-*")} == listed
    assert {file.rpartition(".")[2] for file in listed} == {ending}
    found = json.loads(trainyard("bench", "plan", name, "--json", "--force").out)
    assert {f"build/lab-bench/{job['file']}" for job in found["jobs"]} == listed


def test_a_cluster_of_eks_without_the_mpi_operator_has_nothing_to_run_tests(trainyard, spec):
    text = f"name: lab\nregion: us-east-2\nplatform: eks\neks: {{operators: [training-operator]}}\n{QUEUE}"
    ran = trainyard("bench", "plan", spec(text))
    assert (ran.status, "lab has no MPI operator to run tests" in ran.err) == (1, True)


def test_one_phase_is_written_alone(trainyard, spec, tmp_path):
    ran = trainyard("bench", "plan", spec(GPUS), "--phase", "1", "-o", "jobs")
    assert ran.status == 0
    assert {file.name for file in (tmp_path / "jobs").glob("gpu-*")} == {
        "gpu-p1-all_reduce.sbatch",
        "gpu-p1-alltoall.sbatch",
    }


def test_jobs_in_a_container_name_their_image(trainyard, spec):
    ran = trainyard("bench", "plan", spec(GPUS), "--container", "--json")
    images = {job["container"] for job in json.loads(ran.out)["jobs"]}
    assert len(images) == 1
    assert "nccl-tests" in images.pop()


def test_json_says_what_each_job_is(trainyard, spec, tmp_path):
    found = json.loads(trainyard("bench", "plan", spec(GPUS), "--json").out)
    assert list(found) == ["schema", "folder", "kept", "files", "jobs", "left_out", "findings"]
    jobs = {job["id"]: job for job in found["jobs"]}
    ring = jobs["gpu-p4-all_reduce-algo-ring"]
    assert ring["environment"]["NCCL_ALGO"] == "Ring"
    assert ring["control_of"] in jobs
    assert (jobs["gpu-p2-all_reduce-2n"]["nodes"], jobs["gpu-p2-all_reduce-2n"]["ranks"]) == (2, 16)
    assert all((tmp_path / found["folder"] / name).is_file() for name in found["files"])
    assert {job["file"] for job in jobs.values()} < set(found["files"])


def test_the_same_spec_gives_the_same_bytes(trainyard, spec, tmp_path):
    name = spec(GPUS)
    for folder in ("one", "two"):
        trainyard("bench", "plan", name, "-o", folder)
    one, two = ({file.name: file.read_bytes() for file in (tmp_path / name).iterdir()} for name in ("one", "two"))
    assert one == two


def test_a_spec_without_gpus_says_so_and_writes_nothing(trainyard, spec, tmp_path):
    ran = trainyard("bench", "plan", spec(NO_GPUS))
    assert ran.status == 1
    assert "nothing to measure: queue cpu: c5n.18xlarge has no GPU" in ran.err
    assert not (tmp_path / "build").exists()


def test_an_environment_says_that_it_has_no_nodes(trainyard, spec):
    ran = trainyard("bench", "plan", spec("name: shared\nregion: us-east-2\nkind: environment\n"))
    assert ran.status == 1
    assert "an environment has no nodes to measure" in ran.err


def test_queues_without_gpus_are_left_out_aloud(trainyard, spec):
    ran = trainyard("bench", "plan", spec(BOTH))
    assert ran.status == 0
    assert "left out: queue cpu: c5n.18xlarge has no GPU" in ran.err


def test_a_phase_without_jobs_is_an_error(trainyard, spec):
    ran = trainyard("bench", "plan", spec(ONE_GPU), "--phase", "1")
    assert ran.status == 1
    assert "no job of phase 1 fits" in ran.err


def test_one_node_is_not_scaled_but_measured_in_phases_1_3_and_4(trainyard, spec):
    found = json.loads(trainyard("bench", "plan", spec(ONE_NODE), "--json").out)
    assert {(job["phase"], job["nodes"]) for job in found["jobs"]} == {(1, 1), (3, 1), (4, 1)}


def test_a_wrong_spec_is_told_and_nothing_is_written(trainyard, spec, tmp_path):
    ran = trainyard("bench", "plan", spec(GPUS.replace("m5.8xlarge", "m5.8xlargo").replace("on-demand", "sp0t")))
    assert ran.status == 2
    assert not (tmp_path / "build").exists()


def test_a_folder_of_somebody_else_is_refused(trainyard, spec, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/notes").write_text("mine")
    ran = trainyard("bench", "plan", spec(GPUS), "-o", "mine")
    assert ran.status == 2
    assert "choose another folder" in ran.err
    assert [file.name for file in (tmp_path / "mine").iterdir()] == ["notes"]


@pytest.mark.parametrize("phase", ["0", "5", "x"])
def test_there_are_four_phases(trainyard, spec, phase):
    assert trainyard("bench", "plan", spec(GPUS), "--phase", phase).status == 2
