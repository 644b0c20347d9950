"""`trainyard-node credentials`: gives Prometheus the credentials of the head node's role, as a file.

ParallelCluster lets only root and a few users of its own ask for them, so root writes them down, every five minutes:
https://docs.aws.amazon.com/parallelcluster/latest/ug/HeadNode-v3.html#HeadNode-v3-Imds
"""

from __future__ import annotations

import argparse
from datetime import datetime, timedelta, timezone
from pathlib import Path

from trainyard_node.atomic_write import write_whole
from trainyard_node.errors import NO_SPACE, NodeError
from trainyard_node.machine import World
from trainyard_node.role_credentials import expiration, role_credentials
from trainyard_node.samples import Samples
from trainyard_node.textfile import FOLDER, write_textfile

# aws_config.ini names it.
FILE = "/run/trainyard-prometheus/credentials.json"
METRICS = "trainyard_credentials.prom"
# Three of the timer's intervals: whoever reads the file reads it again that soon, and two failures go by unnoticed.
HELD = timedelta(minutes=15)
# The unit gives the file the group of Prometheus' user.
_MODE = 0o640


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
    found = role_credentials(world.clock)
    ends = min(found.expires, world.clock.now() + HELD)
    try:
        write_whole(file, found.as_process_output(ends) + "\n", _MODE)
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
