import pytest

from tests.rules.found import paths

RULE = "sssd-setting-denied"


def part(more: str) -> str:
    return f"""\
access:
  directory_service:
    domain: corp.example.com
    addresses: [ldaps://dc.example.com]
    read_only_user: cn=ReadOnly,ou=Users,dc=example,dc=com
    password_secret: arn:aws:secretsmanager:us-east-2:123456789012:secret:name-AbCdEf
    {more}
"""


def test_another_source_of_users_is_found():
    assert paths(RULE, part("sssd: {id_provider: ad, access_provider: ad}")) == [
        "access.directory_service.sssd.id_provider"
    ]


def test_with_a_filter_access_has_to_be_decided_by_ldap_too():
    assert paths(RULE, part("access_filter: (department=ml)\n    sssd: {access_provider: simple}")) == [
        "access.directory_service.sssd.access_provider"
    ]


@pytest.mark.parametrize("sssd", ["{}", "{id_provider: ldap, access_provider: ldap}", "{enumerate: 'true'}"])
def test_what_parallelcluster_says_itself_is_fine(sssd: str):
    assert paths(RULE, part(f"access_filter: (department=ml)\n    sssd: {sssd}")) == []


def test_without_a_directory_there_is_no_sssd():
    assert paths(RULE, "access: {}") == []
