"""trainyard as a process, without the half second in which Python imports it: a fork of one that has imported it.

    status, out, err = run("status", "llm", variables=account.variables())     # to its end
    process = started("nodes", "watch", "llm")                                  # to read from, and to send signals

It is a process like any other: streams, environment, folder, signals and exit status are its own. Tests of how one
begins (installed by pip, with little memory, at a terminal) start ``python -m trainyard``.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from threading import Timer
from typing import NamedTuple, TextIO

from tests.program_server import MOST_BYTES
from tests.waiting import HANGS_S


class Run(NamedTuple):
    """What came of a command."""

    status: int
    out: str
    err: str


class Process:
    """A process that runs: what subprocess.Popen is for children of this one."""

    def __init__(self, ending: socket.socket, stdout: TextIO, stderr: TextIO) -> None:
        self.stdout, self.stderr = stdout, stderr
        self.pid = int(ending.recv(MOST_BYTES))
        self._ending = ending
        self._status: int | None = None

    def poll(self) -> int | None:
        """Return the exit status, and None while it runs."""
        try:
            return self._ended_within(0)
        except BlockingIOError:
            return None

    @property
    def returncode(self) -> int:
        """The exit status, which is waited for. The number of the signal that ended it is negative."""
        return self._ended_within(HANGS_S)

    def _ended_within(self, seconds: float) -> int:
        if self._status is None:
            self._ending.settimeout(seconds)
            self._status = int(self._ending.recv(MOST_BYTES))
            self._ending.close()
        return self._status

    def send_signal(self, number: int) -> None:
        """Send it a signal."""
        os.kill(self.pid, number)

    def communicate(self) -> tuple[str, str]:
        """Wait for its end, and return what is left of its standard output and error. One that hangs is killed."""
        hung = Timer(HANGS_S, self.send_signal, [signal.SIGKILL])
        hung.start()
        with self.stdout, self.stderr, ThreadPoolExecutor(1) as other:
            err = other.submit(self.stderr.read)
            streams = self.stdout.read(), err.result()
        hung.cancel()
        return streams


def started(
    *arguments: str | Path,
    variables: Mapping[str, str | None] | None = None,
    cwd: Path | None = None,
    stdin: int | None = None,
    leads_group: bool = False,
) -> Process:
    """Start a command in this environment with more variables, and without those that are None."""
    environment = {**os.environ, **(variables or {})}
    request = {
        "arguments": [str(argument) for argument in arguments],
        "environment": {name: value for name, value in environment.items() if value is not None},
        "cwd": str(cwd or Path.cwd()),
        "leads_group": leads_group,
    }
    (out, child_out), (err, child_err) = os.pipe(), os.pipe()
    ending, child_ending = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with Path(os.devnull).open("rb") as nothing, child_ending:
        files = [child_ending.fileno(), nothing.fileno() if stdin is None else stdin, child_out, child_err]
        socket.send_fds(_server(), [json.dumps(request).encode()], files)
    os.close(child_out)
    os.close(child_err)
    return Process(ending, os.fdopen(out, encoding="utf-8"), os.fdopen(err, encoding="utf-8"))


def run(
    *arguments: str | Path,
    variables: Mapping[str, str | None] | None = None,
    cwd: Path | None = None,
    stdin: int | None = None,
) -> Run:
    """Run a command to its end."""
    process = started(*arguments, variables=variables, cwd=cwd, stdin=stdin)
    out, err = process.communicate()
    return Run(process.returncode, out, err)


@cache
def _server() -> socket.socket:
    """Start the process that has imported trainyard. It ends when its socket closes."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        server = subprocess.Popen(
            [sys.executable, "-m", "tests.program_server", str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            cwd=Path(__file__).parents[1],
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )

    def stop() -> None:
        ours.close()
        server.wait()

    atexit.register(stop)
    return ours
