import pytest

from tests.rules.found import paths, problems

RULE = "schedulable-memory-too-large"


@pytest.mark.parametrize(("memory_mib", "found"), [(16_384, False), (16_385, True), (1_000, False)])
def test_jobs_get_no_more_memory_than_the_type_has(memory_mib: int, found: bool):  # noqa: FBT001
    part = f"queues: [{{name: q, instance_type: g5.xlarge, schedulable_memory_mib: {memory_mib}}}]"
    assert paths(RULE, part) == (["queues[0].schedulable_memory_mib"] if found else [])


def test_the_type_with_the_least_memory_is_named_where_there_are_several():
    part = "queues: [{name: q, instance_types: [g5.2xlarge, g5.xlarge], schedulable_memory_mib: 20000}]"
    (problem,) = problems(RULE, part)
    assert problem.message == "g5.xlarge has 16,384 MiB, fewer than 20,000 MiB for jobs"


def test_the_long_form_names_its_compute_resource():
    part = "queues: [{name: q, compute_resources: [{instance_type: g5.xlarge, schedulable_memory_mib: 20000}]}]"
    assert paths(RULE, part) == ["queues[0].compute_resources[0].schedulable_memory_mib"]


def test_nothing_is_said_of_types_that_are_not_known():
    assert paths(RULE, "queues: [{name: q, instance_type: p9.huge, schedulable_memory_mib: 99999999}]") == []
