import pytest

from tests.rules.found import paths, problems

RULE = "software-without-effect"
LUSTRE = "file_systems: [{mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 250}}]"


def test_a_version_of_what_no_node_installs_is_found():
    assert paths(RULE, "software: {efa_version: 1.43.2}") == ["software.efa_version"]


def test_a_version_of_efa_where_no_nodes_have_it_is_found():
    queue = "queues: [{{name: q, instance_type: {}, setup: {}}}, {{name: r, instance_type: m5.large, setup: cpu}}]\n"
    software = "software: {efa_version: 1.51.0}"
    (problem,) = problems(RULE, queue.format("m5.large", "cpu") + software)
    assert problem.message == "EFA installer 1.51.0, and no nodes with a setup get EFA"
    assert problem.remedy == "write efa: true for a queue with a setup, or remove the key"
    assert paths(RULE, queue.format("p5.48xlarge", "none") + software) == ["software.efa_version"]
    assert paths(RULE, queue.format("p5.48xlarge", "gpu") + software) == []


def test_a_version_of_efa_counts_where_efa_is_asked_for_or_switched_off():
    queue = "queues: [{{name: q, instance_type: {}, setup: cpu, efa: {}}}]\nsoftware: {{efa_version: 1.51.0}}"
    assert paths(RULE, queue.format("x99.large", "true")) == []
    assert paths(RULE, queue.format("p5.48xlarge", "false")) == ["software.efa_version"]
    # What the remedy says, for a type without facts.
    assert paths(RULE, queue.format("c99.32xlarge", "true")) == []
    assert paths(RULE, queue.format("c99.32xlarge", "null")) == ["software.efa_version"]


def test_nccl_without_gpus_is_found():
    part = f"{LUSTRE}\nsoftware: {{setup: cpu, nccl: {{version: 2.28.7-1}}}}"
    assert paths(RULE, part) == ["software.nccl"]


def test_a_queue_s_own_setup_counts():
    queue = "queues: [{name: q, instance_type: p5.48xlarge, setup: gpu}]"
    assert paths(RULE, f"{LUSTRE}\n{queue}\nsoftware: {{nccl: {{version: 2.28.7-1}}, efa_version: 1.43.2}}") == []


def test_a_setup_that_no_queue_has_is_found():
    queue = "queues: [{name: q, instance_type: p5.48xlarge, setup: none}]"
    assert paths(RULE, f"{queue}\nsoftware: {{setup: gpu}}") == ["software.setup"]


def test_holding_back_nodes_that_install_nothing_is_found():
    assert paths(RULE, "software: {on_failure: hold}") == ["software.on_failure"]
    assert paths(RULE, "software: {on_failure: hold}\nmonitoring: {mode: amp-only}") == []


def test_metrics_of_nodes_that_nobody_keeps_are_found():
    assert paths(RULE, "monitoring: {all_host_metrics: true}") == ["monitoring.all_host_metrics"]
    assert paths(RULE, "monitoring: {all_host_metrics: true, mode: amp-only}") == []


def test_names_of_metrics_that_nothing_exports_are_found():
    assert paths(RULE, "monitoring: {slurm_names: rivosinc}") == ["monitoring.slurm_names"]
    assert paths(RULE, "monitoring: {slurm_names: rivosinc, mode: amp-only}") == []


@pytest.mark.parametrize(
    ("more", "found"),
    [
        ("monitoring: {nccl_ras: true}", ["monitoring.nccl_ras"]),
        ("monitoring: {nccl_ras: true, mode: amp-only}", ["monitoring.nccl_ras"]),
        ("software: {setup: gpu}\nmonitoring: {nccl_ras: true, mode: amp-only}", []),
    ],
)
def test_asking_nccl_where_nobody_can_answer_or_keep_it_is_found(more: str, found: list[str]):
    assert paths(RULE, more) == found


@pytest.mark.parametrize(("version", "found"), [("2.27.7-1", 1), ("2.28.3-1", 1), ("2.28.7-1", 0), ("2.30.4-1", 0)])
def test_a_version_of_nccl_without_json_is_found(version: str, found: int):
    more = f"software: {{setup: gpu, nccl: {{version: {version}}}}}\nmonitoring: {{nccl_ras: true, mode: amp-only}}"
    assert paths(RULE, more) == ["monitoring.nccl_ras"] * found


@pytest.mark.parametrize(
    ("nccl", "found"), [("", 1), (", nccl: {version: 2.29.3-1}", 1), (", nccl: {version: 2.29.7-1}", 0)]
)
def test_the_inspector_without_a_shared_nccl_that_has_it_is_found(nccl: str, found: int):
    more = f"software: {{setup: gpu{nccl}}}\nmonitoring: {{nccl_inspector: true, mode: amp-only}}"
    assert paths(RULE, more) == ["monitoring.nccl_inspector"] * found
