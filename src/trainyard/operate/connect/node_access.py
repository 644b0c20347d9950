"""Ways to a node: a shell, ssh, and the stream that ssh runs over."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.ssm_sessions import SessionRequest
from trainyard.operate.connect.node_user import user_of
from trainyard.operate.connect.proxy_command import proxy_command
from trainyard.operate.connect.session import shell_request, ssh_request
from trainyard.operate.connect.ssh_command import SshConfigEntry, key_file, ssh_command, ssh_config_entry, ssh_key
from trainyard.operate.connect.target import HEAD, Target, require_running
from trainyard.operate.connect.target_search import find_target


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


def shell_on(account: Account, request: NodeRequest) -> Shell:
    """Return what is asked for a shell. Raises TrainyardError where the node does not run, InputError for bad names."""
    target = _running(account, request)
    user = user_of(target.os, request.user, target.instance)
    return Shell(target, user, shell_request(target.instance, user))


def ssh_stream(account: Account, request: NodeRequest) -> SessionRequest:
    """Return what is asked for the stream that ssh runs over, as its ProxyCommand. Raises as ``shell_on`` does."""
    return ssh_request(_running(account, request).instance)


def ssh_words(
    account: Account,
    request: NodeRequest,
    program: Sequence[str],
    *,
    key: Path | None = None,
    more: Sequence[str] = (),
) -> tuple[str, ...]:
    """Return the words of the ssh command that leads to a node. ``program`` is how this program is called.

    Raises InputError where the key is missing or ssh would refuse it, else as ``shell_on`` does.
    """
    target = _running(account, request)
    user = user_of(target.os, request.user, target.instance)
    proxy = proxy_command(program, account, request.cluster, target.instance)
    return ssh_command(target, user, ssh_key(target, key), proxy, more)


def ssh_entry(
    account: Account, request: NodeRequest, program: Sequence[str], key: Path | None = None
) -> SshConfigEntry:
    """Return the entry of an ssh_config by which ssh, scp and editors get to a node, through Systems Manager.

    It names the node as it was named, so that it stays right when that is another instance one day.
    """
    target = find_target(account, request.cluster, request.node)
    user = user_of(target.os, request.user, target.instance)
    node = None if request.node == HEAD else request.node
    host = request.cluster if node is None else f"{request.cluster}-{node}"
    proxy = proxy_command(program, account, request.cluster, node)
    return ssh_config_entry(host, account.region, user, key_file(target, key), proxy)


def _running(account: Account, request: NodeRequest) -> Target:
    return require_running(find_target(account, request.cluster, request.node), account.region)
