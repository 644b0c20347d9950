"""The scripts that do the work of a job, run with stand-ins for Slurm, Open MPI, the GPUs and nccl-tests."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.render.bench.fake_job import SETTINGS, FakeJob, lines_with, says
from trainyard.bench.nccl_log import parse_log

IMAGE = "nvcr.io#nvidia/pytorch:25.10-py3"
TREE = """\
SwitchName=top Level=1 LinkSpeed=1 Nodes=a1,a2,b1,b2 Switches=left,right
SwitchName=left Level=0 LinkSpeed=1 Nodes=a1,b2
SwitchName=right Level=0 LinkSpeed=1 Nodes=a2,b1
"""
BLOCKS = """\
BlockName=u2 BlockIndex=1 Nodes=a1,b2 BlockSize=2
BlockName=u1 BlockIndex=0 Nodes=a2,b1 BlockSize=2
"""
# The names of leaves and hosts run across those of the switches above them.
TWO_LEVELS = """\
SwitchName=s1 Level=0 LinkSpeed=1 Nodes=a1
SwitchName=s2 Level=0 LinkSpeed=1 Nodes=a2
SwitchName=s3 Level=0 LinkSpeed=1 Nodes=b2
SwitchName=s4 Level=0 LinkSpeed=1 Nodes=b1
SwitchName=y Level=1 LinkSpeed=1 Nodes=a2,b2 Switches=s[2-3]
SwitchName=z Level=1 LinkSpeed=1 Nodes=a1,b1 Switches=s1,s4
"""
NODES = {"SLURM_JOB_NODELIST": "a1,a2,b1,b2", "SLURM_JOB_NUM_NODES": "4"}


@pytest.fixture
def job(tmp_path: Path) -> FakeJob:
    return FakeJob(tmp_path)


def test_the_output_is_read_by_the_judge_with_what_the_nodes_said(job: FakeJob):
    ran = job.run()
    assert ran.returncode == 0, ran.stdout
    (run,) = parse_log([ran.stdout.encode()])
    assert (run.collective, run.instance_type, len(run.rows), run.failures) == ("all_reduce", "p5.48xlarge", 2, [])
    assert run.versions == {
        "driver": "570.86.15",
        "cuda-driver": "12.8",
        "efa-driver": "2.17.2g",
        "efa-installer": "1.43.2",
        "installed-libfabric": "2.1.0amzn1.0",
        "installed-plugin": "1.16.3",
        "installed-nccl": "2.27.7",
        "nccl-tests": "2.17.6",
        "nccl": "2.27.7",
    }


def test_every_node_says_its_gpus_cards_and_fabrics_before_the_test(job: FakeJob):
    said = job.run().stdout
    before = said[: said.index("Collective test starting")]
    for node in ("q-st-9", "q-st-10"):
        assert f"trainyard: node {node} instance-type p5.48xlarge" in before
        assert f"trainyard: node {node} gpu 0, NVIDIA H100 80GB HBM3, 81559 MiB, 570.86.15" in before
        assert f"trainyard: node {node} nics 2" in before
        assert f"trainyard: node {node} fi_info efa efa rdmap80s0-rdm 201.0 FI_EP_RDM FI_PROTO_EFA" in before


def test_devices_of_other_drivers_are_no_network_cards(job: FakeJob):
    assert lines_with(job.run().stdout, r"nic ibp1s0") == []


def test_a_node_whose_gpus_do_not_answer_is_described_and_the_test_is_tried(job: FakeJob):
    ran = job.run(FAKE_DEAD_GPU="1")
    assert ran.returncode == 0
    assert "trainyard: node q-st-9 gpu none: nvidia-smi does not answer" in ran.stdout


def test_the_cuda_of_newer_drivers_is_found_under_its_newer_name(job: FakeJob):
    said = job.run(FAKE_CUDA="KMD Version: 610.43.02     CUDA UMD Version: 13.3").stdout
    assert lines_with(said, "version cuda-driver 13.3$")


def test_open_mpi_gets_a_rank_for_each_gpu_and_what_the_job_sets(job: FakeJob):
    job.run(TRAINYARD_VARIABLES="NCCL_DEBUG NCCL_DEBUG_SUBSYS NCCL_ALGO", NCCL_ALGO="Ring")
    words = job.remembered("mpirun")
    assert words[words.index("-n") + 1] == "16"
    assert words[words.index("-N") + 1] == "8"
    assert [words[at + 1] for at, word in enumerate(words) if word == "-x"][-3:] == [
        "NCCL_DEBUG", "NCCL_DEBUG_SUBSYS", "NCCL_ALGO",
    ]  # fmt: skip
    assert job.remembered("arguments") == SETTINGS["TRAINYARD_ARGUMENTS"].split()


def test_what_is_set_where_the_job_was_submitted_does_not_reach_the_test(job: FakeJob):
    ran = job.run(NCCL_ALGO="Ring", FI_PROVIDER="efa", NCCL_MIN_NRINGS="4", RDMAV_FORK_SAFE="1")
    assert job.remembered("environment") == ["NCCL_DEBUG=INFO", "NCCL_DEBUG_SUBSYS=INIT,ENV"]
    assert len(lines_with(ran.stdout, "left out (NCCL_ALGO|FI_PROVIDER|NCCL_MIN_NRINGS|RDMAV_FORK_SAFE),")) == 4


def test_hosts_stand_in_the_order_of_their_numbers_where_slurm_knows_no_topology(job: FakeJob):
    said = job.run().stdout
    assert job.remembered("hostfile") == ["q-st-9 slots=8", "q-st-10 slots=8"]
    assert "Slurm knows no topology, so nobody can tell which are near" in said


@pytest.mark.parametrize(
    ("topology", "hosts"),
    [(TREE, "a1 b2 a2 b1"), (BLOCKS, "a2 b1 a1 b2"), (TWO_LEVELS, "a2 b2 a1 b1")],
    ids=["tree", "block", "two levels"],
)
def test_hosts_below_one_switch_stand_beside_one_another(job: FakeJob, topology, hosts):
    (job.stub / "topology").write_text(topology)
    said = job.run(**NODES).stdout
    assert [line.split()[0] for line in job.remembered("hostfile")] == hosts.split()
    assert "hosts are in the order of Slurm's topology" in said


def test_hosts_that_the_topology_does_not_name_come_last_and_none_is_lost(job: FakeJob):
    (job.stub / "topology").write_text("SwitchName=right Level=0 LinkSpeed=1 Nodes=b1\n")
    job.run(**NODES)
    assert [line.split()[0] for line in job.remembered("hostfile")] == ["b1", "a1", "a2", "b2"]


def test_the_shared_nccl_goes_before_that_of_the_image(job: FakeJob):
    shared = job.root / "fsx/nccl/current"
    job.program(shared / "bin/all_reduce_perf", says("all_reduce_perf"))
    job.write("fsx/nccl/current/setup-nccl-env.sh", "export LD_LIBRARY_PATH=/its/own:$LD_LIBRARY_PATH\n")
    job.write("fsx/nccl/current/lib/libnccl.so.2", "NCCL version 2.30.4+cuda13.0")
    said = job.run().stdout
    assert f"program {shared}/bin/all_reduce_perf" in said
    assert "version installed-nccl 2.30.4" in said
    assert job.remembered("libraries")[0].startswith("/its/own:")


def test_a_node_runs_its_own_copy_of_the_current_version_of_the_shared_nccl_and_of_no_other(job: FakeJob):
    for version in ("2.28.7-1", "2.29.3-1"):
        for place in ("fsx/nccl", "opt/trainyard/nccl"):
            job.program(job.root / place / version / "bin/all_reduce_perf", says("all_reduce_perf"))
            job.write(f"{place}/{version}/setup-nccl-env.sh", "")
    (job.root / "opt/trainyard/nccl/current").symlink_to("2.28.7-1")
    current = job.root / "fsx/nccl/current"
    current.symlink_to("2.29.3-1")
    assert f"program {job.root}/opt/trainyard/nccl/2.29.3-1/bin/all_reduce_perf" in job.run().stdout
    shutil.rmtree(job.root / "opt/trainyard/nccl/2.29.3-1")
    assert f"program {current}/bin/all_reduce_perf" in job.run().stdout


def test_a_program_on_the_search_path_is_found_under_nvidias_name_too(job: FakeJob):
    (job.root / "opt/nccl-tests/build/all_reduce_perf").unlink()
    job.program(job.bin / "all_reduce_perf_mpi", says("all_reduce_perf"))
    assert f"program {job.bin}/all_reduce_perf_mpi" in job.run().stdout


def test_a_missing_program_is_one_line_before_any_node_waits(job: FakeJob):
    (job.root / "opt/nccl-tests/build/all_reduce_perf").unlink()
    ran = job.run()
    (line,) = lines_with(ran.stdout, "error")
    assert ran.returncode == 1
    assert "has no all_reduce_perf in /fsx/nccl/current/bin, /opt/nccl-tests/build or the search path" in line
    assert "build-nccl.sbatch" in line
    assert not (job.stub / "mpirun").exists()


def test_a_missing_open_mpi_is_one_line(job: FakeJob):
    (job.root / "opt/amazon/openmpi/bin/mpirun").unlink()
    ran = job.run()
    assert ran.returncode != 0
    assert "there is no mpirun in /opt/amazon/openmpi/bin or the search path" in ran.stdout


def test_several_programs_are_several_results(job: FakeJob):
    ran = job.run(TRAINYARD_PROGRAMS="alltoall_perf all_reduce_perf")
    runs = parse_log([ran.stdout.encode()])
    assert [(run.collective, len(run.rows)) for run in runs] == [("alltoall", 2), ("all_reduce", 2)]


def test_the_first_program_that_fails_ends_the_job_with_its_status(job: FakeJob):
    job.program(job.root / "opt/nccl-tests/build/alltoall_perf", says("alltoall_perf", status=3))
    ran = job.run(TRAINYARD_PROGRAMS="alltoall_perf all_reduce_perf")
    assert ran.returncode == 3
    assert ran.stdout.splitlines()[-1] == "trainyard: alltoall_perf ended with status 3"


def test_the_direct_way_runs_the_program_that_is_named_with_its_libraries(job: FakeJob):
    mine = job.root / "mine/all_reduce_perf"
    job.program(mine, says("all_reduce_perf"))
    (job.root / "its libs").mkdir()
    ran = job.run(str(mine), str(job.root / "its libs"))
    assert ran.returncode == 0, ran.stdout
    assert f"program {mine}" in ran.stdout
    assert job.remembered("libraries")[0].split(":")[0] == f"{job.root}/its libs"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("/opt/all_reduce_perf",), "usage: sbatch nccl-tests-ami.sbatch BIN LIB"),
        (("/opt/all_reduce_perf", "/no/such"), "has no folder /no/such"),
        (("/opt/all_reduce_perf", "/tmp"), "/opt/all_reduce_perf is no program on"),
        (("/bin/ls; touch /tmp/x", "/tmp"), "usage: nccl-program.sh"),
    ],
)
def test_wrong_arguments_of_the_direct_way_are_one_line(job: FakeJob, arguments, said):
    ran = job.run(*arguments)
    (line,) = lines_with(ran.stdout, "error")
    assert ran.returncode == 1
    assert said in line


def test_outside_of_slurm_it_says_how_to_submit(job: FakeJob):
    ran = job.run(SLURM_JOB_ID="")
    assert ran.returncode == 1
    assert "submit one of the .sbatch files with sbatch" in ran.stdout


def test_a_container_runs_the_same_script_inside_with_ranks_in_the_order_of_hosts(job: FakeJob):
    ran = job.run(TRAINYARD_IMAGE=IMAGE, SCRIPTS=str(job.bench), TRAINYARD_RANKS_PER_NODE="2")
    assert ran.returncode == 0, ran.stdout
    (line,) = lines_with("\n".join(job.remembered("srun")), "--mpi=pmix")
    assert f"--ntasks=4 --mpi=pmix --cpu-bind=none --container-image={IMAGE}" in line
    assert f"--container-mounts={job.bench}:/trainyard-bench:ro" in line
    assert "--container-env=NCCL_DEBUG,NCCL_DEBUG_SUBSYS" in line
    assert job.remembered("ranks") == ["q-st-9", "q-st-9", "q-st-10", "q-st-10"]
    assert len(parse_log([ran.stdout.encode()])[0].rows) == 2


def test_an_imported_image_is_used_instead_of_its_registry(job: FakeJob):
    job.write("fsx/containers/nvcr.io+nvidia+pytorch+25.10-py3.sqsh", "hsqs")
    assert "containers/nvcr.io+nvidia+pytorch+25.10-py3.sqsh" in job.run(TRAINYARD_IMAGE=IMAGE).stdout


def test_libraries_of_a_container_are_its_own_and_not_those_of_the_node(job: FakeJob):
    job.run(TRAINYARD_IMAGE=IMAGE)
    described = [line for line in job.remembered("srun") if "describe-node.sh" in line]
    assert ["--hardware" in described[0], "--software" in described[1]] == [True, True]


def test_a_container_that_does_not_start_is_one_line(job: FakeJob):
    job.program(job.bin / "srun", 'case "$*" in *--container*) exit 1 ;; esac')
    ran = job.run(TRAINYARD_IMAGE=IMAGE)
    assert ran.returncode == 1
    assert f"the container {IMAGE} does not start" in ran.stdout


def test_a_node_on_which_ranks_in_containers_do_not_meet_is_told(job: FakeJob):
    assert "has no /etc/enroot/hooks.d/50-slurm-pmi.sh" in job.run(TRAINYARD_IMAGE=IMAGE).stdout
    job.write("etc/enroot/hooks.d/50-slurm-pmi.sh", "")
    assert "50-slurm-pmi.sh" not in job.run(TRAINYARD_IMAGE=IMAGE).stdout


def test_nothing_is_left_in_the_temporary_folder(job: FakeJob):
    job.run()
    assert list(job.stub.glob("trainyard-bench.*")) == []
