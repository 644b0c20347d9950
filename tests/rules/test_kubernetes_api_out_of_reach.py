import pytest

from tests.rules.found import paths, problems

RULE = "kubernetes-api-out-of-reach"
RANGES = "access: {allow_from: [203.0.113.7/32]}"


def test_ranges_shut_nodes_out_of_a_public_endpoint():
    (problem,) = problems(RULE, f"platform: eks\n{RANGES}\neks: {{endpoint: public}}")
    assert problem.path == ("eks", "endpoint")
    assert "203.0.113.7/32 may" in problem.message
    assert problem.severity is None


def test_a_private_endpoint_is_a_warning_to_who_deploys():
    (problem,) = problems(RULE, "platform: eks\neks: {endpoint: private}")
    assert problem.severity == "warning"


@pytest.mark.parametrize(
    "part",
    [
        f"{RANGES}\neks: {{endpoint: both}}",
        "eks: {endpoint: public}",
        "access: {allow_from: [0.0.0.0/0]}\neks: {endpoint: public}",
    ],
)
def test_endpoints_that_both_reach_are_fine(part: str):
    assert paths(RULE, f"platform: eks\n{part}") == []
