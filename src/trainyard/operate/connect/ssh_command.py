"""The ssh command that leads to a node, and the entry of an ssh_config that does."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from trainyard.edge.private_key import agent_is_there, checked_key, key_of_pair
from trainyard.errors import InputError
from trainyard.operate.connect.proxy_command import config_word, file_word
from trainyard.operate.connect.target import Target


def key_file(target: Target, named: Path | None) -> Path | None:
    """Return the private key that is named, or that of the node's key pair in ~/.ssh; None where there is none.

    Raises InputError where it is no private key, or ssh would refuse it.
    """
    file = named or (None if target.key_pair is None else key_of_pair(target.key_pair))
    return None if file is None else checked_key(file)


def ssh_key(target: Target, named: Path | None) -> Path | None:
    """Return the private key to use; None where an ssh-agent may have it. Raises InputError where there is none."""
    path = key_file(target, named)
    if path is not None or agent_is_there():
        return path
    if target.key_pair is None:
        hint = "leave out --ssh: a session needs no key; or name a key that the node knows with --key"
        raise InputError(f"{target.words} was launched without a key pair", where="--ssh", hint=hint)
    hint = "name its file with --key, or leave out --ssh: a session needs no key"
    raise InputError(f"the private key of key pair {target.key_pair!r} is not in ~/.ssh", where="--key", hint=hint)


def ssh_command(target: Target, user: str, key: Path | None, proxy: str, more: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the words of the command: to the public address where there is one, else through Systems Manager."""
    identity = () if key is None else ("-i", str(key))
    if target.public_address is not None:
        return ("ssh", *identity, f"{user}@{target.public_address}", *more)
    through = ("-o", f"ProxyCommand={proxy}")
    return ("ssh", *identity, *through, f"{user}@{target.instance}", *more)


class SshConfigEntry(NamedTuple):
    """An entry of an ssh_config."""

    host: str
    """What ssh is told."""
    text: str


def ssh_config_entry(host: str, region: str, user: str, key: Path | None, proxy: str) -> SshConfigEntry:
    """Return an entry. Raises InputError where a part of it cannot stand in an ssh_config."""
    lines = [
        f"# {host} in {region}, through Systems Manager: `trainyard connect --print-ssh-config`",
        f"Host {config_word(host)}",
        f"  HostName {config_word(host)}",
        f"  User {user}",
        *(() if key is None else (f'  IdentityFile "{file_word(str(key))}"', "  IdentitiesOnly yes")),
        f"  ProxyCommand {proxy}",
    ]
    return SshConfigEntry(host, "\n".join(lines))
