"""Where trainyard keeps what it can make again: the environments of the programs that it calls."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from trainyard.errors import TrainyardError


def cache_folder(variables: Mapping[str, str] = os.environ) -> Path:
    """Return ``$TRAINYARD_CACHE``, else ``$XDG_CACHE_HOME/trainyard``, else ``~/.cache/trainyard``; it may not exist.

    An empty variable counts as unset, and a relative XDG_CACHE_HOME is ignored:
    https://specifications.freedesktop.org/basedir-spec/latest/#variables
    """
    if chosen := variables.get("TRAINYARD_CACHE"):
        return Path(chosen).absolute()
    xdg = Path(variables.get("XDG_CACHE_HOME", ""))
    if xdg.is_absolute():
        return xdg / "trainyard"
    return _home(variables) / ".cache" / "trainyard"


def _home(variables: Mapping[str, str]) -> Path:
    if home := variables.get("HOME"):
        return Path(home)
    try:
        return Path.home()
    except RuntimeError as error:  # containers run as users that no password file knows
        problem = "this user has no home folder to keep a cache in"
        raise TrainyardError(problem, hint="set TRAINYARD_CACHE to a folder") from error
