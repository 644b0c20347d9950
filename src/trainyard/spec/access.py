"""Who may reach the cluster, and how: users of an organisation's directory, remote desktops, addresses."""

from __future__ import annotations

from typing import Annotated, Literal

from trainyard.field import NotEmpty, Text, Whole
from trainyard.record import Record
from trainyard.spec.text import Cidr, KeyPairName, SecretArn

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
Port = Annotated[int, Whole("a port from 1 to 65,535", least=1, most=65_535)]


class Access(Record):
    """Access for people. Without anything here, only SSM Session Manager opens a shell."""

    ssh_key: KeyPairName | None = None
    """EC2 key pair of the default user. SSM Session Manager needs none."""
    allow_from: tuple[Cidr, ...] = ()
    """Address ranges that may open SSH to login nodes, to a head node in a public subnet, and to Grafana."""
    directory_service: DirectoryService | None = None
    """Users from an Active Directory or LDAP server. By default there is only the default user."""


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


class Dcv(Record):
    """Amazon DCV: a desktop in the browser, for who looks at pictures instead of logs."""

    port: Port = 8443
    """Port of the DCV server."""
    allow_from: Cidr | None = None
    """The one address range that may reach it. By default private addresses only."""
