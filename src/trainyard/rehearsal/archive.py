"""What is left of a rehearsed deployment as one archive: logs of the nodes, events of all stacks, and trainyard's own.

It is laid out as `trainyard logs NAME --export` does, and what it holds more lies beside that.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from trainyard.deploy.work import Event, Work
from trainyard.edge.aws.stack_events import raw_stack_events
from trainyard.edge.aws.stacks import stacks_tagged
from trainyard.edge.new_archive import NewArchive, new_archive
from trainyard.errors import TrainyardError
from trainyard.operate.logs.cluster_log import cluster_log
from trainyard.operate.logs.export import Export
from trainyard.operate.logs.period import Period
from trainyard.platform_table import platform_of

_EVENTS = "trainyard-rehearsal.log"


@dataclass(frozen=True, slots=True)
class ArchiveFile:
    """Where an archive is to be written."""

    file: Path
    force: bool = False


def write_archive(work: Work, events: Sequence[Event], archive_file: ArchiveFile) -> None:
    """Write the archive of a deployment, whole or not at all.

    Raises InputError where it exists and is not to be replaced, TrainyardError where it cannot be written.
    """
    now = work.account.clock.now()
    folder = f"{work.name}-logs-{datetime.fromtimestamp(now, UTC):%Y%m%d%H%M}"
    with (
        tempfile.TemporaryDirectory(prefix="trainyard-archive-") as scratch,
        new_archive(archive_file.file, force=archive_file.force) as archive,
    ):
        exported = _exported(work, Path(scratch) / "logs.tar.gz")
        if exported is not None:
            archive.take_over(exported, lambda name: f"{folder}/{name.partition('/')[2]}")
        for name in _stacks(work, with_cluster=exported is None):
            if pages := raw_stack_events(work.account, name):
                _add(archive, f"{folder}/{name}-cfn-events", json.dumps(pages, indent=2), now)
        for name, text in platform_of(work.required_spec()).rehearsal().archive_files(work):
            _add(archive, f"{folder}/{name}", text, now)
        _add(archive, f"{folder}/{_EVENTS}", "".join(_lines(events)), now)


def _exported(work: Work, file: Path) -> Path | None:
    """Export the logs of the cluster; None where it never had any."""
    try:
        log = cluster_log(work.account, work.name)
    except TrainyardError:
        return None
    Export(work.account, log, log.streams, Period()).write(file, redact=False)  # the archive that it goes into does
    return file


def _stacks(work: Work, *, with_cluster: bool) -> list[str]:
    """Return the stacks of a cluster; the export has the events of the cluster's own, with AWS Batch NAME-batch."""
    names = [stack.name for stack in stacks_tagged(work.account, work.tag, work.name) if work.owns(stack.tags)]
    return [name for name in names if with_cluster or name not in (work.name, f"{work.name}-batch")]


def _lines(events: Sequence[Event]) -> Iterator[str]:
    yield "what happened in an AWS account that was emulated; logs and identifiers in this archive are made up\n"
    for event in events:
        at = datetime.fromtimestamp(event.at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        yield f"{at} [{event.step}] {event.kind}: {' '.join(event.text.split())}\n"


def _add(archive: NewArchive, name: str, text: str, modified_s: float) -> None:
    with archive.part() as content:
        content.write(text.encode(errors="replace"))
        archive.add(name, content, modified_s)
