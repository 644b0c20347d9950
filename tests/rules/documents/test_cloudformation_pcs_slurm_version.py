import pytest

from tests.rules.documents.found import problems, template

RULE = "cloudformation-pcs-slurm-version"


def judged(version: str) -> list[str | None]:
    cluster = template(f"PCS::Cluster {{Scheduler: {{Type: SLURM, Version: {version}}}}}")
    return [problem.severity for problem in problems(RULE, cluster)]


@pytest.mark.parametrize(("version", "severity"), [("'23.02'", None), ("24.1", None), ("'99.05'", "warning")])
def test_versions_that_pcs_does_not_have_are_found(version: str, severity: str | None):
    assert judged(version) == [severity]


@pytest.mark.parametrize("version", ["'25.11'", "25.05", "!Ref Unknown", "latest", "[]"])
def test_versions_of_pcs_and_unknown_ones_are_fine(version: str):
    assert judged(version) == []
