"""The process that runs ParallelCluster's commands: started once, asked many times, stopped when it takes too long."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from trainyard.edge.pcluster_environment import PclusterEnvironment
from trainyard.edge.watched_program import MOST_BYTES
from trainyard.errors import TrainyardError
from trainyard.stop_request import LOOK_EVERY_S, look

_WORKER = Path(__file__).with_name("pcluster_command_worker.py")
_START_TIMEOUT_S = 120.0  # importing takes 1 to 3 s; a slow network disk takes its time
_END_TIMEOUT_S = 10.0


class PclusterProcess:
    """A worker that has imported pcluster, and runs one command at a time."""

    def __init__(self, environment: PclusterEnvironment, variables: Mapping[str, str]) -> None:
        """Take the environment whose Python runs it, and its environment variables. Nothing starts yet."""
        self._made = environment
        self._variables = variables
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._is_ready = False

    def start(self) -> None:
        """Start it without waiting until it is ready, and let it prepare for a command that synthesises a template."""
        with self._lock:
            _write(self._started(), [])

    def ask(self, arguments: Sequence[str], timeout_s: float) -> tuple[int, dict[str, Any]]:
        """Run a command; return its exit status and what it printed. Text that is no JSON becomes ``{"message": …}``.

        Raises TrainyardError where there is no answer in time; the command is stopped then.
        """
        with self._lock:
            process = self._started()
            try:
                if not self._is_ready:
                    _read(process, _START_TIMEOUT_S)
                    self._is_ready = True
                _write(process, arguments)
                answer = _read(process, timeout_s)
            except (OSError, ValueError) as error:
                self._end()
                raise self._no_answer(arguments[0], str(error)) from error
            except BaseException:  # Ctrl-C: nobody would read the answer
                self._end()
                raise
        return answer["status"], _parsed(answer["output"])

    def close(self) -> None:
        """End it, and the command that it is running."""
        self._end()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._end()
            try:
                self._process = subprocess.Popen(  # our own script, run by the interpreter that we made
                    [self._made.python, "-I", "-X", "utf8", _WORKER],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env=dict(self._variables),
                    bufsize=0,
                    start_new_session=True,  # Ctrl-C is for trainyard to handle
                )
            except OSError as error:
                raise self._no_answer("", str(error)) from error
        return self._process

    def _end(self) -> None:
        process, self._process, self._is_ready = self._process, None, False
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(_END_TIMEOUT_S)
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()

    def _no_answer(self, command: str, reason: str) -> TrainyardError:
        return TrainyardError(
            f"pcluster {command} of ParallelCluster {self._made.version} gave no answer: {reason}",
            where=str(self._made.folder),
            hint="what it had begun may be done: look with `pcluster describe-cluster` before trying again",
        )


def _write(process: subprocess.Popen[bytes], arguments: Sequence[str]) -> None:
    assert process.stdin is not None  # noqa: S101 - it was asked for
    process.stdin.write(json.dumps(list(arguments)).encode() + b"\n")


def _read(process: subprocess.Popen[bytes], timeout_s: float) -> dict[str, Any]:
    """Return the next line. Raises TimeoutError (an OSError) or ValueError where there is none."""
    assert process.stdout is not None  # noqa: S101 - as above
    deadline_s = time.monotonic() + timeout_s
    line = bytearray()
    while not line.endswith(b"\n"):
        readable, _, _ = select.select([process.stdout], [], [], LOOK_EVERY_S)
        if not readable:
            look()
            if time.monotonic() < deadline_s:
                continue
            raise TimeoutError(f"it did not end within {timeout_s:g} s")
        part = os.read(process.stdout.fileno(), 65536)
        if not part:
            raise ValueError("its process ended")
        line += part
        if len(line) > MOST_BYTES:
            raise ValueError(f"it prints more than {MOST_BYTES // 2**20} MiB")
    answer: dict[str, Any] = json.loads(line)
    return answer


def _parsed(output: str) -> dict[str, Any]:
    """Return what a command printed; some failures are plain text, and some print nothing."""
    try:
        answer = json.loads(output) if output.strip() else {}
    except ValueError:
        return {"message": " ".join(output.split())}
    return answer if isinstance(answer, dict) else {"message": str(answer)}
