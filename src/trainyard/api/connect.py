"""Getting to the nodes of a cluster: shells, tunnels, and what ssh has to know."""

from __future__ import annotations

from trainyard.edge.foreground import become
from trainyard.edge.local_port import require_free_port
from trainyard.operate.connect.forwarding import Tunnel, find_tunnel
from trainyard.operate.connect.kubeconfig import write_kubeconfig
from trainyard.operate.connect.node_access import NodeRequest, shell_on, ssh_entry, ssh_stream, ssh_words
from trainyard.operate.connect.session import aws_command, open_session
from trainyard.operate.connect.ssh_command import SshConfigEntry
from trainyard.operate.connect.target import Target

__all__ = [
    "NodeRequest",
    "SshConfigEntry",
    "Target",
    "Tunnel",
    "aws_command",
    "become",
    "find_tunnel",
    "open_session",
    "require_free_port",
    "shell_on",
    "ssh_entry",
    "ssh_stream",
    "ssh_words",
    "write_kubeconfig",
]
