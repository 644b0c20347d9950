import pytest

from tests.rules.found import paths

RULE = "kubernetes-api-open-to-world"


@pytest.mark.parametrize(
    ("eks", "path"),
    [("", "platform"), ("eks: {endpoint: both}", "eks.endpoint"), ("eks: {endpoint: public}", "eks.endpoint")],
)
def test_a_public_endpoint_without_ranges_is_remarked(eks: str, path: str):
    assert paths(RULE, f"platform: eks\n{eks}") == [path]


@pytest.mark.parametrize("part", ["access: {allow_from: [203.0.113.7/32]}", "eks: {endpoint: private}"])
def test_ranges_and_a_private_endpoint_are_fine(part: str):
    assert paths(RULE, f"platform: eks\n{part}") == []


def test_other_platforms_have_no_such_endpoint():
    assert paths(RULE, "access: {}") == []
