"""The file that the CloudWatch agent reads: whole lines, and never more than two files of a few MiB.

A file rather than the agent's port for this format: the port takes anything from anybody on the node, users included,
and loses what is written while the agent starts anew.
https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Generation_CloudWatch_Agent.html
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from io import FileIO
from pathlib import Path

from trainyard_node.errors import NO_SPACE, NodeError

# About a day of a node with eight GPUs.
MOST_BYTES = 8 << 20


class MetricsFile:
    """Lines are added to it by several threads."""

    def __init__(self, path: Path, most_bytes: int = MOST_BYTES) -> None:
        """Remember where it is."""
        self.path = path
        self._most_bytes = most_bytes
        self._lock = threading.Lock()

    def add(self, lines: Sequence[str]) -> None:
        """Add lines, all or none. Raises NodeError where the disk is full or the folder is not ours."""
        with self._lock:
            try:
                self._rotate()
                self._append("".join(f"{line}\n" for line in lines).encode())
            except OSError as error:
                raise NodeError(f"cannot write {self.path} ({error.strerror}): make room for it", NO_SPACE) from error

    def _rotate(self) -> None:
        """Begin anew before a line is added, not after: the agent has read the last one by then."""
        if self.path.exists() and self.path.stat().st_size >= self._most_bytes:
            self.path.replace(self.path.with_name(f"{self.path.name}.1"))

    def _append(self, text: bytes) -> None:
        """Add to the file. Half a line would spoil the next one too."""
        with self.path.open("ab", buffering=0) as file:
            os.fchmod(file.fileno(), 0o644)
            before = file.tell()
            try:
                _write_all(file, text)
            except OSError:
                file.truncate(before)
                raise


def _write_all(file: FileIO, text: bytes) -> None:
    """Write until all is written: a disk takes what it has room for, and refuses only the next byte."""
    left = memoryview(text)
    while left:
        left = left[file.write(left) :]
