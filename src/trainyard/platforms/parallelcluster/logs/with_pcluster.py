"""The logs of a cluster as an archive that ParallelCluster's own command makes, by way of a bucket."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.stacks import find_stack
from trainyard.edge.new_archive import new_archive, refuse_existing
from trainyard.edge.pcluster_command import Pcluster
from trainyard.edge.pcluster_environment import environment
from trainyard.errors import TrainyardError
from trainyard.operate.logs.period import Period

# https://docs.aws.amazon.com/parallelcluster/latest/ug/Tags-v3.html
_VERSION = "parallelcluster:version"


def export_with_pcluster(  # noqa: PLR0913  a cluster, a period, and where to
    name: str,
    account: Account,
    bucket: str | None,
    of: Period,
    file: Path,
    *,
    force: bool = False,
    redact: bool = True,
    report: Callable[[str], None] = lambda _: None,
) -> None:
    """Write the archive, whole or not at all, without secrets where ``redact`` is.

    The bucket must be of the region and let CloudWatch Logs write to it. Without one it is ParallelCluster's own.

    https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/S3ExportTasks.html
    Raises TrainyardError where there is no such cluster, or ParallelCluster cannot.
    """
    refuse_existing(file, force=force)
    stack = find_stack(account, name)
    version = None if stack is None else stack.tags.get(_VERSION)
    if version is None:
        raise TrainyardError(
            f"there is no stack {name} of ParallelCluster in {account.region}",
            where=name,
            hint="its own export needs the stack; without --via-pcluster logs of clusters that are gone are found too",
        )
    with (
        Pcluster(environment(version, report), account) as pcluster,
        tempfile.TemporaryDirectory(prefix="trainyard-logs-") as folder,
        new_archive(file, force=force, redact=redact) as archive,
    ):
        exported = Path(folder) / "logs.tar.gz"
        way = f"bucket {bucket}" if bucket is not None else "its own bucket"
        report(f"ParallelCluster {version} exports the logs by way of {way}, which takes minutes")
        pcluster.export_logs(name, bucket, exported, _time(of.since_ms), _time(of.until_ms))
        archive.take_over(exported)


def _time(at_ms: int | None) -> datetime | None:
    return None if at_ms is None else datetime.fromtimestamp(at_ms / 1000, UTC)
