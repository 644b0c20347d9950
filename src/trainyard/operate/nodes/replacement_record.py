"""What is remembered of a node that was replaced: one object for each instance, in a place that no node can write to.

Several people may replace nodes at once: an object is made by whoever comes first, and changed only where nobody else
has changed it since. https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args

from trainyard.deploy.work import folder
from trainyard.edge.aws import s3
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.s3_lookup import first_bytes, objects_in
from trainyard.errors import TrainyardError

Stage = Literal["held", "draining", "replacing", "proving", "done"]
"""Kept from new jobs; without a job soon; given up; there again, and not yet proven; proven and given back to jobs."""
_MOST_BYTES = 64 * 1024
_MOST_PAGES = 5
_FILE = re.compile(r"(i-[0-9a-f]{8,17})\.json")


@dataclass(frozen=True, slots=True)
class ReplacementRecord:
    """The replacement of one instance, as far as it came."""

    instance_id: str
    node: str
    """What the scheduler calls it, and its successor."""
    instance_type: str
    reason: str
    began: str
    """An ISO 8601 time."""
    stage: Stage = "held"
    gpus: tuple[str, ...] = ()
    """UUIDs of its GPUs, by its own record."""
    network_nodes: tuple[str, ...] = ()
    """Under which network nodes EC2 had it, from the top layer down."""
    evidence: str = ""
    """Key of what was collected of it."""
    new_instance_id: str = ""
    """Empty where nothing takes its place by itself."""
    ended: str = ""
    peers: tuple[str, ...] = ()
    """Instances beside it when it was found, among which its successor is not, where their names do not tell."""
    new_gpus: tuple[str, ...] = ()
    """UUIDs of the GPUs of its successor."""


def replacements_folder(cluster: str) -> str:
    """Return where they lie in the bucket."""
    return f"{folder(cluster)}/replacements"


@dataclass
class StoredReplacement:
    """A replacement in the bucket, which is changed step by step."""

    account: Account
    bucket: str
    cluster: str
    record: ReplacementRecord
    etag: str

    def change(self, record: ReplacementRecord) -> None:
        """Write how far it came. Raises TrainyardError where somebody else goes on with it."""
        if record == self.record:
            return
        key = _key(self.cluster, record.instance_id)
        etag = s3.put_if_same(self.account, self.bucket, key, _content(record), self.etag)
        if etag is None:
            raise self._others()
        self.record, self.etag = record, etag

    def refuse_others(self) -> None:
        """Raise TrainyardError where somebody else has gone on with it since it was read."""
        now = read_replacement(self.account, self.bucket, self.cluster, self.record.instance_id)
        if now is None or now.etag != self.etag:
            raise self._others()

    def _others(self) -> TrainyardError:
        return TrainyardError(
            f"somebody else replaces {self.record.node} as well",
            where=f"s3://{self.bucket}/{_key(self.cluster, self.record.instance_id)}",
            hint="let one of you end; then the same command goes on",
        )


def begun(account: Account, bucket: str, cluster: str, record: ReplacementRecord) -> StoredReplacement:
    """Return the replacement of an instance, as it was begun before or as it begins now."""
    key = _key(cluster, record.instance_id)
    etag = s3.put_if_absent(account, bucket, key, _content(record))
    if etag is not None:
        return StoredReplacement(account, bucket, cluster, record, etag)
    existing = read_replacement(account, bucket, cluster, record.instance_id)
    if existing is None:
        raise TrainyardError(f"s3://{bucket}/{key} cannot be read", hint="look at it, and remove it")
    return existing


def read_replacement(account: Account, bucket: str, cluster: str, instance_id: str) -> StoredReplacement | None:
    """Return the replacement of an instance; None where there is none, or none that can be read."""
    content = first_bytes(account, bucket, _key(cluster, instance_id), _MOST_BYTES)
    record = None if content is None else _record(content.content)
    if content is None or record is None or record.instance_id != instance_id:
        return None
    return StoredReplacement(account, bucket, cluster, record, content.etag)


def replacements(account: Account, bucket: str, cluster: str) -> Iterator[StoredReplacement]:
    """Yield the replacements of a cluster, the newest last."""
    listing = objects_in(account, bucket, replacements_folder(cluster), _MOST_PAGES)
    names = sorted(listing.objects, key=lambda name: listing.objects[name].modified)
    for name in names:
        if match := _FILE.fullmatch(name):
            found = read_replacement(account, bucket, cluster, match[1])
            if found is not None:
                yield found


def claim_successor(account: Account, bucket: str, cluster: str, record: ReplacementRecord, instance_id: str) -> bool:
    """Return whether an instance takes the place of this one: of several that ask, it does so for the first."""
    key = f"{folder(cluster)}/successors/{instance_id}"
    content = record.instance_id.encode()
    if s3.put_if_absent(account, bucket, key, content) is not None:
        return True
    existing = first_bytes(account, bucket, key, _MOST_BYTES)
    return existing is not None and existing.content == content


def _key(cluster: str, instance_id: str) -> str:
    return f"{replacements_folder(cluster)}/{instance_id}.json"


def _content(record: ReplacementRecord) -> bytes:
    return (json.dumps({"schema": 1, **asdict(record)}, indent=2) + "\n").encode()


def _record(content: bytes) -> ReplacementRecord | None:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or value.get("schema") != 1 or value.get("stage") not in get_args(Stage):
        return None
    values: dict[str, Any] = {}
    for field in fields(ReplacementRecord):
        content_value = value.get(field.name, "")
        values[field.name] = tuple(map(str, content_value)) if isinstance(content_value, list) else str(content_value)
    for name in ("gpus", "network_nodes", "peers", "new_gpus"):
        values[name] = values[name] or ()
    return ReplacementRecord(**values)
