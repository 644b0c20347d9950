"""Data of one cluster that the spec of another names by its id: deleting it would take it away from both."""

from __future__ import annotations

from trainyard.deploy.record import read_record
from trainyard.deploy.work import Work, folder
from trainyard.edge.aws import s3
from trainyard.edge.aws.data_stores import DataStore, data_stores
from trainyard.errors import TrainyardError


def refuse_data_of_others(work: Work) -> None:
    """Raise TrainyardError where another cluster or environment of the bucket names what would be deleted."""
    stores = data_stores(work.account, work.name, work.owns)
    used = [f"{store} by {name}" for name, store in _uses(work, stores)] if stores else []
    if used:
        raise TrainyardError(
            f"data of {work.name} is used: {'; '.join(used)}",
            where=work.name,
            hint="destroy them first or take it out of their specs; without --delete-data it stays",
        )


def _uses(work: Work, stores: list[DataStore]) -> list[tuple[str, DataStore]]:
    above = folder("")
    names = {path.removeprefix(above).partition("/")[0] for path in s3.sizes_below(work.account, work.bucket, above)}
    uses = []
    for name in sorted(names - {work.name}):
        record = read_record(work.account, work.bucket, name)
        if record is not None:
            text = f"{record.spec_text}\n{record.cluster_config or ''}"
            uses += [(name, store) for store in stores if store.id in text]
    return uses
