import pytest

from tests.rules.documents.found import environment, paths, template

RULE = "cloudformation-ssh-open-to-world"


def group(rule: str) -> str:
    return template(f"EC2::SecurityGroup {{SecurityGroupIngress: [{rule}]}}", environment("{}"))


@pytest.mark.parametrize(
    ("rule", "key"),
    [
        ("{IpProtocol: tcp, FromPort: 22, ToPort: 22, CidrIp: 0.0.0.0/0}", "CidrIp"),
        ("{IpProtocol: tcp, FromPort: 0, ToPort: 65535, CidrIpv6: '::/0'}", "CidrIpv6"),
        ("{IpProtocol: -1, CidrIp: 0.0.0.0/0}", "CidrIp"),
    ],
)
def test_every_rule_that_reaches_port_22_is_found(rule: str, key: str):
    assert paths(RULE, group(rule)) == [f"Resources.A.Properties.SecurityGroupIngress[0].{key}"]


def test_a_rule_that_is_a_resource_is_read_too_and_a_default_counts():
    rule = "EC2::SecurityGroupIngress {IpProtocol: tcp, FromPort: 22, ToPort: 22, CidrIp: !Ref From}"
    more = "Parameters: {From: {Type: String, Default: 0.0.0.0/0}}"
    assert paths(RULE, template(rule, more=more)) == ["Resources.A.Properties.CidrIp"]


@pytest.mark.parametrize(
    "rule",
    [
        "{IpProtocol: tcp, FromPort: 22, ToPort: 22, CidrIp: 203.0.113.7/32}",
        "{IpProtocol: tcp, FromPort: 443, ToPort: 443, CidrIp: 0.0.0.0/0}",
        "{IpProtocol: -1, SourceSecurityGroupId: sg-1}",
    ],
)
def test_other_addresses_and_other_ports_are_fine(rule: str):
    assert paths(RULE, group(rule)) == []
