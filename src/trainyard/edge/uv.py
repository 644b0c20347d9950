"""The program uv, which makes the Python environments of other programs: one call of it, with its words on failure."""

from __future__ import annotations

import os
import subprocess
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from uv import find_uv_bin

from trainyard.edge.watched_program import bounded_lines
from trainyard.errors import TrainyardError

# Index, proxy, certificate and cache settings of the caller hold; these would change what a lock file says.
# https://docs.astral.sh/uv/reference/environment/
_NOT_PASSED_ON = frozenset(
    {"PYTHONHOME", "PYTHONPATH", "UV_CONSTRAINT", "UV_EXCLUDE_NEWER", "UV_NO_BINARY", "UV_OVERRIDE", "VIRTUAL_ENV"}
)
_LAST_LINES, _KEPT_LINES = 10, 100


class UvError(Exception):
    """A call of uv failed. Its text is uv's own explanation, on one line."""


def uv_program() -> Path:
    """Return the uv that is installed with trainyard."""
    try:
        return Path(find_uv_bin())
    except FileNotFoundError as error:
        problem = "the program uv, which belongs to trainyard, is missing"
        raise TrainyardError(problem, hint="install trainyard again") from error


def run_uv(
    uv: Path,
    arguments: Sequence[str | Path],
    *,
    report: Callable[[str], None],
    keep_open: int,
    variables: Mapping[str, str] = os.environ,
) -> None:
    """Run uv until it ends and report each line that it says. uv inherits the descriptor ``keep_open``. Raises UvError.

    ``--no-config``: a ``uv.toml`` or ``pyproject.toml`` of the user's project is not about this environment.
    """
    output: deque[str] = deque(maxlen=_KEPT_LINES)
    with subprocess.Popen(
        [uv, *arguments, "--no-config", "--color", "never"],
        env={name: value for name, value in variables.items() if name not in _NOT_PASSED_ON},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        pass_fds=(keep_open,),
    ) as process:
        for line in bounded_lines(process.stderr) if process.stderr else ():
            output.append(line.decode("utf-8", "replace").rstrip())
            report(output[-1])
    if process.returncode:
        raise UvError(_words(list(output)) or f"uv ended with status {process.returncode}")


def _words(output: list[str]) -> str:
    """Return the last lines that uv said, from its ``error:`` line on, as one line."""
    errors = [number for number, line in enumerate(output) if line.startswith("error:")]
    lines = output[errors[-1] if errors else 0 :][-_LAST_LINES:]
    return ": ".join(line.strip().removeprefix("error: ").removeprefix("cause: ") for line in lines if line)
