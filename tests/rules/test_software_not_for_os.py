from tests.rules.found import paths, problems

RULE = "software-not-for-os"


def test_a_setup_on_another_system_is_found():
    (problem,) = problems(RULE, "image: {os: rhel9}\nsoftware: {setup: gpu, containers: true}")
    assert problem.message == "trainyard installs setup gpu and containers on ubuntu2204, ubuntu2404, alinux2023 only"


def test_a_setup_of_one_queue_is_enough():
    part = "image: {os: rocky9}\nqueues: [{name: a, instance_type: m5.xlarge, setup: cpu}]"
    assert paths(RULE, part) == ["image.os"]


def test_the_head_node_has_the_setup_of_all():
    part = "image: {os: rocky9}\nsoftware: {setup: cpu}\nqueues: [{name: a, instance_type: m5.xlarge, setup: none}]"
    assert paths(RULE, part) == ["image.os"]


def test_exporters_run_on_any_system():
    assert paths(RULE, "image: {os: rocky9}\nmonitoring: {mode: amp-only}") == []


def test_the_three_systems_have_steps():
    for os in ("ubuntu2204", "ubuntu2404", "alinux2023"):
        assert paths(RULE, f"image: {{os: {os}}}\nsoftware: {{setup: gpu}}") == []
