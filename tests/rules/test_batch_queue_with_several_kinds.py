import pytest

from tests.rules.found import paths, problems

RULE = "batch-queue-with-several-kinds"
TWO = "compute_resources: [{instance_type: p4d.24xlarge}, {instance_type: p5.48xlarge}]"


def test_several_compute_resources_are_found_with_their_types():
    (problem,) = problems(RULE, f"platform: batch\nqueues: [{{name: q, {TWO}}}]")
    assert problem.path == ("queues", 0, "compute_resources")
    assert "p4d.24xlarge, p5.48xlarge" in problem.message


def test_several_instance_types_are_found():
    part = "platform: batch\nqueues: [{name: q, instance_types: [g5.12xlarge, g6.12xlarge]}]"
    assert paths(RULE, part) == ["queues[0].instance_types"]


def test_one_compute_resource_is_fine():
    assert paths(RULE, "platform: batch\nqueues: [{name: q, compute_resources: [{instance_type: p5.48xlarge}]}]") == []


@pytest.mark.parametrize("platform", ["parallelcluster", "eks"])
def test_other_platforms_may_have_them(platform: str):
    assert paths(RULE, f"platform: {platform}\nqueues: [{{name: q, {TWO}}}]") == []
