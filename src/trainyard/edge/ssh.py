"""Commands on a head node by the system's ssh, with whatever ~/.ssh/config says of the host."""

from __future__ import annotations

import os
from collections.abc import Sequence
from shutil import which

from trainyard.edge.foreground import NotStartedError
from trainyard.edge.remote_command import CommandResult, UnreachableError, answer_in, line_for
from trainyard.edge.watched_program import run_watched
from trainyard.errors import InputError, TrainyardError
from trainyard.foreign_text import quoted_or

# No question is asked where nobody answers it, and a connection that is dead is noticed.
# https://man.openbsd.org/ssh_config.5
_OPTIONS = ("-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=20", "-o", "ServerAliveInterval=15")
_WITHIN_S = 180


class SshSlurm:
    """A head node, by ssh."""

    # A word of a command line has at most 128 KiB (MAX_ARG_STRLEN), and base64 makes 4 bytes of 3.
    # https://man7.org/linux/man-pages/man2/execve.2.html
    block_bytes = 64 * 2**10
    is_here = False

    def __init__(self, host: str) -> None:
        """Take a host as ssh does: a name, user@name, or an entry of ~/.ssh/config."""
        if not host or host.startswith("-") or not host.isprintable() or " " in host:
            hint = "give a host as ssh takes it, such as ubuntu@203.0.113.7"
            raise InputError(f"{host!r} is no host", where="--ssh", hint=hint)
        self.host = host
        self.words = f"{host} by ssh"

    def run(self, arguments: Sequence[str], content: bytes = b"") -> CommandResult:
        """Run a command there. Raises UnreachableError where the host does not answer, TrainyardError without ssh."""
        line = line_for(arguments, content, self.block_bytes)
        try:
            command = [which("ssh") or "ssh", *_OPTIONS, "--", self.host, line]
            ended = run_watched(command, os.environ, timeout_s=_WITHIN_S)
        except NotStartedError:
            raise TrainyardError("there is no program ssh here", where="--ssh", hint="install OpenSSH") from None
        if ended.timed_out:
            raise self._unreachable(f"no answer within {_WITHIN_S} s")
        answer = answer_in(ended.output, self.words)
        if answer is None:
            said = " ".join(ended.error.split())[-300:]
            raise self._unreachable(quoted_or(said, "no answer"))
        return answer

    def _unreachable(self, reason: str) -> UnreachableError:
        return UnreachableError(
            f"the head node cannot be reached by ssh: {reason}",
            where=self.host,
            hint=f"`ssh -o BatchMode=yes {self.host} sbatch --version` has to work without a question",
        )
