"""Commands on other machines: the line that runs one there, the line that it answers with, and the answer."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from trainyard.errors import TrainyardError

_ANSWER = re.compile(r"^trainyard-answer (\d+) (\d+) (\S+) (\S+)$", re.MULTILINE)


class CommandResult(NamedTuple):
    """The exit status of a command and what it printed."""

    status: int
    output: bytes
    error: str

    @property
    def text(self) -> str:
        """Return the output as text."""
        return self.output.decode("utf-8", "replace")

    @property
    def message(self) -> str:
        """Return why it failed, on one line."""
        return " ".join((self.error or self.text).split())[-500:] or f"exit status {self.status}"


class UnreachableError(TrainyardError):
    """The machine does not answer; it may later."""


def line_for(arguments: Sequence[str], content: bytes, most_bytes: int) -> str:
    """Return a line for any shell that runs a command, as whoever the shell belongs to.

    Nothing in it but base64 depends on the command.
    """
    return f"echo {_script('run.sh')} | base64 -d | bash -l -s -- {_words(arguments, content, most_bytes)}"


def line_as_cluster_user(arguments: Sequence[str], content: bytes, most_bytes: int) -> str:
    """Return the same for root's shell: the command runs as the user of the cluster."""
    changing = f'"$(echo {_script("as_cluster_user.sh")} | base64 -d)"'
    words = _words(arguments, content, most_bytes)
    return f"echo {_script('run.sh')} | base64 -d | bash -c {changing} trainyard {words}"


def answer_in(printed: str, where: str) -> CommandResult | None:
    """Return the answer in what a shell printed, None where there is none.

    Raises TrainyardError where it is longer than what was to be passed on.
    """
    answers = list(_ANSWER.finditer(printed))
    if not answers:
        return None
    match = answers[-1]  # whatever a profile prints comes before
    try:
        output, error = (
            b"" if group == "-" else base64.b64decode(group, validate=True) for group in match.groups()[2:]
        )
    except binascii.Error:
        return None
    if len(output) < int(match[2]):
        raise TrainyardError(
            f"a command answers with {int(match[2]):,} bytes, and only {len(output):,} can be passed on",
            where=where,
            hint="submit fewer jobs at once, with --phase or --only",
        )
    return CommandResult(int(match[1]), output, error.decode("utf-8", "replace"))


def _words(arguments: Sequence[str], content: bytes, most_bytes: int) -> str:
    if any("\0" in argument for argument in arguments):
        raise TrainyardError("a zero byte cannot be part of a command")
    words = _base64(b"".join(argument.encode() + b"\0" for argument in arguments))
    return f"{most_bytes} {words} {_base64(content)}".rstrip()


@cache
def _script(name: str) -> str:
    return _base64((Path(__file__).parent / "remote" / name).read_bytes())


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")
