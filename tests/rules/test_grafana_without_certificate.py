import pytest

from tests.rules.found import paths, problems

RULE = "grafana-without-certificate"
ARN = "arn:aws:acm:us-east-2:123456789012:certificate/1a2b3c4d-5e6f-7a8b-9c0d-1e2f3a4b5c6d"


def test_a_self_hosted_grafana_needs_a_certificate():
    assert paths(RULE, "monitoring: {mode: self-hosting}") == ["monitoring.mode"]


def test_it_says_how_people_reach_it_then():
    (problem,) = problems(RULE, "monitoring: {mode: self-hosting}")
    assert "port forwarding alone" in problem.message


def test_with_a_certificate_it_is_fine():
    assert paths(RULE, f'monitoring: {{mode: self-hosting, certificate: "{ARN}"}}') == []


@pytest.mark.parametrize("mode", ["none", "amp-only", "amp+amg"])
def test_other_modes_need_none(mode: str):
    assert paths(RULE, f"monitoring: {{mode: {mode}}}") == []


@pytest.mark.parametrize("platform", ["eks", "batch"])
def test_platforms_without_such_a_grafana_hear_of_that_alone(platform: str):
    assert paths(RULE, f"platform: {platform}\nmonitoring: {{mode: self-hosting}}") == []


def test_an_environment_may_have_one():
    part = "kind: environment\nmonitoring: {mode: self-hosting}"
    assert paths(RULE, part) == ["monitoring.mode"]
