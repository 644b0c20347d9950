"""A directory that nodes talk to without encryption, or without knowing that it is the right one."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.spec.access import DirectoryService
from trainyard.spec.cluster import Spec

# https://docs.aws.amazon.com/parallelcluster/latest/ug/DirectoryService-v3.html
_IN_CLEAR = "ldap_auth_disable_tls_never_use_in_production"
# https://man.archlinux.org/man/sssd-ldap.5
_START_TLS = "ldap_id_use_start_tls"


def check(spec: Spec) -> Iterator[Problem]:
    """Yield addresses without TLS, and certificates that need not be right."""
    directory = spec.access.directory_service
    if directory is None:
        return
    path = ("access", "directory_service")
    for index, address in enumerate(directory.addresses):
        if address.startswith("ldap://") and not _is_true(directory, _START_TLS):
            yield Problem((*path, "addresses", index), _message(directory, address))
    if directory.require_certificate not in ("demand", "hard"):
        problem = f"with {directory.require_certificate}, nodes send passwords to whoever answers for the directory"
        yield Problem((*path, "require_certificate"), problem, "remove the key: hard is the default")


def _message(directory: DirectoryService, address: str) -> str:
    if _is_true(directory, _IN_CLEAR):
        return f"{address} takes passwords in clear text"
    return f"{address} tells about users in clear text, and nobody can log in unless the server knows StartTLS"


def _is_true(directory: DirectoryService, setting: str) -> bool:
    return directory.sssd.get(setting, "false").lower() == "true"


RULE = Rule(
    severity="warning",
    title="Directory without TLS",
    rationale=(
        "Every log-in sends a password to the directory. Without TLS, or with a certificate that nobody looks at, "
        "whoever is on the way reads it or answers in the directory's place."
    ),
    remedy="use ldaps:// and name the authority that signed its certificate in ca_certificate",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/DirectoryService-v3.html",
    bad="""\
access:
  directory_service:
    domain: corp.example.com
    addresses: [ldap://dc.example.com]
    read_only_user: cn=ReadOnly,ou=Users,dc=example,dc=com
    password_secret: arn:aws:secretsmanager:us-east-2:123456789012:secret:directory-AbCdEf
""",
    good="""\
access:
  directory_service:
    domain: corp.example.com
    addresses: [ldaps://dc.example.com]
    read_only_user: cn=ReadOnly,ou=Users,dc=example,dc=com
    password_secret: arn:aws:secretsmanager:us-east-2:123456789012:secret:directory-AbCdEf
""",
    check=check,
)
