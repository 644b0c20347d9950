"""EC2 key pairs: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/create-key-pairs.html."""

from __future__ import annotations

import os
import uuid
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from trainyard.edge.aws.refusals import account_error, code
from trainyard.errors import InputError, TrainyardError

if TYPE_CHECKING:
    from pathlib import Path

    from trainyard.edge.aws.account import Account

_TOKEN = "trainyard:call"  # noqa: S105  the key of a tag


def key_pair_exists(account: Account, name: str) -> bool:
    """Return whether the account has a key pair of this name."""
    return _tags(account, name) is not None


def _tags(account: Account, name: str) -> dict[str, str] | None:
    try:
        found = account.client("ec2").describe_key_pairs(KeyNames=[name])["KeyPairs"]
    except ClientError as error:
        if code(error) == "InvalidKeyPair.NotFound":
            return None
        raise account_error(error, account.region, f"look at key pair {name}") from error
    return {tag["Key"]: tag["Value"] for pair in found for tag in pair.get("Tags", ())} if found else None


def create_key_pair(account: Account, name: str, file: Path, tags: dict[str, str]) -> None:
    """Make a key pair and write its private key, which AWS does not keep, so that only its owner can read it.

    The file is made before the key, so that no key is lost to a folder that cannot be written.
    Raises InputError where the file exists.
    """
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise InputError(
            f"cannot write the private key: {error.strerror}", where=str(file), hint="name a file that does not exist"
        ) from error
    try:
        with os.fdopen(descriptor, "w") as stream:
            stream.write(_made(account, name, tags))
    except BaseException:
        file.unlink(missing_ok=True)
        raise


def _made(account: Account, name: str, tags: dict[str, str]) -> str:
    """Return the private key of a new key pair. An answer that is lost takes the key with it, so it is made again."""
    mine = uuid.uuid4().hex
    marked = [{"Key": key, "Value": value} for key, value in {**tags, _TOKEN: mine}.items()]
    client = account.client("ec2")
    wanted = {"KeyName": name, "KeyType": "ed25519", "KeyFormat": "pem"}
    marks = [{"ResourceType": "key-pair", "Tags": marked}]
    for _ in range(3):
        try:
            material: str = client.create_key_pair(**wanted, TagSpecifications=marks)["KeyMaterial"]
        except (BotoCoreError, ClientError) as error:
            if (_tags(account, name) or {}).get(_TOKEN) != mine:
                raise account_error(error, account.region, f"create key pair {name}") from error
            client.delete_key_pair(KeyName=name)
        else:
            return material
    raise TrainyardError(f"could not create key pair {name}: every answer was lost", where=name, hint="try again")
