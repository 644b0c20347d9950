import pytest

from tests.rules.documents.found import managed, problems

RULE = "eksctl-efa-not-enabled"


@pytest.mark.parametrize("size", ["desiredCapacity: 2", "minSize: 0, maxSize: 4", "name: other"])
def test_several_large_nodes_without_efa_are_found_with_the_speed_they_lose(size: str):
    (problem,) = problems(RULE, f"nodeGroups: [{{instanceType: p4d.24xlarge, {size}}}]")
    assert problem.path == ("nodeGroups", 0)
    assert "400 Gbit/s" in problem.message


@pytest.mark.parametrize(
    "keys",
    [
        "instanceType: p4d.24xlarge, efaEnabled: true",
        "instanceType: p4d.24xlarge, desiredCapacity: 1, maxSize: 1",
        "instanceType: g5.8xlarge, desiredCapacity: 2",
        "instanceType: c5.2xlarge, desiredCapacity: 2",
    ],
)
def test_efa_single_nodes_and_small_types_are_fine(keys: str):
    assert problems(RULE, managed(keys)) == []
