"""Where tunnels lead."""

from __future__ import annotations

from trainyard.operate.connect.forwarding import NAMED_PORTS


def port_rows() -> str:
    """Return the table of the tunnels that have a name."""
    rows = (f"| `--forward {name}` | {port} | `http://localhost:{port}` |" for name, port in NAMED_PORTS.items())
    return "\n".join(("| Option | Port there | Address here |", "|---|---|---|", *rows))
