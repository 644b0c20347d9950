import pytest

from tests.rules.found import paths, problems
from trainyard.catalog.kubernetes_versions import versions_in_standard_support

RULE = "kubernetes-version-not-supported"


def of_version(version: str) -> str:
    return f'platform: eks\neks: {{kubernetes_version: "{version}"}}'


@pytest.mark.parametrize("version", ["1.27", "1.14"])
def test_a_version_out_of_support_is_found_with_those_to_choose_from(version: str):
    (problem,) = problems(RULE, of_version(version))
    assert problem.path == ("eks", "kubernetes_version")
    assert problem.severity is None
    assert versions_in_standard_support()[-1] in (problem.remedy or "")


def test_extended_support_is_a_warning_with_its_price():
    (problem,) = problems(RULE, of_version("1.32"))
    assert problem.severity == "warning"
    assert problem.message.endswith("the control plane costs 0.60 USD an hour in place of 0.10")


def test_a_version_that_nobody_knows_is_a_warning_with_the_day_of_the_data():
    (problem,) = problems(RULE, of_version("1.99"))
    assert problem.severity == "warning"
    assert "as of 2026-" in problem.message


@pytest.mark.parametrize("version", versions_in_standard_support())
def test_versions_in_standard_support_are_fine(version: str):
    assert paths(RULE, of_version(version)) == []


def test_the_default_is_one_of_them():
    assert paths(RULE, "platform: eks") == []


def test_other_platforms_have_no_kubernetes():
    assert paths(RULE, 'eks: {kubernetes_version: "1.27"}') == []
