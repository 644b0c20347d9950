"""Metrics for node_exporter's textfile collector: what programs that do not stay write for it.

https://github.com/prometheus/node_exporter#textfile-collector
"""

from __future__ import annotations

from pathlib import Path

from trainyard_node.atomic_write import write_whole
from trainyard_node.errors import NO_SPACE, NodeError
from trainyard_node.samples import Samples

# 60-node-exporter.sh names it.
FOLDER = "/var/lib/node_exporter/textfile"


def write_textfile(file: Path, samples: Samples) -> None:
    """Write the samples, all at once. node_exporter's user, which is another one, reads them."""
    try:
        write_whole(file, samples.text())
    except OSError as error:
        raise NodeError(f"cannot write {file} ({error.strerror}): make room for it", NO_SPACE) from error
