import pytest

from tests.rules.found import paths

RULE = "job-image-not-for-architecture"


def on_eks(instance_type: str, more: str = "") -> str:
    return f"platform: eks\nqueues: [{{name: q, instance_type: {instance_type}}}]\n{more}"


def test_arm_processors_with_accelerators_are_found_beside_the_default_image():
    assert paths(RULE, on_eks("p6e-gb200.36xlarge")) == ["queues[0].instance_type"]


def test_an_image_of_one_s_own_is_fine():
    assert paths(RULE, on_eks("p6e-gb200.36xlarge", "eks: {pytorch_image: 'registry.example.com/pytorch:arm64'}")) == []


@pytest.mark.parametrize("instance_type", ["p5.48xlarge", "hpc7g.16xlarge", "x9.metal"])
def test_x86_and_nodes_without_an_example_job_are_fine(instance_type: str):
    assert paths(RULE, on_eks(instance_type)) == []
