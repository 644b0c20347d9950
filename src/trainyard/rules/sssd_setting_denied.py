"""A setting of SSSD that ParallelCluster keeps for itself."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.spec.access import DirectoryService
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield settings with a value other than the one that ParallelCluster gives them."""
    directory = spec.access.directory_service
    if directory is None:
        return
    for key in _reserved_settings(directory):
        value = directory.sssd.get(key, "ldap")
        if value != "ldap":
            path = ("access", "directory_service", "sssd", key)
            yield Problem(path, f"{key} is {value}, and ParallelCluster takes nothing but ldap")


def _reserved_settings(directory: DirectoryService) -> tuple[str, ...]:
    # AdditionalSssdConfigsValidator: https://github.com/aws/aws-parallelcluster/blob/develop/cli/src/pcluster/validators/directory_service_validators.py
    return ("id_provider",) if directory.access_filter is None else ("id_provider", "access_provider")


RULE = Rule(
    severity="error",
    title="SSSD setting that ParallelCluster sets itself",
    rationale=(
        "ParallelCluster asks the directory through LDAP, and an access filter works only there. It refuses settings "
        "of SSSD that say otherwise."
    ),
    remedy="remove the setting",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/DirectoryService-v3.html",
    bad="""\
access:
  directory_service:
    domain: corp.example.com
    addresses: [ldaps://dc.example.com]
    read_only_user: cn=ReadOnly,ou=Users,dc=example,dc=com
    password_secret: arn:aws:secretsmanager:us-east-2:123456789012:secret:directory-AbCdEf
    sssd: {id_provider: ad}
""",
    good="""\
access:
  directory_service:
    domain: corp.example.com
    addresses: [ldaps://dc.example.com]
    read_only_user: cn=ReadOnly,ou=Users,dc=example,dc=com
    password_secret: arn:aws:secretsmanager:us-east-2:123456789012:secret:directory-AbCdEf
    sssd: {enumerate: "true"}
""",
    check=check,
)
