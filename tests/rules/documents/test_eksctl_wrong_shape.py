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


@pytest.mark.parametrize(("member", "found"), [("", "is empty"), ("3", "is a single value"), ("[a]", "is a list")])
def test_a_member_of_a_list_of_node_groups_that_is_none_is_found(member: str, found: str):
    part = f"managedNodeGroups:\n  - {{name: gpu, instanceType: g5.8xlarge}}\n  - {member}"
    (problem,) = problems(RULE, part)
    assert problem.path == ("managedNodeGroups", 1)
    assert f"managedNodeGroups[1] {found}" in problem.message


def test_members_of_a_list_of_texts_are_no_mappings():
    assert paths(RULE, "availabilityZones: [us-east-2a, us-east-2b]") == []
