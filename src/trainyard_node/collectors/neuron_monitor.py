"""neuron-monitor, which runs for as long as this process and prints a report, a line of JSON, every five seconds.

It counts what happened between two reports, so one that is started for each reading would see a moment only.
"""

from __future__ import annotations

import atexit
import json
import subprocess
import threading
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from typing import IO, Any, cast

from trainyard_node.errors import NodeError
from trainyard_node.places import Places
from trainyard_node.processes import environment

# Where the package aws-neuronx-tools has it, which Amazon's images for Neuron hold and the step `neuron` installs.
PROGRAM = "/opt/aws/neuron/bin/neuron-monitor"
# A report of 128 vCPUs and 32 processes is some 200 kB.
_MOST_BYTES, _MOST_REPORTS = 4 << 20, 32


class NeuronMonitor:
    """One process, started when it is first asked, and again where it has ended."""

    def __init__(self, places: Places) -> None:
        """Start nothing yet."""
        self._program = str(places.at(PROGRAM))
        self._process: subprocess.Popen[bytes] | None = None
        self._reports: deque[Mapping[str, Any]] = deque(maxlen=_MOST_REPORTS)
        atexit.register(self.close)

    def take(self) -> list[Mapping[str, Any]]:
        """Return the reports since the last call, the oldest first. Raises NodeError where there is no such program."""
        if self._process is None or self._process.poll() is not None:
            ended, self._process = self._process, None
            self._start()
            if ended is not None:
                raise NodeError(f"neuron-monitor ended with status {ended.returncode}, and was started again")
        reports = []
        with suppress(IndexError):
            while True:
                reports.append(self._reports.popleft())
        return reports

    def close(self) -> None:
        """End it: it would stay until its next report."""
        if self._process is not None:
            self._process.kill()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(1.0)

    def _start(self) -> None:
        try:
            process = subprocess.Popen(
                [self._program],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment(),
            )  # fmt: skip
        except OSError as error:
            raise NodeError(f"{self._program} cannot be run ({error.strerror}): install aws-neuronx-tools") from error
        self._process = process
        stream = cast("IO[bytes]", process.stdout)
        threading.Thread(target=self._read, args=(stream,), name="neuron-monitor", daemon=True).start()

    def _read(self, stream: IO[bytes]) -> None:
        with stream:
            while line := stream.readline(_MOST_BYTES):
                with suppress(ValueError):
                    report = json.loads(line)
                    if isinstance(report, dict):
                        self._reports.append(report)
