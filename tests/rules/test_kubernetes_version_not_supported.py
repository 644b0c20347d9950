import pytest

from tests.rules.found import paths, problems
from trainyard.catalog.kubernetes_versions import recommended_versions

RULE = "kubernetes-version-not-supported"


def of_version(version: str) -> str:
    return f'platform: eks\neks: {{kubernetes_version: "{version}"}}'


@pytest.mark.parametrize("version", ["1.27", "1.14"])
def test_a_version_out_of_support_is_found_with_those_to_choose_from(version: str):
    (problem,) = problems(RULE, of_version(version))
    assert problem.path == ("eks", "kubernetes_version")
    assert problem.severity is None
    assert recommended_versions()[-1] in (problem.remedy or "")


def test_extended_support_is_a_warning_with_its_price():
    (problem,) = problems(RULE, of_version("1.32"))
    assert problem.severity == "warning"
    assert problem.message.endswith("the control plane costs 0.60 USD an hour in place of 0.10")


def test_a_version_that_nobody_knows_is_a_warning_with_the_day_of_the_data():
    (problem,) = problems(RULE, of_version("1.99"))
    assert problem.severity == "warning"
    assert "as of 2026-" in problem.message


@pytest.mark.parametrize("version", recommended_versions())
def test_versions_with_half_a_year_of_standard_support_are_fine(version: str):
    assert paths(RULE, of_version(version)) == []


@pytest.mark.parametrize(("version", "end"), [("1.34", "2026-12-02, 10 days"), ("1.35", "2027-03-27, 125 days")])
def test_standard_support_that_ends_soon_is_an_info(version: str, end: str):
    (problem,) = problems(RULE, of_version(version))
    assert problem.severity == "info"
    assert problem.message == f"Kubernetes {version} leaves standard support on {end} after 2026-11-22"
    assert problem.remedy == "write 1.36"


def test_the_default_is_one_of_them():
    assert paths(RULE, "platform: eks") == []


def test_other_platforms_have_no_kubernetes():
    assert paths(RULE, 'eks: {kubernetes_version: "1.27"}') == []
