import pytest

from tests.rules.documents.found import paths, problems
from trainyard.catalog.kubernetes_versions import versions_in_standard_support

RULE = "eksctl-kubernetes-version"


def of_version(version: str) -> str:
    return f"metadata: {{name: c, region: us-east-2, version: {version}}}"


@pytest.mark.parametrize("version", ["1.27", "1.25", "1.14"])
def test_a_version_out_of_support_is_found_with_those_to_choose_from(version: str):
    (problem,) = problems(RULE, of_version(f'"{version}"'))
    assert problem.path == ("metadata", "version")
    assert f"no clusters of Kubernetes {version}" in problem.message
    assert versions_in_standard_support()[-1] in (problem.remedy or "")


def test_extended_support_is_remarked_with_its_price():
    (problem,) = problems(RULE, of_version('"1.32"'))
    assert problem.severity == "info"
    assert "until 2027-03-23: the cluster costs 0.50 USD an hour more" in problem.message


def test_a_version_without_quotes_is_found():
    (problem,) = problems(RULE, of_version("1.30"))
    assert problem.message == "version 1.3 has no quotes, so YAML reads a number: 1.30 is 1.3"


@pytest.mark.parametrize("version", [*(f'"{one}"' for one in versions_in_standard_support()), '"1.99"', "PLACEHOLDER"])
def test_supported_versions_and_those_that_nobody_knows_are_fine(version: str):
    assert paths(RULE, of_version(version)) == []


def test_no_version_is_eksctl_s_own_choice():
    assert paths(RULE, "metadata: {name: c, region: us-east-2}") == []
