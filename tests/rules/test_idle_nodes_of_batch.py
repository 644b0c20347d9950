import pytest

from tests.rules.found import paths, problems

RULE = "idle-nodes-of-batch"


def test_a_fixed_number_of_nodes_on_demand_is_remarked_with_what_to_write():
    (problem,) = problems(RULE, "platform: batch\nqueues: [{name: q, instance_type: g5.48xlarge, nodes: 2}]")
    assert problem.path == ("queues", 0, "nodes")
    assert problem.remedy == "write nodes: {min: 0, max: 2}"


@pytest.mark.parametrize(
    "nodes", ["nodes: {min: 0, max: 2}", "nodes: 2, capacity: {reservation: cr-0123456789abcdef0}"]
)
def test_what_starts_for_a_job_or_is_paid_for_anyway_is_fine(nodes: str):
    assert paths(RULE, f"platform: batch\nqueues: [{{name: q, instance_type: g5.48xlarge, {nodes}}}]") == []


def test_slurm_s_static_nodes_are_what_they_are():
    assert paths(RULE, "queues: [{name: q, instance_type: g5.48xlarge, nodes: 2}]") == []
