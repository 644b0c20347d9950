"""The records that nodes wrote to the bucket: one listing a look, and only what changed is fetched again."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from trainyard.deploy.node_record import MOST_BYTES, NodeRecord
from trainyard.deploy.node_record_place import former_folder, record_of, records_folder
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.s3_lookup import FolderListing, ListedObject, objects_in
from trainyard.stop_request import results_of

_MOST_PAGES = 20  # of a thousand records, or folders with the logs of a failed node
_MOST_GONE = 100
_AT_ONCE = 8  # calls; botocore keeps ten connections
_RECORD = re.compile(r"(i-[0-9a-f]{8,17})\.json")
_UNLISTED = ListedObject("", 0, 0.0)


class RecordReading(NamedTuple):
    """What was read about one instance: a record, or why it is none."""

    instance_id: str
    etag: str
    written: float
    """In seconds since 1970, by the clock of S3."""
    record: NodeRecord | None
    problem: str | None
    former: bool = False
    """Whether it lies where any node could write it, as older releases have it."""


class Readings(NamedTuple):
    """What was read about all of them."""

    by_instance: Mapping[str, RecordReading]
    unread: int
    """How many records of instances that are gone were left out, because there are newer ones."""


def to_read(listing: FolderListing, alive: Collection[str]) -> tuple[dict[str, ListedObject], int]:
    """Return what to read of a folder of records, by instance, and how many of it are too old to be read.

    Where the listing is not whole, an instance that is there may have a record all the same.
    """
    listed_by_id = {
        match[1]: listed_object for name, listed_object in listing.objects.items() if (match := _RECORD.fullmatch(name))
    }
    gone = sorted(set(listed_by_id) - set(alive), key=lambda id_: listed_by_id[id_].modified, reverse=True)
    objects = {
        id_: listed_by_id[id_]
        for id_ in (*(alive_id for alive_id in alive if alive_id in listed_by_id), *gone[:_MOST_GONE])
    }
    if not listing.whole:
        objects |= {id_: _UNLISTED for id_ in alive if id_ not in listed_by_id}
    return objects, len(gone[_MOST_GONE:])


@dataclass
class BucketRecords:
    """The records of one cluster, kept from one look to the next."""

    account: Account
    bucket: str
    cluster: str
    _kept: dict[str, RecordReading] = field(default_factory=dict)
    """By instance."""
    _former: FolderListing | None = None
    """What nodes of older releases wrote."""

    def look(self, alive: Collection[str]) -> Readings:
        """Return the records of some instances that are there, and the newest of those that are gone."""
        objects, unread = to_read(self._listing(), alive)
        self._kept = {id_: reading for id_, reading in self._kept.items() if id_ in objects}
        changed = [
            id_
            for id_, listed_object in objects.items()
            if id_ not in self._kept or self._kept[id_].etag != listed_object.etag
        ]
        for reading in results_of(lambda id_: self._read(id_, objects[id_]), changed, _AT_ONCE):
            if reading is not None:
                self._kept[reading.instance_id] = reading
        return Readings(dict(self._kept), unread)

    def _listing(self) -> FolderListing:
        """Return what there is, by the name of the record: those of older releases only where there is no other.

        Nobody can write those any more, so they are listed once.
        """
        if self._former is None:
            self._former = objects_in(self.account, self.bucket, former_folder(self.cluster), _MOST_PAGES)
        own = objects_in(self.account, self.bucket, records_folder(self.account, self.cluster), _MOST_PAGES)
        return FolderListing({**self._former.objects, **own.objects}, own.whole and self._former.whole)

    def _read(self, instance_id: str, listed: ListedObject) -> RecordReading | None:
        """Return what an instance wrote; None where it is gone since the listing."""
        if listed.size_bytes > MOST_BYTES:
            problem = f"it is {listed.size_bytes:,} bytes long, and {MOST_BYTES:,} at most are read"
            return RecordReading(instance_id, listed.etag, listed.modified, None, problem)
        stored = record_of(self.account, self.bucket, self.cluster, instance_id)
        if stored is None:
            return None
        return RecordReading(
            instance_id, stored.etag, listed.modified, stored.record, stored.problem, former=stored.former
        )
