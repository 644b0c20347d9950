import pytest

from tests.rules.found import paths, problems

RULE = "instance-type-not-for-batch"


def on_batch(instance_type: str, more: str = "") -> str:
    return f"platform: batch\nqueues: [{{name: q, instance_type: {instance_type}{more}}}]"


@pytest.mark.parametrize(
    ("instance_type", "words"),
    [
        ("p3dn.24xlarge", "no image with NVIDIA's driver"),
        ("p6e-gb200.36xlarge", "no image with NVIDIA's driver"),
        ("x9.metal", "unknown"),
        ("hpc6id.32xlarge", "holds one interface"),
    ],
)
def test_a_type_without_multi_node_jobs_is_found_with_the_reason(instance_type: str, words: str):
    (problem,) = problems(RULE, on_batch(instance_type))
    assert problem.path == ("queues", 0, "instance_type")
    assert instance_type in problem.message
    assert words in problem.message


def test_an_image_of_one_s_own_stands_in_for_one_that_ecs_has_not():
    assert paths(RULE, on_batch("p3dn.24xlarge", ", ami: ami-0123456789abcdef0")) == []
    assert paths(RULE, f"{on_batch('p3dn.24xlarge')}\nimage: {{ami: ami-0123456789abcdef0}}") == []


@pytest.mark.parametrize(
    "instance_type", ["p4d.24xlarge", "p5.48xlarge", "p6-b300.48xlarge", "trn1.32xlarge", "hpc7g.16xlarge"]
)
def test_types_of_training_are_fine(instance_type: str):
    assert paths(RULE, on_batch(instance_type)) == []


def test_other_platforms_have_images_of_their_own():
    assert paths(RULE, "queues: [{name: q, instance_type: p3dn.24xlarge}]") == []
