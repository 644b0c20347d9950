import pytest

from tests.rules.found import paths, problems

RULE = "capacity-block-before-its-start"
BLOCK = "capacity: {capacity_block: cr-0123456789abcdef0}"


def on_eks(keys: str) -> str:
    return f"platform: eks\nqueues: [{{name: q, instance_type: p5.48xlarge, {keys}}}]"


@pytest.mark.parametrize("nodes", ["4", "{min: 0, max: 4, desired: 1}", "{min: 1, max: 4}"])
def test_nodes_that_start_with_the_cluster_are_remarked_with_what_to_write(nodes: str):
    (problem,) = problems(RULE, on_eks(f"nodes: {nodes}, {BLOCK}"))
    assert problem.path == ("queues", 0, "nodes")
    assert "nodes: {min: 0, max: 4}" in (problem.remedy or "")


def test_no_nodes_at_first_and_other_capacity_are_fine():
    assert paths(RULE, on_eks(f"nodes: {{min: 0, max: 4}}, {BLOCK}")) == []
    assert paths(RULE, on_eks("nodes: 4, capacity: {reservation: cr-0123456789abcdef0}")) == []
