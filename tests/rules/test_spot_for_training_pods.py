import pytest

from tests.rules.found import paths

RULE = "spot-for-training-pods"


def on_eks(keys: str) -> str:
    return f"platform: eks\nqueues: [{{name: q, {keys}}}]"


def test_several_spot_nodes_with_efa_are_found():
    assert paths(RULE, on_eks("instance_type: g5.48xlarge, nodes: 2, capacity: spot")) == ["queues[0].capacity"]


@pytest.mark.parametrize(
    "keys",
    [
        "instance_type: g5.48xlarge, nodes: 2",
        "instance_type: g5.48xlarge, nodes: 1, capacity: spot",
        "instance_type: g5.xlarge, nodes: 2, capacity: spot",
        "instance_type: g5.48xlarge, nodes: 2, capacity: spot, efa: false",
    ],
)
def test_on_demand_and_nodes_that_work_alone_are_fine(keys: str):
    assert paths(RULE, on_eks(keys)) == []
