"""Who may reach the cluster, and how."""

from __future__ import annotations

from trainyard.record import Record
from trainyard.spec.directory_service import DirectoryService
from trainyard.spec.text import Cidr, KeyPairName


class Access(Record):
    """Access for people. Without anything here, only SSM Session Manager opens a shell."""

    ssh_key: KeyPairName | None = None
    """EC2 key pair of the default user. SSM Session Manager needs none."""
    allow_from: tuple[Cidr, ...] = ()
    """Address ranges that may open SSH to login nodes, to a head node in a public subnet, and to Grafana."""
    directory_service: DirectoryService | None = None
    """Users from an Active Directory or LDAP server. By default there is only the default user."""
