import pytest

from tests.rules.found import paths, problems

RULE = "directory-without-tls"
SECRET = "arn:aws:secretsmanager:us-east-2:123456789012:secret:name-AbCdEf"


def part(addresses: str, more: str = "sssd: {}") -> str:
    return f"""\
access:
  directory_service:
    domain: corp.example.com
    addresses: [{addresses}]
    read_only_user: cn=ReadOnly,ou=Users,dc=example,dc=com
    password_secret: {SECRET}
    {more}
"""


def test_an_address_without_tls_is_found_with_what_it_means():
    (problem,) = problems(RULE, part("ldap://dc.example.com"))
    assert problem.message == (
        "ldap://dc.example.com tells about users in clear text, and nobody can log in unless the server knows StartTLS"
    )


def test_every_address_is_looked_at():
    assert paths(RULE, part("ldaps://one.example.com, ldap://two.example.com:389")) == [
        "access.directory_service.addresses[1]"
    ]


@pytest.mark.parametrize("value", ["'true'", "'True'"])
def test_log_ins_without_tls_send_passwords_in_clear(value: str):
    sssd = f"sssd: {{ldap_auth_disable_tls_never_use_in_production: {value}}}"
    (problem,) = problems(RULE, part("ldap://dc.example.com", sssd))
    assert problem.message == "ldap://dc.example.com takes passwords in clear text"


def test_starttls_for_everything_is_as_good_as_ldaps():
    assert paths(RULE, part("ldap://dc.example.com", "sssd: {ldap_id_use_start_tls: 'true'}")) == []


@pytest.mark.parametrize("choice", ["never", "allow", "try"])
def test_a_certificate_that_may_be_wrong_is_found(choice: str):
    assert paths(RULE, part("ldaps://dc.example.com", f"require_certificate: {choice}")) == [
        "access.directory_service.require_certificate"
    ]


@pytest.mark.parametrize("choice", ["demand", "hard"])
def test_a_certificate_that_has_to_be_right_is_fine(choice: str):
    assert paths(RULE, part("ldaps://dc.example.com", f"require_certificate: {choice}")) == []


def test_without_a_directory_there_is_nothing_to_encrypt():
    assert paths(RULE, "access: {}") == []
