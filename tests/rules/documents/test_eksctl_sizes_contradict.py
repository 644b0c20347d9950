import pytest

from tests.rules.documents.found import managed, paths

RULE = "eksctl-sizes-contradict"


@pytest.mark.parametrize(
    ("sizes", "key"),
    [
        ("minSize: 3, desiredCapacity: 2", "desiredCapacity"),
        ("minSize: 3, maxSize: 2", "maxSize"),
        ("desiredCapacity: 3, maxSize: 2", "maxSize"),
    ],
)
def test_a_smaller_size_above_a_greater_one_is_found(sizes: str, key: str):
    assert paths(RULE, managed(sizes)) == [f"managedNodeGroups[0].{key}"]


@pytest.mark.parametrize(
    "sizes", ["minSize: 0, desiredCapacity: 2, maxSize: 10", "maxSize: 2", "minSize: '3', maxSize: 2"]
)
def test_sizes_in_order_and_those_that_are_no_numbers_are_fine(sizes: str):
    assert paths(RULE, managed(sizes)) == []
