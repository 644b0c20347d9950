import pytest

from tests.rules.found import paths, problems

RULE = "nodes-that-nothing-starts"


def on_eks(keys: str, more: str = "") -> str:
    return f"platform: eks\nqueues: [{{name: q, instance_type: p5.48xlarge, {keys}}}]\n{more}"


def test_a_queue_that_begins_without_nodes_is_remarked_with_what_to_write():
    (problem,) = problems(RULE, on_eks("nodes: {min: 0, max: 4}"))
    assert problem.path == ("queues", 0, "nodes")
    assert "nodes: {min: 0, max: 4, desired: 4}" in (problem.remedy or "")


@pytest.mark.parametrize(
    ("keys", "more"),
    [
        ("nodes: 4", ""),
        ("nodes: {min: 1, max: 4}", ""),
        ("nodes: {min: 0, max: 4, desired: 1}", ""),
        ("nodes: {min: 0, max: 4}, capacity: {capacity_block: cr-0123456789abcdef0}", ""),
        ("nodes: {min: 0, max: 4}", "eks: {node_policies: [autoScaler]}"),
    ],
)
def test_nodes_at_first_a_block_to_come_and_an_autoscaler_are_fine(keys: str, more: str):
    assert paths(RULE, on_eks(keys, more)) == []


def test_slurm_and_batch_start_nodes_by_themselves():
    assert paths(RULE, "queues: [{name: q, instance_type: p5.48xlarge, nodes: {min: 0, max: 4}}]") == []
