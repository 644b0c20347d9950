"""Getting to the nodes of a cluster: shells, tunnels, and what ssh has to know."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from trainyard.edge.foreground import become
from trainyard.edge.local_port import require_free_port
from trainyard.operate.connect.forwarding import Tunnel, tunnel_to, tunnel_wanted
from trainyard.operate.connect.node_user import user_of
from trainyard.operate.connect.proxy_command import proxy_command
from trainyard.operate.connect.session import open_session, shell_request, ssh_request
from trainyard.operate.connect.ssh_command import SshConfigEntry, found_key, ssh_command, ssh_config_entry, ssh_key
from trainyard.operate.connect.target import HEAD, Target, require_running
from trainyard.operate.connect.target_search import find_target
from trainyard.platforms.eks.connection.forwarding import ClusterTunnel, cluster_tunnel, opened_into
from trainyard.platforms.eks.connection.kubeconfig import write_kubeconfig

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from trainyard.edge.aws.account import Account
    from trainyard.edge.aws.ssm_sessions import SessionRequest

__all__ = [
    "ClusterTunnel",
    "NodeRequest",
    "SshConfigEntry",
    "Target",
    "Tunnel",
    "aws_command",
    "become",
    "find_cluster_tunnel",
    "find_tunnel",
    "open_session",
    "opened_into",
    "require_free_port",
    "shell_on",
    "ssh_entry",
    "ssh_stream",
    "ssh_words",
    "write_kubeconfig",
]


class NodeRequest(NamedTuple):
    """Which node of which cluster is meant, and as whom."""

    cluster: str
    node: str | None = None
    """Its role, instance id, address, host name or Slurm's name; None for the head node."""
    user: str | None = None
    """None for the default user of its operating system."""


class Shell(NamedTuple):
    """A shell as it will be."""

    target: Target
    user: str
    request: SessionRequest


def shell_on(where: Account, meant: NodeRequest) -> Shell:
    """Return what is asked for a shell. Raises TrainyardError where the node does not run, InputError for bad names."""
    target = _running(where, meant)
    user = user_of(target.os, meant.user, target.instance)
    return Shell(target, user, shell_request(target.instance, user))


def ssh_stream(where: Account, meant: NodeRequest) -> SessionRequest:
    """Return what is asked for the stream that ssh runs over, as its ProxyCommand. Raises as ``shell_on`` does."""
    return ssh_request(_running(where, meant).instance)


def find_tunnel(where: Account, meant: NodeRequest, written: str) -> Tunnel:
    """Return a tunnel to grafana, prometheus or PORT, each with :LOCALPORT or without.

    Raises InputError for what is no tunnel or is not there, TrainyardError where the instance does not run.
    """
    return tunnel_to(where, meant.cluster, tunnel_wanted(written), meant.node)


def find_cluster_tunnel(where: Account, meant: NodeRequest, written: str) -> ClusterTunnel | None:
    """Return a tunnel to grafana or prometheus inside a cluster of EKS, where they stand on no node that has a name.

    None for another cluster, a port, and where a node is named: then ``find_tunnel`` knows the way.
    Raises InputError for what is no tunnel or is not there, TrainyardError where Kubernetes does not answer.
    """
    wanted = tunnel_wanted(written)
    if wanted.name is None or meant.node is not None:
        return None
    return cluster_tunnel(where, meant.cluster, wanted.name, wanted.local_port)


def ssh_words(
    where: Account, meant: NodeRequest, program: Sequence[str], *, key: Path | None = None, more: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return the words of the ssh command that leads to a node. ``program`` is how this program is called.

    Raises InputError where the key is missing or ssh would refuse it, else as ``shell_on`` does.
    """
    target = _running(where, meant)
    user = user_of(target.os, meant.user, target.instance)
    proxy = proxy_command(program, where, meant.cluster, target.instance)
    return ssh_command(target, user, ssh_key(target, key), proxy, more)


def ssh_entry(where: Account, meant: NodeRequest, program: Sequence[str], key: Path | None = None) -> SshConfigEntry:
    """Return the entry of an ssh_config by which ssh, scp and editors get to a node, through Systems Manager.

    It names the node as it was named, so that it stays right when that is another instance one day.
    """
    target = find_target(where, meant.cluster, meant.node)
    user = user_of(target.os, meant.user, target.instance)
    node = None if meant.node == HEAD else meant.node
    host = meant.cluster if node is None else f"{meant.cluster}-{node}"
    proxy = proxy_command(program, where, meant.cluster, node)
    return ssh_config_entry(host, where.region, user, found_key(target, key), proxy)


def aws_command(where: Account, request: SessionRequest) -> tuple[str, ...]:
    """Return the command of the AWS CLI that asks for the same session."""
    profile = () if where.profile is None else ("--profile", where.profile)
    document = () if request.document is None else ("--document-name", request.document)
    values = {name: [value] for name, value in request.parameters.items()}
    parameters = ("--parameters", json.dumps(values)) if values else ()
    begun = ("aws", "ssm", "start-session", "--region", where.region, *profile)
    return (*begun, "--target", request.instance, *document, *parameters)


def _running(where: Account, meant: NodeRequest) -> Target:
    return require_running(find_target(where, meant.cluster, meant.node), where.region)
