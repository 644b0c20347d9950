"""EC2 key pairs: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/create-key-pairs.html."""

from __future__ import annotations

import os
import uuid
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import call
from trainyard.edge.aws.ec2 import tags_of
from trainyard.edge.aws.errors import UNTRANSLATED
from trainyard.errors import InputError, TrainyardError

_CALL = "trainyard:call"
_DONE = "done"
_END = "PRIVATE KEY-----"


def key_pair_exists(account: Account, name: str) -> bool:
    """Return whether the account has a key pair of this name."""
    return _described(account, name) is not None


def key_pair_unfinished(account: Account, name: str, tags: Mapping[str, str]) -> bool:
    """Return whether a key pair with these tags was made by a call that may have ended before its file was written."""
    present = _tags(_described(account, name))
    has_tags = all(present.get(key) == value for key, value in tags.items())
    return has_tags and present.get(_CALL, _DONE) != _DONE


def finish_key_pair(account: Account, name: str, file: Path, tags: dict[str, str]) -> None:
    """Bring an unfinished key pair to its end: where its private key was not written, it is made again.

    Raises InputError where the file holds something else.
    """
    if _ends_as_a_key(file):
        _mark_done(account, name)
        return
    if file.exists() and not _is_empty(file):
        raise InputError(
            f"the private key of {name} was lost when a call ended early, and this is no private key",
            where=str(file),
            hint="name a file that does not exist, and the key pair is made again",
        )
    call(account, "ec2", "delete_key_pair", doing=f"delete key pair {name}", KeyName=name)
    create_key_pair(account, name, file, tags)


def create_key_pair(account: Account, name: str, file: Path, tags: dict[str, str]) -> None:
    """Make a key pair and write its private key, which AWS does not keep, so that only its owner can read it.

    The file is made before the key, so that no key is lost to a folder that cannot be written. Whatever fails
    before the key is written takes the key pair and the file with it.
    Raises InputError where the file exists and is not empty.
    """
    mine = uuid.uuid4().hex
    try:
        descriptor = _opened(file)
    except OSError as error:
        raise _cannot_write(file, error) from error
    try:
        _write(descriptor, _create_key_pair(account, name, tags, mine))
    except BaseException as error:
        with suppress(*UNTRANSLATED, TrainyardError):  # the error that led here says more
            if _tags(_described(account, name)).get(_CALL) == mine:
                account.client("ec2").delete_key_pair(KeyName=name)
        file.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise _cannot_write(file, error) from error
        raise
    _mark_done(account, name)


def _opened(file: Path) -> int:
    """Return a descriptor of a new file. An empty one is what a call that was killed leaves."""
    if _is_empty(file):
        file.unlink()
    return os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)


def _write(descriptor: int, text: str) -> None:
    with os.fdopen(descriptor, "w") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())


def _cannot_write(file: Path, error: OSError) -> InputError:
    hint = "name a file that does not exist, where there is room for it"
    return InputError(f"cannot write the private key: {error.strerror}", where=str(file), hint=hint)


def _is_empty(file: Path) -> bool:
    return file.is_file() and not file.is_symlink() and file.stat().st_size == 0


def _ends_as_a_key(file: Path) -> bool:
    try:
        return file.read_text(encoding="utf-8").rstrip().endswith(_END)
    except (OSError, ValueError):
        return False


def _create_key_pair(account: Account, name: str, tags: dict[str, str], mine: str) -> str:
    """Return the private key of a new key pair. An answer that is lost takes the key with it, so it is made again."""
    marks = [{"Key": key, "Value": value} for key, value in {**tags, _CALL: mine}.items()]
    settings: dict[str, Any] = {"KeyName": name, "KeyType": "ed25519", "KeyFormat": "pem"}
    settings["TagSpecifications"] = [{"ResourceType": "key-pair", "Tags": marks}]
    for _ in range(3):
        try:
            answer = call(account, "ec2", "create_key_pair", doing=f"create key pair {name}", **settings)
        except TrainyardError:
            if _tags(_described(account, name)).get(_CALL) != mine:
                raise
            account.client("ec2").delete_key_pair(KeyName=name)
        else:
            return str(answer["KeyMaterial"])
    raise TrainyardError(f"could not create key pair {name}: every answer was lost", where=name, hint="try again")


def _mark_done(account: Account, name: str) -> None:
    """Say on the key pair that its private key is written."""
    described = _described(account, name)
    if described is None:
        raise TrainyardError(f"key pair {name} vanished while it was made", where=name, hint="run the command again")
    done = [{"Key": _CALL, "Value": _DONE}]
    call(account, "ec2", "create_tags", doing=f"tag key pair {name}", Resources=[described["KeyPairId"]], Tags=done)


def _described(account: Account, name: str) -> dict[str, Any] | None:
    missing, doing = ("InvalidKeyPair.NotFound",), f"look at key pair {name}"
    answer = call(account, "ec2", "describe_key_pairs", doing=doing, none_if=missing, KeyNames=[name])
    return next(iter(answer["KeyPairs"]), None) if answer else None


def _tags(described: dict[str, Any] | None) -> dict[str, str]:
    return tags_of(described or {})
