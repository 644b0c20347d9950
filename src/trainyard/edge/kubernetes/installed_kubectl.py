"""The kubectl that is on PATH, and whether it goes with a version of Kubernetes."""

from __future__ import annotations

import json
import os
import re
from functools import lru_cache
from pathlib import Path
from shutil import which
from typing import NamedTuple

from trainyard.edge.watched_program import run_watched
from trainyard.errors import TrainyardError

_INSTALLING = "https://kubernetes.io/docs/tasks/tools/"
_ANSWERS_WITHIN_S = 30.0
# The first whose credential plugins may speak client.authentication.k8s.io/v1, as ours does (read 2026-11-22):
# https://github.com/kubernetes/website/pull/28429
_OLDEST_MINOR = 22


class InstalledKubectl(NamedTuple):
    """The program."""

    path: str
    version: str
    """As it says: v1.35.1, or v1.32.4-dispatcher."""
    minor: int
    """The 35 of it."""


def installed_kubectl() -> InstalledKubectl:
    """Return the program. Raises TrainyardError where it is missing, too old, or does not say what it is."""
    path = which("kubectl")
    if path is None:
        raise TrainyardError("there is no program kubectl here", where="PATH", hint=f"install it: {_INSTALLING}")
    kubectl = _installed_version(path, Path(path).stat().st_mtime_ns)
    if kubectl.minor < _OLDEST_MINOR:
        raise TrainyardError(
            f"kubectl {kubectl.version} is older than 1.{_OLDEST_MINOR}, the first that signs in as it has to",
            where=path,
            hint=f"install a newer one: {_INSTALLING}",
        )
    return kubectl


@lru_cache(maxsize=8)
def _installed_version(path: str, changed_ns: int) -> InstalledKubectl:
    """Ask a program, once for as long as it is the same: what follows a job looks every few seconds."""
    del changed_ns
    # Nothing of the user's configuration decides what is asked here.
    ended = run_watched(
        [path, "version", "--client", "--output=json"],
        {**os.environ, "KUBECONFIG": os.devnull},
        timeout_s=_ANSWERS_WITHIN_S,
    )
    version = _version(ended.output)
    match = re.match(r"v1\.(\d{1,4})\.", version)
    if ended.status or match is None:
        silent = f"nothing within {_ANSWERS_WITHIN_S:.0f} s" if ended.timed_out else "nothing"
        answer = ended.output.strip() or " ".join(ended.lines) or silent
        raise TrainyardError(
            f"kubectl does not say which version it is: {answer[:200]}",
            where=path,
            hint=f"`kubectl version --client` has to print a version; install it anew: {_INSTALLING}",
        )
    return InstalledKubectl(path, version, int(match[1]))


def _version(output: str) -> str:
    try:
        return str(json.loads(output)["clientVersion"]["gitVersion"])
    except (ValueError, KeyError, TypeError):
        return ""
