import pytest

from tests.rules.documents.found import managed, paths, problems

RULE = "eksctl-amazon-linux-2"
FAMILY = managed("amiFamily: AmazonLinux2")


@pytest.mark.parametrize(
    ("version", "severity"),
    [('"1.33"', "error"), ('"1.35"', "error"), ('"1.32"', None), ("", None), ("latest", None), ('""', None)],
)
def test_amazon_linux_2_is_an_error_where_the_version_never_had_it(version: str, severity: str | None):
    (problem,) = problems(RULE, f"metadata: {{name: c, region: us-east-2, version: {version}}}\n{FAMILY}")
    assert problem.path == ("managedNodeGroups", 0, "amiFamily")
    assert problem.severity == severity


@pytest.mark.parametrize("keys", ["amiFamily: AmazonLinux2023", "amiFamily: Bottlerocket", "minSize: 1"])
def test_other_families_and_the_default_are_fine(keys: str):
    assert paths(RULE, managed(keys)) == []
