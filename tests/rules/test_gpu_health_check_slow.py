import pytest

from tests.rules.found import paths, problems

RULE = "gpu-health-check-slow"
QUEUE = "queues: [{{name: q, instance_type: {type}, gpu_health_check: {wanted}}}]"


@pytest.mark.parametrize("type_", ["p4d.24xlarge", "p4de.24xlarge", "p5.48xlarge", "p5en.48xlarge"])
def test_gpus_that_are_joined_are_found(type_: str):
    assert paths(RULE, QUEUE.format(type=type_, wanted="true")) == ["queues[0].gpu_health_check"]


@pytest.mark.parametrize("type_", ["g4dn.12xlarge", "g6.48xlarge", "p5.4xlarge", "m5.8xlarge", "p9.48xlarge"])
def test_single_gpus_and_those_without_nvlink_are_tested_quickly(type_: str):
    assert paths(RULE, QUEUE.format(type=type_, wanted="true")) == []


def test_a_test_that_is_off_takes_no_time():
    assert paths(RULE, QUEUE.format(type="p5.48xlarge", wanted="false")) == []


def test_several_such_types_are_one_problem():
    part = "queues: [{name: q, instance_types: [p5.48xlarge, p5e.48xlarge], gpu_health_check: true}]"
    (problem,) = problems(RULE, part)
    assert problem.message == "the 8 GPUs of p5.48xlarge are tested before every job, which can hang it"
