"""The program uv, which makes the Python environments of other programs: one call of it, with its words on failure."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from uv import find_uv_bin

from trainyard.edge.watched_program import run_watched
from trainyard.errors import TrainyardError

# Index, proxy, certificate and cache settings of the caller hold; these would change what a lock file says.
# https://docs.astral.sh/uv/reference/environment/
_NOT_PASSED_ON = frozenset(
    {"PYTHONHOME", "PYTHONPATH", "UV_CONSTRAINT", "UV_EXCLUDE_NEWER", "UV_NO_BINARY", "UV_OVERRIDE", "VIRTUAL_ENV"}
)
_LAST_LINES = 10
_WITHIN_S = 3600.0  # 200 MB over a slow line


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
    ended = run_watched(
        [str(uv), *map(str, arguments), "--no-config", "--color", "never"],
        {name: value for name, value in variables.items() if name not in _NOT_PASSED_ON},
        timeout_s=_WITHIN_S,
        say=report,
        keep_open=(keep_open,),
    )
    if ended.timed_out:
        raise UvError(f"uv did not end within {_WITHIN_S / 60:.0f} minutes and was stopped")
    if ended.status:
        raise UvError(_words(ended.lines) or f"uv ended with status {ended.status}")


def _words(output: Sequence[str]) -> str:
    """Return the last lines that uv said, from its ``error:`` line on, as one line."""
    errors = [number for number, line in enumerate(output) if line.startswith("error:")]
    lines = output[errors[-1] if errors else 0 :][-_LAST_LINES:]
    return ": ".join(line.strip().removeprefix("error: ").removeprefix("cause: ") for line in lines if line)
