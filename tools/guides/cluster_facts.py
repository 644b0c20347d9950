"""What people meet on a cluster: its logs, its named tunnels, and as whom they work on nodes."""

from __future__ import annotations

from pathlib import Path

import yaml

from trainyard.diagnose.log_kind import kind_of
from trainyard.operate.connect.forwarding import NAMED_PORTS
from trainyard.operate.connect.node_user import default_users

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


def port_rows() -> str:
    """Return the table of the tunnels that have a name."""
    rows = (f"| `--forward {name}` | {port} | `http://localhost:{port}` |" for name, port in NAMED_PORTS.items())
    return "\n".join(("| Option | Port there | Address here |", "|---|---|---|", *rows))


def user_rows() -> str:
    """Return the table of the default users, each with the operating systems that have it."""
    users = default_users()
    systems = {user: [os for os, of in users.items() if of == user] for user in dict.fromkeys(users.values())}
    rows = (f"| `{user}` | {', '.join(f'`{os}`' for os in of_user)} |" for user, of_user in systems.items())
    return "\n".join(("| User | Operating systems |", "|---|---|", *rows))
