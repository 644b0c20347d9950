"""Private keys of SSH on this machine, checked before ssh is: its own words for what is wrong are many and late."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from trainyard.errors import InputError

_BEGINNING_BYTES = 200
_OF_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_ALLOWED_LETTERS = 255  # https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateKeyPair.html


def key_of_pair(name: str) -> Path | None:
    """Return the file of a key pair of EC2 in ~/.ssh, as people name it; None where there is none."""
    if "/" in name or not name.isprintable() or not 0 < len(name) <= _ALLOWED_LETTERS:
        return None
    folder = Path("~/.ssh").expanduser()
    named = (folder / f"{name}.pem", folder / name)
    return next((file for file in named if file.is_file()), None)


def agent_is_there() -> bool:
    """Return whether an ssh-agent is, which may hold keys that lie in no file here."""
    return bool(os.environ.get("SSH_AUTH_SOCK"))


def checked_key(file: Path) -> Path:
    """Return the file of a private key. Raises InputError where it is none, or ssh would refuse it.

    ssh takes no key that others may read: ``sshkey_perm_ok`` in authfile.c of https://github.com/openssh/openssh-portable
    """
    try:
        mode = file.stat().st_mode
        if not stat.S_ISREG(mode):
            raise InputError("this is no file", where=str(file), hint="name a private key with --key")
        beginning = _beginning(file)
    except OSError as error:
        hint = "name the private key of the node's key pair with --key"
        raise InputError(f"the private key cannot be read: {error.strerror}", where=str(file), hint=hint) from None
    if b"PRIVATE KEY-----" not in beginning:
        raise InputError("this is no private key that ssh can read", where=str(file), hint=_why_none(beginning))
    if mode & _OF_OTHERS:
        problem = f"others may read this private key ({stat.S_IMODE(mode):04o}), so ssh refuses it"
        raise InputError(problem, where=str(file), hint=f"`chmod 600 {file}`")
    return file


def _beginning(file: Path) -> bytes:
    with file.open("rb") as stream:
        return stream.read(_BEGINNING_BYTES)


def _why_none(beginning: bytes) -> str:
    if beginning.startswith((b"ssh-", b"ecdsa-", b"sk-")):
        return "it is the public half; name the private one"
    if beginning.startswith(b"PuTTY-User-Key-File"):
        return "`puttygen FILE.ppk -O private-openssh -o FILE.pem` makes one of PuTTY's"
    return "name the private key of the node's key pair with --key"
