"""Users of an organisation, from its Active Directory or LDAP server."""

from __future__ import annotations

from typing import Annotated, Literal

from trainyard.field import NotEmpty, Text
from trainyard.record import Record
from trainyard.spec.text import SecretArn

DirectoryAddress = Annotated[
    str, Text(r"^ldaps?://[A-Za-z0-9.-]+(:[0-9]+)?$", "the address of a server such as ldaps://dc.example.com")
]
Domain = Annotated[
    str,
    Text(
        r"^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$|^(DC|dc)=[A-Za-z0-9_-]+(,(DC|dc)=[A-Za-z0-9_-]+)*$",
        "a domain such as corp.example.com, or its LDAP name dc=corp,dc=example,dc=com",
    ),
]
DistinguishedName = Annotated[
    str, Text(r"^[^=\s][^=]*=[^=]+(,.+)?$", "a distinguished name such as cn=ReadOnly,ou=Users,dc=example,dc=com")
]


class DirectoryService(Record):
    """A directory that every node asks who its users are.

    https://docs.aws.amazon.com/parallelcluster/latest/ug/DirectoryService-v3.html
    """

    domain: Domain
    """The domain."""
    addresses: Annotated[tuple[DirectoryAddress, ...], NotEmpty("at least one address")]
    """Its servers, the first that answers being used. ldaps:// encrypts."""
    read_only_user: DistinguishedName
    """The user that asks."""
    password_secret: SecretArn
    """Secret that holds the user's password, by ARN."""
    ca_certificate: str | None = None
    """File on the nodes with the certificates that the server's is signed by. It has to be in the image."""
    require_certificate: Literal["never", "allow", "try", "demand", "hard"] = "hard"
    """What happens when the server's certificate is wrong. Only demand and hard protect passwords."""
    access_filter: str | None = None
    """LDAP filter of who may log in. By default everybody in the directory."""
    generate_ssh_keys: bool = True
    """Make a key pair for every user at first log-in, for SSH between nodes."""
    sssd: dict[str, str] = {}
    """Further settings of SSSD, which does the asking."""
