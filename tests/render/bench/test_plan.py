"""Which tests a spec gets."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given

from tests.architectures.by_platform import architectures_on
from tests.render.bench.specs import with_queue, with_queues
from tests.specs import spec_texts
from trainyard.bench.ceiling import busbw_factor
from trainyard.bench.machine import machine
from trainyard.render.bench.gpu_nodes import gpu_nodes, queues_without_test
from trainyard.render.bench.job import BenchJob
from trainyard.render.bench.plan import bench_files, container_image, jobs_for
from trainyard.spec.cluster import Spec
from trainyard.spec.parsing import parse

GIB = 2**30
ARCHITECTURES = {one.name: parse(one.text, "cluster.yaml").spec for one in architectures_on("parallelcluster")}
EACH_ARCHITECTURE = pytest.mark.parametrize("name", ARCHITECTURES)


def of_phase(spec: Spec, phase: int) -> list[BenchJob]:
    return [job for job in jobs_for(spec) if job.phase == phase]


@EACH_ARCHITECTURE
def test_every_cluster_with_gpus_gets_all_four_phases(name):
    phases = {job.phase for job in jobs_for(ARCHITECTURES[name])}
    assert phases == (set() if "trn1" in name else {1, 2, 3, 4})


@EACH_ARCHITECTURE
def test_ids_are_unique_and_safe_in_file_names(name):
    ids = [job.id for job in jobs_for(ARCHITECTURES[name])]
    assert len(ids) == len(set(ids))
    assert all(re.fullmatch(r"[a-z0-9_-]{1,100}", id_) for id_ in ids)


@EACH_ARCHITECTURE
def test_the_id_of_a_job_names_its_collective_so_that_a_torn_result_is_still_known(name):
    assert all(job.collective in job.id for job in jobs_for(ARCHITECTURES[name]) if not job.then)


@EACH_ARCHITECTURE
def test_every_collective_is_one_that_the_judge_knows(name):
    asked = {binary.removesuffix("_perf") for job in jobs_for(ARCHITECTURES[name]) for binary in job.binaries}
    assert {collective for collective in asked if busbw_factor(collective, 8) is None} == set()


@EACH_ARCHITECTURE
def test_there_is_a_rank_for_each_gpu(name):
    for job in jobs_for(ARCHITECTURES[name]):
        known = machine(job.instance_type)
        assert known is not None
        assert (job.tasks_per_node, job.gpus_per_task) == (known.gpus, 1)


def test_the_first_phase_measures_one_node_of_every_gpu_queue():
    spec = ARCHITECTURES["distributed-training-p4de-batch-inference-g5-custom-ami"]
    found = Counter((job.queue, job.collective, job.nodes) for job in of_phase(spec, 1))
    queues = ("compute-gpu", "inference-gpu")
    assert found == Counter((queue, what, 1) for queue in queues for what in ("all_reduce", "alltoall"))


@pytest.mark.parametrize(
    ("most", "counts"), [(1, []), (2, [2]), (3, [2, 3]), (4, [2, 4]), (10, [2, 4, 8, 10]), (64, [2, 4, 8, 16, 32, 64])]
)
def test_scaling_doubles_nodes_up_to_all_of_the_queue(most, counts):
    jobs = of_phase(with_queue(nodes=f"{{min: 0, max: {most}}}"), 2)
    assert [job.nodes for job in jobs if job.collective == "all_reduce"] == counts


def test_other_collectives_are_measured_on_all_nodes_of_the_queue():
    found = {job.collective: job.nodes for job in of_phase(with_queue(nodes="6"), 2) if job.collective != "all_reduce"}
    assert found == {"all_gather": 6, "reduce_scatter": 6, "alltoall": 6}


def test_a_mixture_of_experts_has_a_size_for_each_quarter_of_capacity():
    (job,) = [job for job in of_phase(with_queue(), 3) if "moe" in job.id]
    capacity_1 = 4096 * 2 * 4096 * 2  # tokens, experts of each, values, bytes of bf16
    assert (job.collective, job.begin_bytes, job.end_bytes) == ("alltoall", capacity_1, 2 * capacity_1)
    assert job.step_bytes == capacity_1 // 4
    assert job.arguments[4:6] == ("-i", str(capacity_1 // 4))


def test_latency_bandwidth_sendrecv_and_mixed_have_the_sizes_that_they_are_about():
    jobs = {job.id.removeprefix("gpu-p3-"): job for job in of_phase(with_queue(), 3)}
    sizes = {name: (job.begin_bytes, job.end_bytes) for name, job in jobs.items()}
    assert sizes["latency-all_reduce"] == (8, 64 * 2**10)
    assert sizes["bandwidth-all_reduce"] == (GIB, 16 * GIB)
    assert jobs["sendrecv"].binary == "sendrecv_perf"
    assert len(jobs["mixed"].binaries) == 4


@EACH_ARCHITECTURE
def test_phase_4_changes_one_variable_beside_a_control_run_that_is_otherwise_the_same(name):
    jobs = {job.id: job for job in of_phase(ARCHITECTURES[name], 4)}
    for job in jobs.values():
        if job.control_of is None:
            continue
        control = jobs[job.control_of]
        assert len(job.environment.items() - control.environment.items()) == 1
        assert control.environment.items() < job.environment.items()
        assert (job.arguments, job.nodes, job.binary) == (control.arguments, control.nodes, control.binary)
    order = list(jobs)
    assert all(order.index(job.control_of) < order.index(job.id) for job in jobs.values() if job.control_of)


@EACH_ARCHITECTURE
def test_outside_of_phase_4_only_the_log_is_set(name):
    jobs = [job for job in jobs_for(ARCHITECTURES[name]) if job.control_of is None]
    assert all(job.environment == {"NCCL_DEBUG": "INFO", "NCCL_DEBUG_SUBSYS": "INIT,ENV"} for job in jobs)


@pytest.mark.parametrize(
    ("instance_type", "nodes", "expected"),
    [
        ("p5.48xlarge", 2, {"Ring", "Tree", "NVLSTree"}),
        ("p5.48xlarge", 1, {"Ring", "Tree", "NVLS"}),
        ("p4d.24xlarge", 2, {"Ring", "Tree"}),
        ("g5.48xlarge", 2, {"Ring", "Tree"}),
    ],
)
def test_nvls_is_tried_only_where_switches_can_reduce(instance_type, nodes, expected):
    jobs = of_phase(with_queue(instance_type, str(nodes)), 4)
    assert {job.environment["NCCL_ALGO"] for job in jobs if "NCCL_ALGO" in job.environment} == expected


# What the buffers for 128 GiB did on p6-b300, and 64 GiB did not: run out of memory.
# https://github.com/awslabs/awsome-distributed-ai/pull/1120
@pytest.mark.parametrize(
    ("instance_type", "largest_gib"),
    [
        ("g4dn.metal", 4),
        ("g5.48xlarge", 4),
        ("p4d.24xlarge", 8),
        ("p4de.24xlarge", 16),
        ("p5.48xlarge", 16),
        ("p5en.48xlarge", 32),
        ("p6-b200.48xlarge", 32),
        ("p6-b300.48xlarge", 64),
    ],
)
def test_the_memory_of_a_gpu_bounds_the_largest_size(instance_type, largest_gib):
    (nodes,) = gpu_nodes(with_queue(instance_type))
    assert nodes.largest_bytes == largest_gib * GIB
    assert max(job.end_bytes for job in jobs_for(with_queue(instance_type))) == largest_gib * GIB


def test_no_test_begins_above_its_end():
    for instance_type in ("g4dn.metal", "p6-b300.48xlarge"):
        assert all(8 <= job.begin_bytes <= job.end_bytes for job in jobs_for(with_queue(instance_type)))


def test_slow_links_are_measured_less_often_and_given_more_time():
    fast, slow = (of_phase(with_queue(one), 2)[0] for one in ("p5.48xlarge", "p4de.24xlarge"))
    assert fast.iterations > slow.iterations
    assert fast.time_limit_min < slow.time_limit_min


def test_a_job_is_done_within_its_limit_at_the_bandwidth_that_was_published():
    """16 GiB on 2 × p4de at 41.78 GB/s of algorithm bandwidth, all sizes together twice that, both tables."""
    job = of_phase(with_queue("p4de.24xlarge", "2"), 2)[0]
    seconds = 4 * job.end_bytes * (job.iterations + job.warmup) / 41.78e9
    assert seconds < job.time_limit_min * 60 / 3


def test_kinds_of_nodes_in_one_queue_are_told_apart_by_their_feature():
    spec = with_queues(
        "  - name: gpu\n    compute_resources:\n"
        "      - {name: big, instance_type: p5.48xlarge, nodes: 2}\n"
        "      - {name: small, instance_type: p4d.24xlarge, nodes: 2}"
    )
    assert {(job.feature, job.instance_type) for job in jobs_for(spec)} == {
        ("big", "p5.48xlarge"), ("small", "p4d.24xlarge")
    }  # fmt: skip
    assert len({job.id for job in jobs_for(spec)}) == len(jobs_for(spec))


def test_names_that_run_together_give_different_ids():
    spec = with_queues(
        "  - name: a\n    compute_resources:\n"
        "      - {name: b-c, instance_type: p5.48xlarge, nodes: 2}\n"
        "      - {name: d, instance_type: p5.48xlarge, nodes: 2}\n"
        "  - name: a-b\n    compute_resources:\n"
        "      - {name: c, instance_type: p5.48xlarge, nodes: 2}\n"
        "      - {name: d, instance_type: p5.48xlarge, nodes: 2}"
    )
    ids = [job.id for job in jobs_for(spec)]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize(
    ("instance_type", "nodes", "reason"),
    [
        ("trn1.32xlarge", "2", "nccom-test"),
        ("c5n.18xlarge", "2", "has no GPU"),
        ("g5.xlarge", "1", "no other to talk to"),
        ("p9.48xlarge", "2", "nothing is known of the GPUs of p9.48xlarge"),
    ],
)
def test_nodes_that_cannot_be_measured_are_left_out_with_the_reason(instance_type, nodes, reason):
    spec = with_queue(instance_type, nodes)
    assert jobs_for(spec) == ()
    (said,) = queues_without_test(spec)
    assert said.startswith("queue gpu: ")
    assert reason in said


def test_nodes_of_one_gpu_are_measured_together_only():
    assert {job.nodes for job in jobs_for(with_queue("g5.xlarge", "4"))} == {2, 4}


def test_a_container_is_the_specs_own_with_nccl_tests_or_that_of_aws():
    more = "software: {setup: gpu, containers: true, container_images: [IMAGES]}\n"
    own = with_queue(more=more.replace("IMAGES", "nvcr.io#nvidia/pytorch:25.10-py3, example.com#team/nccl-tests:1.0"))
    assert container_image(own) == "example.com#team/nccl-tests:1.0"
    assert container_image(with_queue()).startswith("public.ecr.aws#hpc-cloud/nccl-tests:cuda")


def test_jobs_in_containers_are_the_same_tests_under_other_ids():
    bare, contained = jobs_for(with_queue()), jobs_for(with_queue(), container=True)
    assert [job.arguments for job in bare] == [job.arguments for job in contained]
    assert {job.id for job in bare}.isdisjoint(job.id for job in contained)
    assert {job.control_of for job in contained} - {None} <= {job.id for job in contained}


@given(text=spec_texts())
def test_any_valid_spec_has_files_or_a_reason_why_not(text):
    spec = parse(text, "cluster.yaml").spec
    files = bench_files(spec)
    queues = {job.queue for job in jobs_for(spec)}
    assert bool(files) == bool(queues)
    assert queues | {reason.split()[1].rstrip(":") for reason in queues_without_test(spec)} == {
        queue.name for queue in spec.queues
    }
