import pytest

from tests.rules.found import paths

RULE = "gpu-health-check-without-gpu"
QUEUE = "queues: [{{name: q, {type}, gpu_health_check: {wanted}}}]"


@pytest.mark.parametrize("type_", ["m5.8xlarge", "hpc7a.96xlarge", "trn1.32xlarge"])
def test_a_test_of_gpus_that_are_not_there_is_found(type_: str):
    part = QUEUE.format(type=f"instance_type: {type_}", wanted="true")
    assert paths(RULE, part) == ["queues[0].gpu_health_check"]


@pytest.mark.parametrize("type_", ["g5.xlarge", "p5.48xlarge", "p9.48xlarge"])
def test_types_with_gpus_and_unknown_ones_are_fine(type_: str):
    assert paths(RULE, QUEUE.format(type=f"instance_type: {type_}", wanted="true")) == []


@pytest.mark.parametrize("wanted", ["false", "null"])
def test_a_test_that_is_off_needs_no_gpus(wanted: str):
    assert paths(RULE, QUEUE.format(type="instance_type: m5.8xlarge", wanted=wanted)) == []


def test_one_of_several_types_with_gpus_is_enough():
    assert paths(RULE, QUEUE.format(type="instance_types: [m5.8xlarge, g5.8xlarge]", wanted="true")) == []


def test_compute_resources_are_looked_at_one_by_one():
    part = "queues: [{name: q, compute_resources: [{instance_type: g5.xlarge, gpu_health_check: true}, {instance_type: m5.large, gpu_health_check: true}]}]"  # noqa: E501
    assert paths(RULE, part) == ["queues[0].compute_resources[1].gpu_health_check"]
