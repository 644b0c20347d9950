from tests.rules.found import paths

RULE = "software-without-effect"
LUSTRE = "file_systems: [{mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 250}}]"


def test_a_version_of_what_no_node_installs_is_found():
    assert paths(RULE, "software: {efa_version: 1.43.2}") == ["software.efa_version"]


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
