"""A head node, whatever lies between here and there, and its files: written block by block, and fetched so."""

from __future__ import annotations

import os
import tempfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Protocol

from trainyard.edge.remote_command import CommandResult
from trainyard.errors import TrainyardError
from trainyard.foreign_text import quoted

# NCCL_DEBUG=INFO on a thousand ranks makes gigabytes, of which gzip leaves a twentieth. What is larger is not fetched.
_MOST_COMPRESSED_BYTES = 64 * 2**20
_MOST_BYTES = 4 * 2**30


class HeadNodeConnection(Protocol):
    """A machine with sbatch: edge/slurm_local.py, edge/ssh.py, edge/aws/ssm_commands.py."""

    @property
    def words(self) -> str:
        """Return which machine it is, for people."""

    @property
    def block_bytes(self) -> int:
        """Return how many bytes a command can take or give."""

    @property
    def is_here(self) -> bool:
        """Return whether it is this machine, which may be asked often."""

    def run(self, arguments: Sequence[str], content: bytes = b"") -> CommandResult:
        """Run a command with a standard input, and return what came of it."""


def home(head: HeadNodeConnection) -> str:
    """Return the home folder of the user there, which all nodes of a cluster share."""
    answer = head.run(("printenv", "HOME"))
    folder = answer.text.strip()
    if answer.status or not folder.startswith("/"):
        raise TrainyardError("the user there has no home folder", where=head.words, hint="set HOME in its profile")
    return folder


def write_files(head: HeadNodeConnection, folder: str, files: Mapping[str, str]) -> None:
    """Write files below a folder there. Raises TrainyardError where that fails, on a full disk for instance."""
    folders = sorted({str(PurePosixPath(folder, name).parent) for name in files})
    _run_or_fail(head, ("mkdir", "--parents", *folders))
    for name, text in files.items():
        content, place = text.encode(), f"of={folder}/{name}"
        _run_or_fail(head, ("dd", place, "status=none"), content[: head.block_bytes])
        for at in range(head.block_bytes, len(content), head.block_bytes):
            append = ("dd", place, "oflag=append", "conv=notrunc", "status=none")
            _run_or_fail(head, append, content[at : at + head.block_bytes])


def fetch(head: HeadNodeConnection, file: str, to: Path) -> bool:
    """Fetch a file, whole or not at all; return False where there is none.

    Raises TrainyardError where it is too large, or cannot be written here.
    """
    if head.run(("test", "-f", file)).status:
        return False
    _run_or_fail(head, ("gzip", "--keep", "--force", "--", file))
    packed = f"{file}.gz"
    size_bytes = int(_run_or_fail(head, ("stat", "--format=%s", packed)))
    if size_bytes > _MOST_COMPRESSED_BYTES:
        problem = f"{file} has {size_bytes:,} bytes even when packed, too many to fetch this way"
        raise TrainyardError(problem, where=head.words, hint=f"copy {packed} from there with scp")
    write_blocks(to, _unpacked(_blocks(head, packed, size_bytes), file))
    _run_or_fail(head, ("rm", "--force", "--", packed))
    return True


def _blocks(head: HeadNodeConnection, file: str, size_bytes: int) -> Iterator[bytes]:
    for number in range(-(-size_bytes // head.block_bytes)):
        command = ("dd", f"if={file}", f"bs={head.block_bytes}", f"skip={number}", "count=1", "status=none")
        answer = head.run(command)
        if answer.status:
            raise TrainyardError(f"{file} cannot be read: {quoted(answer.message)}", where=head.words)
        yield answer.output


def _unpacked(blocks: Iterator[bytes], file: str) -> Iterator[bytes]:
    unpacking, written = zlib.decompressobj(wbits=31), 0
    try:
        for block in blocks:
            while block:
                content = unpacking.decompress(block, 2**20)
                written += len(content)
                if written > _MOST_BYTES:
                    raise TrainyardError(f"{file} has more than {_MOST_BYTES:,} bytes", where=file)
                yield content
                block = unpacking.unconsumed_tail  # noqa: PLW2901  what is left of it
        yield unpacking.flush()
    except zlib.error as error:
        hint = "repeat the command, which fetches it again"
        raise TrainyardError(f"{file} has arrived damaged: {error}", where=file, hint=hint) from error
    if not unpacking.eof:
        raise TrainyardError(f"{file} has arrived cut short", where=file, hint="repeat the command")


def write_blocks(to: Path, blocks: Iterator[bytes]) -> None:
    """Write a file here, whole or not at all. Raises TrainyardError where it cannot be written."""
    try:
        to.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=to.parent, prefix=f".{to.name}.", delete=False) as new:
            try:
                for block in blocks:
                    new.write(block)
                new.flush()
                os.fsync(new.fileno())
                Path(new.name).chmod(0o644)
                Path(new.name).replace(to)
            except BaseException:
                Path(new.name).unlink(missing_ok=True)
                raise
    except OSError as error:
        hint = "make room or name another folder with --results; then repeat the command, jobs are not run again"
        raise TrainyardError(f"could not write {to}: {error.strerror}", where=str(to), hint=hint) from error


def _run_or_fail(head: HeadNodeConnection, command: tuple[str, ...], content: bytes = b"") -> str:
    answer = head.run(command, content)
    if answer.status:
        hint = "see whether the disk there is full, and whether the user may write to its home folder"
        raise TrainyardError(
            f"{command[0]} failed on {head.words}: {quoted(answer.message)}", where=head.words, hint=hint
        )
    return answer.text
