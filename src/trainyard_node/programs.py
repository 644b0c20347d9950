"""Programs whose output is read whole, but never more of it than is good for this process.

processes.py is for the bootstrap, where the output is a message; here it is data, apart from what standard error says.
"""

from __future__ import annotations

import os
import selectors
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO, Protocol, cast

from trainyard_node.errors import NodeError
from trainyard_node.processes import end_group, environment

_CHUNK_BYTES = 1 << 20
_MOST_WORDS_BYTES = 4096


class Programs(Protocol):
    """What runs programs for their output."""

    def read(self, command: Sequence[str], timeout_s: float, most_bytes: int, variables: Mapping[str, str]) -> bytes:
        """Return what a program prints. Raises NodeError where it fails, hangs or prints too much."""
        ...


class RealPrograms:
    """Programs of this machine."""

    def read(self, command: Sequence[str], timeout_s: float, most_bytes: int, variables: Mapping[str, str]) -> bytes:
        """Return what a program prints. Raises NodeError where it fails, hangs or prints too much."""
        name = command[0]
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, close_fds=True,
                env={**environment(), **variables}, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise NodeError(f"{name} cannot be run: {error.strerror}") from error
        try:
            output, words = _read_both(process, time.monotonic() + timeout_s, timeout_s, most_bytes)
        except BaseException:
            # What waits for a device that does not answer cannot be ended, and is not waited for.
            end_group(process.pid, process.poll, grace_s=0.2)
            raise
        finally:
            for stream in (process.stdout, process.stderr):
                cast("IO[bytes]", stream).close()
            with suppress(subprocess.TimeoutExpired):
                process.wait(1.0)
        if process.returncode:
            raise NodeError(f"{name} ended with status {process.returncode}: {words or 'it said nothing'}")
        return output


def _read_both(process: subprocess.Popen[bytes], end: float, timeout_s: float, most_bytes: int) -> tuple[bytes, str]:
    """Read both streams to their ends: a program that fills one while the other is read would wait for ever."""
    chunks: list[bytes] = []
    words = b""
    size_bytes = 0
    name = cast("Sequence[str]", process.args)[0]
    with selectors.DefaultSelector() as streams:
        for stream in (process.stdout, process.stderr):
            streams.register(cast("IO[bytes]", stream), selectors.EVENT_READ)
        while streams.get_map():
            left_s = end - time.monotonic()
            ready = streams.select(left_s) if left_s > 0 else []
            if not ready:
                raise NodeError(f"{name} took longer than {timeout_s:g} s")
            for key, _ in ready:
                chunk = os.read(key.fd, _CHUNK_BYTES)
                if not chunk:
                    streams.unregister(key.fileobj)
                elif key.fileobj is process.stderr:
                    words = (words + chunk)[-_MOST_WORDS_BYTES:]
                else:
                    chunks.append(chunk)
                    size_bytes += len(chunk)
                    if size_bytes > most_bytes:
                        raise NodeError(f"{name} printed more than {most_bytes >> 20} MiB")
    _wait(process, end, timeout_s)
    return b"".join(chunks), words.decode(errors="replace").strip().replace("\n", "; ")


def _wait(process: subprocess.Popen[bytes], end: float, timeout_s: float) -> None:
    """Wait for a program that has closed its output, which does not mean that it ends."""
    try:
        process.wait(max(0.01, end - time.monotonic()))
    except subprocess.TimeoutExpired as error:
        raise NodeError(f"{cast('Sequence[str]', process.args)[0]} took longer than {timeout_s:g} s") from error
