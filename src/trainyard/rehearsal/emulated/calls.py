"""Which calls the emulated account has answered, by service and action."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

_ACTION = re.compile(rb"(?:^|&)Action=([A-Za-z0-9]+)")
_counts: Counter[str] = Counter()


def count(service: str, environ: dict[str, Any]) -> None:
    """Count a call. Services with the REST protocol are counted by their methods: the action is in the path."""
    _counts[f"{service or 'unsigned'}:{_action(environ)}"] += 1


def calls() -> dict[str, int]:
    """Return how often each action was called, the most frequent first."""
    return dict(_counts.most_common())


def _action(environ: dict[str, Any]) -> str:
    target = str(environ.get("HTTP_X_AMZ_TARGET", ""))
    if target:
        return target.rpartition(".")[2]
    match = _ACTION.search(environ["wsgi.input"].getvalue()[:4096])
    return match[1].decode() if match else str(environ.get("REQUEST_METHOD", ""))
