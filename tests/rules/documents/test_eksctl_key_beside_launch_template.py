import pytest

from tests.rules.documents.found import managed, paths

RULE = "eksctl-key-beside-launch-template"
TEMPLATE = "launchTemplate: {id: lt-1}"


@pytest.mark.parametrize(
    ("keys", "found"),
    [
        ("instanceType: g5.xlarge", ["instanceType"]),
        ("ssh: {allow: true}", ["ssh.allow"]),
        ("volumeSize: 500, ami: ami-1", ["ami", "volumeSize"]),
    ],
)
def test_what_belongs_into_the_template_is_found(keys: str, found: list[str]):
    assert paths(RULE, managed(f"{TEMPLATE}, {keys}")) == [f"managedNodeGroups[0].{key}" for key in found]


@pytest.mark.parametrize(
    "keys",
    [
        f"{TEMPLATE}, minSize: 1, labels: {{a: b}}, instanceTypes: [g5.xlarge, g5.2xlarge]",
        f"{TEMPLATE}, ssh: {{allow: false}}, disablePodIMDS: false",
        "instanceType: g5.xlarge, ami: ami-1",
    ],
)
def test_what_concerns_the_group_and_groups_without_a_template_are_fine(keys: str):
    assert paths(RULE, managed(keys)) == []
