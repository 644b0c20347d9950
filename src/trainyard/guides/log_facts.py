"""What each log of a cluster tells: logs_told.yaml, whose logs are those that diagnose knows by name."""

from __future__ import annotations

from pathlib import Path

import yaml

from trainyard.diagnose.log_kind import kind_of

_FILE = Path(__file__).with_name("logs_told.yaml")


def log_rows() -> str:
    """Return the table of the logs. Raises KeyError for one that diagnose does not know."""
    told = yaml.load(_FILE.read_bytes(), Loader=yaml.CSafeLoader)["logs"]
    rows = (f"| `{_known(one['log'])}` | {one['nodes']} | {one['tells']} |" for one in told)
    return "\n".join(("| Log | Of | What it tells |", "|---|---|---|", *rows))


def _known(log: str) -> str:
    if kind_of(log) is None:
        raise KeyError(log)
    return log
