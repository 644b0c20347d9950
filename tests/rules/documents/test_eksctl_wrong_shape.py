import pytest

from tests.rules.documents.found import managed, paths, problems

RULE = "eksctl-wrong-shape"


def test_lines_without_dashes_are_found():
    (problem,) = problems(RULE, "availabilityZones:\n  us-east-1a\n  us-east-1b")
    assert problem.path == ("availabilityZones",)
    assert problem.message == "availabilityZones is a single value, and eksctl reads a list there"
    assert problem.remedy == "begin each line of it with a dash"


@pytest.mark.parametrize(
    ("part", "path"),
    [
        ("managedNodeGroups: {name: ng}", "managedNodeGroups"),
        ("metadata: [name]", "metadata"),
        (managed("instanceType: [p5.48xlarge]"), "managedNodeGroups[0].instanceType"),
        (managed("labels: [a]"), "managedNodeGroups[0].labels"),
    ],
)
def test_each_shape_in_the_place_of_another_is_found(part: str, path: str):
    assert paths(RULE, part) == [path]


@pytest.mark.parametrize("part", ["addons:", "nodeGroups: [{name: ng, taints: {a: b}}]", "unknown: [1]"])
def test_nothing_either_of_two_shapes_and_unknown_keys_are_fine(part: str):
    assert paths(RULE, part) == []
