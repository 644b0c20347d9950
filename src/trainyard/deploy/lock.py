"""A lock on a cluster, so that two people cannot deploy it at once. It lies in the bucket.

Written by S3's conditional writes: https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
"""

from __future__ import annotations

import getpass
import json
import os
import socket
import threading
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Self

from trainyard.deploy.work import folder
from trainyard.edge.aws import s3
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.errors import UNTRANSLATED, aws_errors
from trainyard.edge.processes import is_running, place
from trainyard.errors import TrainyardError
from trainyard.stop_request import deferred

# Long enough to outlast a network that fails for minutes, short enough to wait for after a crash.
_HELD_S = 15 * 60
_RENEWED_EVERY_S = 60


def lock_key(name: str) -> str:
    """Return where in the bucket the lock of a cluster lies."""
    return f"{folder(name)}/lock"


@dataclass
class Lock:
    """Held for as long as a deployment or a destruction goes on, and renewed beside it."""

    account: Account
    bucket: str
    name: str
    what: str
    """What is being done, for whoever finds it locked."""
    report: Callable[[str], None] = lambda _: None
    renewed_every_s: float = _RENEWED_EVERY_S
    _etag: str = ""
    _until: float = 0.0
    """Until when it is ours for certain, in seconds since 1970."""
    _lost: bool = False
    _released: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Self:
        """Take the lock. Raises TrainyardError where somebody else holds it."""
        content, until = self._content()
        etag = s3.put_if_absent(self.account, self.bucket, self._key, content)
        self._etag, self._until = etag or self._taken_over(content), until
        threading.Thread(target=self._renew, name=f"lock of {self.name}", daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Release it, whatever happened, unless it has become somebody else's.

        Where that fails, what has come of the work is still what the user sees, and beside it until when it is held.
        """
        self._released.set()
        try:
            with deferred(), aws_errors(self.account.region):
                s3.delete_if_same(self.account, self.bucket, self._key, self._etag)
        except TrainyardError as refusal:
            until = _iso(self._until)
            self.report(
                f"the lock of {self.name} could not be released: {refusal.problem}; the next call on this machine "
                f"takes it over, and one of another machine after {until}"
            )

    def refuse_lost(self) -> None:
        """Raise TrainyardError where somebody else has taken it over."""
        if self._lost or self.account.clock.now() > self._until:
            raise TrainyardError(
                f"somebody else has taken over the lock of {self.name}, or may have",
                where=f"s3://{self.bucket}/{self._key}",
                hint="see what they do before you run this again",
            )

    def _renew(self) -> None:
        while not self._released.wait(self.renewed_every_s):
            content, until = self._content()
            try:
                etag = s3.put_if_same(self.account, self.bucket, self._key, content, self._etag)
            except (TrainyardError, *UNTRANSLATED):
                continue  # it is held for some minutes more
            if self._released.is_set():
                return
            self._lost = etag is None
            if etag is None:
                return
            self._etag, self._until = etag, until

    @property
    def _key(self) -> str:
        return lock_key(self.name)

    def _content(self) -> tuple[bytes, float]:
        """Return what is written, and until when it holds."""
        now = self.account.clock.now()
        holder = {
            "what": self.what,
            "user": _user(),
            "host": socket.gethostname(),
            "place": place(),
            "process": os.getpid(),
            "since": _iso(now),
            "until": _iso(now + _HELD_S),
            "id": uuid.uuid4().hex,
        }
        return json.dumps(holder, indent=2).encode(), now + _HELD_S

    def _taken_over(self, content: bytes) -> str:
        """Replace a lock whose holder is gone."""
        stored = s3.get(self.account, self.bucket, self._key)
        holder = _holder(stored.content) if stored is not None else {}
        if stored is None:
            etag = s3.put_if_absent(self.account, self.bucket, self._key, content)
        elif self._is_gone(holder):
            self.report(f"takes over the lock of {_who(holder)}, who ended without releasing it")
            etag = s3.put_if_same(self.account, self.bucket, self._key, content, stored.etag)
        else:
            etag = None
        if etag is None:
            raise self._held(holder)
        return etag

    def _is_gone(self, holder: dict[str, Any]) -> bool:
        if holder.get("place") == place() and not is_running(holder.get("process")):
            return True
        until = _seconds(holder.get("until"))
        return until is not None and until < self.account.clock.now()

    def _held(self, holder: dict[str, Any]) -> TrainyardError:
        until = f"; where that process is dead, the lock ends at {holder['until']}" if holder.get("until") else ""
        return TrainyardError(
            f"{self.name} is locked: {_who(holder)} runs {holder.get('what', 'something')}",
            where=f"s3://{self.bucket}/{self._key}",
            hint=f"wait until it is done{until}, or delete this object",
        )


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())


def _who(holder: dict[str, Any]) -> str:
    return f"{holder.get('user', 'somebody')} on {holder.get('host', 'another machine')}"


def _holder(content: bytes) -> dict[str, Any]:
    try:
        holder = json.loads(content)
    except ValueError:
        return {}
    return holder if isinstance(holder, dict) else {}


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _seconds(text: object) -> float | None:
    try:
        return datetime.fromisoformat(str(text)).timestamp()
    except ValueError:
        return None
