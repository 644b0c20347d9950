import pytest

from tests.rules.documents.found import paths, problems

RULE = "eksctl-key-missing"


@pytest.mark.parametrize(
    ("part", "path", "words"),
    [
        ("metadata: {name: a}", "metadata", "metadata has no region"),
        ("metadata: {name: '', region: us-east-2}", "metadata", "metadata has no name"),
        ("apiVersion: eksctl.io/v1alpha9", "apiVersion", "apiVersion is eksctl.io/v1alpha9"),
        ("managedNodeGroups: [{instanceType: m5.large}]", "managedNodeGroups[0]", "managedNodeGroups[0] has no name"),
        ("nodeGroups: [{name: a}, {name: }]", "nodeGroups[1]", "nodeGroups[1] has no name"),
    ],
)
def test_what_is_missing_is_told_where_it_would_stand(part: str, path: str, words: str):
    (problem,) = problems(RULE, part)
    assert paths(RULE, part) == [path]
    assert words in problem.message


def test_empty_metadata_lacks_both():
    assert paths(RULE, "metadata:") == ["metadata", "metadata"]


def test_a_file_with_all_of_it_is_fine():
    assert paths(RULE, "managedNodeGroups: [{name: a, instanceType: m5.large}]") == []
