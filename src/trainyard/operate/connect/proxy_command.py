"""The ProxyCommand by which ssh gets to a node through Systems Manager: this program itself."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from trainyard.edge.aws.account import Account
from trainyard.errors import InputError

# What ssh's own reading of a line would take apart or end: argv_split in misc.c of
# https://github.com/openssh/openssh-portable
_NOT_IN_A_LINE = set("'\"\\")


def proxy_command(program: Sequence[str], account: Account, cluster: str, node: str | None) -> str:
    """Return the words after ProxyCommand. ``program`` is how this program is called.

    Raises InputError where a word cannot stand there.
    """
    profile = () if account.profile is None else ("--profile", account.profile)
    of_node = () if node is None else ("--node", node)
    words = (*program, "connect", cluster, "--region", account.region, *profile, *of_node, "--ssh-proxy")
    return " ".join(shlex.quote(config_word(word)) for word in words)


def config_word(word: str) -> str:
    """Return a word as it stands in an ssh_config, where % begins a token. Raises InputError where it cannot."""
    if not word or not word.isprintable() or _NOT_IN_A_LINE & set(word):
        hint = "call it something without quotes, backslashes and control characters"
        raise InputError(f"{word!r} cannot stand in an ssh_config", where="ssh_config", hint=hint)
    return word.replace("%", "%%")


def file_word(file: str) -> str:
    """Return the name of a file as it stands there, where ${NAME} is a variable. Raises InputError where it cannot."""
    if "$" in file:
        raise InputError(f"{file!r} cannot stand in an ssh_config", where="--key", hint="call it something without $")
    return config_word(file)
