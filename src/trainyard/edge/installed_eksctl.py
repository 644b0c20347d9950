"""The eksctl that is on PATH."""

from __future__ import annotations

import json
import os
import re
from functools import lru_cache
from pathlib import Path
from shutil import which
from typing import Any, NamedTuple

from trainyard.edge.watched_program import run_watched
from trainyard.errors import TrainyardError

INSTALLING = "https://docs.aws.amazon.com/eks/latest/eksctl/installation.html"
_ANSWERS_WITHIN_S = 30.0


class InstalledEksctl(NamedTuple):
    """The program."""

    path: str
    version: str
    """Such as 0.229.0."""

    def is_older_than(self, version: str) -> bool:
        """Return whether another version, written alike, is newer. A build between releases counts as its number."""
        return _numbers(self.version) < _numbers(version)


def installed_eksctl() -> InstalledEksctl:
    """Return the program. Raises TrainyardError where it is missing or does not say what it is."""
    path = which("eksctl")
    if path is None:
        raise TrainyardError("there is no program eksctl here", where="PATH", hint=f"install it: {INSTALLING}")
    return _installed_version(path, Path(path).stat().st_mtime_ns)


@lru_cache(maxsize=8)
def _installed_version(path: str, changed_ns: int) -> InstalledEksctl:
    """Ask a program, once for as long as it is the same: every step of a deployment wants to know."""
    del changed_ns
    ended = run_watched([path, "version", "--output=json"], os.environ, timeout_s=_ANSWERS_WITHIN_S)
    answer = _parsed(ended.output)
    version = str(answer.get("Version", ""))
    if ended.status or not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,6}){2}", version):
        silent = f"nothing within {_ANSWERS_WITHIN_S:.0f} s" if ended.timed_out else "nothing"
        shown = ended.output.strip() or " ".join(ended.lines) or silent
        raise TrainyardError(
            f"eksctl does not say which version it is: {shown[:200]}",
            where=path,
            hint=f"`eksctl version -o json` has to print a version; install it anew: {INSTALLING}",
        )
    return InstalledEksctl(path, version)


def _parsed(output: str) -> dict[str, Any]:
    try:
        answer = json.loads(output)
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in version.split("."))
