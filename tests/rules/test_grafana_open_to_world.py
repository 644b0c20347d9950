import pytest

from tests.rules.found import paths, problems

RULE = "grafana-open-to-world"
ARN = "arn:aws:acm:us-east-2:123456789012:certificate/1a2b3c4d-5e6f-7a8b-9c0d-1e2f3a4b5c6d"


def part(mode: str, *cidrs: str) -> str:
    certificate = f", certificate: '{ARN}'" if mode == "self-hosting" else ""
    return f"access: {{allow_from: [{', '.join(cidrs)}]}}\nmonitoring: {{mode: {mode}{certificate}}}"


@pytest.mark.parametrize("cidr", ["0.0.0.0/0", "128.0.0.0/1", "4.0.0.0/6"])
def test_a_wide_range_is_found(cidr: str):
    assert paths(RULE, part("self-hosting", "203.0.113.7/32", cidr)) == ["access.allow_from[1]"]


def test_the_message_speaks_of_grafana_and_leaves_ssh_to_its_own_rule():
    (problem,) = problems(RULE, part("self-hosting", "0.0.0.0/0"))
    assert problem.message == "0.0.0.0/0 lets much of the internet see Grafana's log-in"


def test_without_a_certificate_no_port_leads_to_grafana():
    assert paths(RULE, "access: {allow_from: [0.0.0.0/0]}\nmonitoring: {mode: self-hosting}") == []


@pytest.mark.parametrize("mode", ["none", "amp-only", "amp+amg"])
def test_no_other_mode_has_a_grafana_of_its_own(mode: str):
    assert paths(RULE, part(mode, "0.0.0.0/0")) == []


def test_the_network_of_an_organisation_is_fine():
    assert paths(RULE, part("self-hosting", "10.0.0.0/8")) == []
