import pytest

from tests.rules.found import paths, problems

RULE = "memory-of-containers-exceeded"
QUEUES = "queues: [{name: a, instance_type: p5.48xlarge}, {name: b, instance_type: g5.12xlarge}]"


def test_shared_memory_is_held_against_the_smallest_node():
    (problem,) = problems(RULE, f"platform: batch\nbatch: {{shared_memory_gib: 200}}\n{QUEUES}")
    assert problem.path == ("batch", "shared_memory_gib")
    assert "200 GiB of shared memory on g5.12xlarge, which has 192 GiB" in problem.message


def test_huge_pages_that_leave_less_than_half_are_found():
    assert paths(RULE, f"platform: batch\nbatch: {{huge_pages: 50000}}\n{QUEUES}") == ["batch.huge_pages"]


@pytest.mark.parametrize("batch", ["{}", "{shared_memory_gib: 100, huge_pages: 5128}", "{huge_pages: 0}"])
def test_what_a_node_can_spare_is_fine(batch: str):
    assert paths(RULE, f"platform: batch\nbatch: {batch}\n{QUEUES}") == []


def test_of_an_unknown_type_nothing_is_said():
    part = "platform: batch\nbatch: {shared_memory_gib: 200}\nqueues: [{name: q, instance_type: x9.metal}]"
    assert paths(RULE, part) == []
