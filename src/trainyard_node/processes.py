"""Programs that are run, each in a process group of its own, so that all of it can be ended."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple, Protocol, cast

from trainyard_node.atomic_write import write_whole

# A step begins when its process group is noted. Where its runner is killed before, its input ends, and it does not.
_STEP_ONCE_NOTED = 'read -r && exec /bin/bash "$0" </dev/null'
NOT_FOUND = 127
TIMED_OUT = 124
GRACE_S = 5.0
# Where ParallelCluster keeps the AWS command line and Slurm.
MORE_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/slurm/bin"


class Ran(NamedTuple):
    """How a program ended, and what it wrote."""

    status: int
    """Its exit status; 124 where it took too long, 127 where there is no such program."""
    output: str


class StepEnd(NamedTuple):
    """How a step ended."""

    status: int | None
    """Its exit status, or None where it took too long."""
    last_words: str
    """The last line that it wrote to standard error."""


class Processes(Protocol):
    """What starts programs."""

    def run(self, command: Sequence[str], timeout_s: float, stdin: str = "") -> Ran:
        """Run a program to its end and return its output, standard error included."""
        ...

    def run_step(self, script: Path, variables: Mapping[str, str], log: Path, timeout_s: float) -> StepEnd:
        """Run a step, with what it writes in its log."""
        ...


class RealProcesses:
    """Programs of this machine."""

    def __init__(self, running_step: Path | None = None) -> None:
        """Leave word of steps that run in a file."""
        self._running_step = running_step

    def run(self, command: Sequence[str], timeout_s: float, stdin: str = "") -> Ran:
        """Run a program to its end and return its output, standard error included."""
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                env=environment(), start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            return Ran(NOT_FOUND, f"{command[0]}: {error.strerror}")
        with _closed_after(process), _ended_after(process):
            try:
                output, _ = process.communicate(stdin.encode(), timeout=timeout_s)
            except subprocess.TimeoutExpired:
                return Ran(TIMED_OUT, f"{command[0]} took longer than {timeout_s:g} s")
        return Ran(process.returncode, output.decode(errors="replace"))

    def run_step(self, script: Path, variables: Mapping[str, str], log: Path, timeout_s: float) -> StepEnd:
        """Run a step, with what it writes in its log. Whatever it started ends with it where it takes too long."""
        with _open_log(log) as file:
            process = subprocess.Popen(
                ["/bin/bash", "-c", _STEP_ONCE_NOTED, str(script)],
                stdin=subprocess.PIPE, stdout=file, stderr=subprocess.PIPE,
                env={**environment(), **variables}, start_new_session=True,
            )  # fmt: skip
            words = LastWords(cast("BinaryIO", process.stderr), file)
            with cast("BinaryIO", process.stdin) as stdin, _ended_after(process), self._noted(process.pid):
                with suppress(BrokenPipeError):  # it was ended already, and its status says so
                    os.write(stdin.fileno(), b"\n")
                try:
                    status: int | None = process.wait(timeout_s)
                except subprocess.TimeoutExpired:
                    status = None
            return StepEnd(status, words.last())

    @contextmanager
    def _noted(self, group: int) -> Iterator[None]:
        """Leave word of what runs, for a run that comes after one that was killed."""
        if self._running_step is not None:
            note_step(self._running_step, group)
        yield
        if self._running_step is not None:
            forget_step(self._running_step)


class LastWords:
    """Copies what a step writes to standard error into its log, and keeps the last line that is not empty.

    Reading never stops, so that a full disk does not block the step.
    """

    def __init__(self, stream: BinaryIO, log: BinaryIO) -> None:
        """Begin to read."""
        self._stream, self._log, self._last = stream, log, ""
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def last(self) -> str:
        """Return the line. Something that the step left running may keep the stream open: it is not waited for."""
        self._thread.join(1)
        return self._last

    def _read(self) -> None:
        for line in iter(lambda: self._stream.readline(65536), b""):
            text = line.decode(errors="replace").strip()
            self._last = text or self._last
            try:
                self._log.write(line)
            except (OSError, ValueError):
                continue
        self._stream.close()


def environment() -> dict[str, str]:
    """Return the variables of programs. On the head node, ParallelCluster runs custom actions without a home."""
    path = f"{os.environ.get('PATH', '')}:{MORE_PATH}".lstrip(":")
    return {"HOME": "/root", **os.environ, "PATH": path}


@contextmanager
def _open_log(log: Path) -> Iterator[BinaryIO]:
    """Open a log for more, or nothing where that cannot be: a step does not fail because of its log."""
    try:
        log.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        file = log.open("ab", buffering=0)
    except OSError:
        file = open(os.devnull, "ab", buffering=0)  # noqa: PTH123, SIM115 - a device, closed below
    with file:
        yield cast("BinaryIO", file)


@contextmanager
def _ended_after(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """End a process and all that it started, unless it has ended by itself."""
    try:
        yield
    finally:
        if process.poll() is None:
            end_group(process.pid, process.poll)
            # What waits for a device that does not answer cannot be ended; nobody waits for it for ever.
            with suppress(subprocess.TimeoutExpired):
                process.wait(GRACE_S)


@contextmanager
def _closed_after(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Close what leads to a process, which a program that took too long leaves open."""
    try:
        yield
    finally:
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()


def end_group(group: int, reap: Callable[[], object] = lambda: None, grace_s: float = GRACE_S) -> None:
    """End a process group: first asked to, then made to. Of a child it takes `reap` to see that it is gone."""
    for how in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(group, how)
        except (ProcessLookupError, PermissionError):
            return
        if how == signal.SIGTERM:
            _wait_for_group(group, reap, grace_s)


def _wait_for_group(group: int, reap: Callable[[], object], grace_s: float) -> None:
    end = time.monotonic() + grace_s
    while time.monotonic() < end:
        reap()
        try:
            os.killpg(group, 0)
        except (ProcessLookupError, PermissionError):
            return
        time.sleep(0.05)


def note_step(file: Path, group: int) -> None:
    """Write down which process group runs a step, and when it began, as numbers of processes come again."""
    try:
        write_whole(file, f"{group} {_began(group)}\n")
    except OSError:
        return


def forget_step(file: Path) -> None:
    """No step runs any more."""
    try:
        file.unlink()
    except OSError:
        return


def leftover_group(file: Path) -> int | None:
    """Return the process group that a killed runner left, where it still runs."""
    try:
        group, began = file.read_text(encoding="utf-8").split()
        return int(group) if began == _began(int(group)) else None
    except (OSError, ValueError):
        return None


def _began(process: int) -> str:
    """Return when a process began, in ticks since the machine did: field 22 of proc_pid_stat(5)."""
    stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    return stat.rpartition(")")[2].split()[19]
