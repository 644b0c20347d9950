"""`trainyard-node credentials`: gives Prometheus the credentials of the head node's role, as a file.

ParallelCluster lets only root and a few users of its own ask for them, so root writes them down, every five minutes:
https://docs.aws.amazon.com/parallelcluster/latest/ug/HeadNode-v3.html#HeadNode-v3-Imds
"""

from __future__ import annotations

import argparse
import json
import re
from datetime import datetime, timedelta, timezone
from http import HTTPStatus
from pathlib import Path
from typing import NamedTuple
from urllib.error import HTTPError

from trainyard_node.atomic_write import FOLDER, write_textfile, write_whole
from trainyard_node.clock import Clock, in_words
from trainyard_node.errors import NO_SPACE, NodeError
from trainyard_node.imds import ask_until_answered, metadata
from trainyard_node.machine import World
from trainyard_node.samples import Samples

# aws_config.ini names it.
FILE = "/run/trainyard-prometheus/credentials.json"
METRICS = "trainyard_credentials.prom"
# Three of the timer's intervals: whoever reads the file reads it again that soon, and two failures go by unnoticed.
HELD = timedelta(minutes=15)
# The unit gives the file the group of Prometheus' user.
_MODE = 0o640
_PLACE = "meta-data/iam/security-credentials/"
_MOMENT = "%Y-%m-%dT%H:%M:%SZ"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add its options."""
    parser.add_argument("--file", type=Path, metavar="FILE", help=f"where to write them (default: {FILE})")
    parser.add_argument("--metrics", type=Path, metavar="FOLDER", help=f"where metrics go (default: {FOLDER})")


def run(chosen: argparse.Namespace, world: World) -> int:
    """Write the credentials that hold now. What was written before stays where that fails."""
    file = chosen.file or world.places.at(FILE)
    folder = chosen.metrics or world.places.at(FOLDER)
    try:
        ends = _renew(file, world)
    except NodeError:
        _tell(folder, _end_of(file))
        raise
    _tell(folder, ends)
    return 0


def _renew(file: Path, world: World) -> datetime:
    """Write the file, and return when it ends."""
    credentials = role_credentials(world.clock)
    ends = min(credentials.expires, world.clock.now() + HELD)
    try:
        write_whole(file, credentials.as_process_output(ends) + "\n", _MODE)
    except OSError as error:
        raise NodeError(f"cannot write {file} ({error.strerror}): make room for it", NO_SPACE) from error
    return ends


def _end_of(file: Path) -> datetime:
    """Return when what was written before ends; where there is nothing, it ended long ago."""
    try:
        return expiration(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return datetime.fromtimestamp(0, timezone.utc)


def _tell(folder: Path, ends: datetime) -> None:
    samples = Samples("timers")
    samples.add("trainyard_credentials_expire_timestamp_seconds", int(ends.timestamp()))
    write_textfile(folder / METRICS, samples)


class RoleCredentials(NamedTuple):
    """Keys that end."""

    access_key_id: str
    secret_access_key: str
    session_token: str
    expires: datetime

    def as_process_output(self, expires: datetime) -> str:
        """Return what a credential_process prints. Whoever reads it reads again when ``expires`` is over."""
        return json.dumps(
            {
                "Version": 1,
                "AccessKeyId": self.access_key_id,
                "SecretAccessKey": self.secret_access_key,
                "SessionToken": self.session_token,
                "Expiration": in_words(expires),
            }
        )


def role_credentials(clock: Clock) -> RoleCredentials:
    """Return the credentials that hold now. Raises NodeError where the service has none."""
    return ask_until_answered(lambda: _ask(clock), clock)


def expiration(text: str) -> datetime:
    """Return when credentials in the form of a credential_process end. Raises ValueError where they do not say so."""
    said = json.loads(text)
    if not isinstance(said, dict):
        raise ValueError("it is no object")  # noqa: TRY004 - damaged text is no wrong type of ours
    return _moment(said.get("Expiration"))


def _ask(clock: Clock) -> RoleCredentials:
    """Ask once. No error repeats what the service says: it is a secret."""
    role = _role()
    if not re.fullmatch(r"[\w+=,.@-]{1,64}", role, re.ASCII):
        raise ValueError("it names no role: the instance has no instance profile")
    (text,) = metadata(_PLACE + role)
    said = json.loads(text)
    if not isinstance(said, dict) or said.get("Code") != "Success":
        raise ValueError("it has no credentials of the role: see that the role still exists")
    key, secret, token = (_text(said.get(name)) for name in ("AccessKeyId", "SecretAccessKey", "Token"))
    found = RoleCredentials(key, secret, token, _moment(said.get("Expiration")))
    if found.expires <= clock.now():
        raise ValueError(f"its credentials ended at {in_words(found.expires)}; see that the clock is right")
    return found


def _role() -> str:
    try:
        (listed,) = metadata(_PLACE)
    except HTTPError as error:
        if error.code != HTTPStatus.NOT_FOUND:
            raise
        return ""
    return (listed.split() or [""])[0]


def _text(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError("what it says are no credentials")
    return value


def _moment(value: object) -> datetime:
    return datetime.strptime(_text(value), _MOMENT).replace(tzinfo=timezone.utc)
