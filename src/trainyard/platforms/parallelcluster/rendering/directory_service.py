"""DirectoryService: https://docs.aws.amazon.com/parallelcluster/latest/ug/DirectoryService-v3.html."""

from __future__ import annotations

from typing import Any

from trainyard.spec.cluster import Spec


def directory_service(spec: Spec) -> dict[str, Any]:
    """Return the directory that users come from, or nothing."""
    directory = spec.access.directory_service
    if directory is None:
        return {}
    settings = {
        "DomainName": directory.domain,
        "DomainAddr": ",".join(directory.addresses),
        "PasswordSecretArn": directory.password_secret,
        "DomainReadOnlyUser": directory.read_only_user,
        "LdapTlsCaCert": directory.ca_certificate,
        "LdapTlsReqCert": directory.require_certificate,
        "LdapAccessFilter": directory.access_filter,
        "GenerateSshKeysForUsers": directory.generate_ssh_keys,
        "AdditionalSssdConfigs": directory.sssd or None,
    }
    return {key: value for key, value in settings.items() if value is not None}
